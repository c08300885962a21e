import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineRecipes } from '@svc/face-models';
import { installAddOn } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withEngine } from '../engine.ts';
import { comparing, enrolForEngines, enrolmentsOf } from '../evaluation/enrol-for-engines.ts';
import { readPhoto } from '../images/read-photo.ts';
import { colourPeople, genuineSection, pathsOf } from './genuine.ts';
import { labelledClaims } from './not-faces.ts';

const shared = fileURLToPath(new URL('../../../../../shared', import.meta.url));
const [data, weights] = [join(shared, 'data'), join(shared, 'models', 'face-reidentification-retail-0095')];
const hasData = existsSync(data);
if (!hasData) process.stdout.write('skipped: no ../shared (accuracy on public photos)\n');
const hasWeights = existsSync(weights);
if (hasData && !hasWeights) process.stdout.write('skipped: no ../shared/models (accuracy of the recognition add-on)\n');

/** The fast half of the accuracy report; the whole report takes minutes. */
describe.skipIf(!hasData)('accuracy on public photos', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-accuracy-'));
    vi.stubEnv('SVC_MODELS_DIR', folder);
    if (hasWeights) {
      await installAddOn('face-reidentification-retail-0095', { from: weights, addOnDirectory: folder });
    }
  }, 300_000);
  afterAll(() => {
    vi.unstubAllEnvs();
    return rm(folder, { recursive: true, force: true });
  });

  it('holds for the pairs of one person, with every installed engine', { timeout: 300_000 }, async () => {
    await withEngine(
      async ({ engine }) => {
        const { recipes } = engine;
        expect(recipes).toHaveLength(hasWeights ? engineRecipes.length : engineRecipes.length - 1);
        const people = await colourPeople(data);
        const enrolments = await enrolForEngines(engine, pathsOf(people), recipes);
        for (const recipe of recipes) {
          const own = enrolmentsOf(enrolments, recipe);
          const { claims, scores } = genuineSection(comparing(engine, recipe), people, own, recipe.matchThreshold);
          expect(scores, recipe.engineId).toHaveLength(18);
          expect(
            claims.filter(({ holds }) => !holds),
            recipe.engineId,
          ).toEqual([]);
          // Shared detections give the same results as each engine's own.
          for (const [path, enrolment] of own) {
            if (recipe === recipes[0] || !path.endsWith('obama2.jpg')) continue;
            const alone = await engine.enrol(await readPhoto(path), { engineId: recipe.engineId });
            expect(alone.ok && alone.reference).toEqual(enrolment.ok && enrolment.reference);
          }
        }
      },
      { passiveModel: null },
    );
  });

  it('finds no other face in the labelled photos', { timeout: 300_000 }, async () => {
    await withEngine(
      async ({ engine }) => {
        const labelled = await labelledClaims(engine, data);
        expect(labelled.claims).toHaveLength(4);
        expect(labelled.claims.filter(({ holds }) => !holds)).toEqual([]);
        expect(labelled.rows).toHaveLength(18);
      },
      { passiveModel: null },
    );
  });
});
