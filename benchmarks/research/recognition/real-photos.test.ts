import { join } from 'node:path';
import type { AddOnName } from '@svc/face-models/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type OpenEngine,
  openEngine,
  type TemporaryAddOn,
  temporaryAddOn,
  withMiniFasNet,
} from '../../inputs/engine.ts';
import { readPhoto } from '../../inputs/read-photo.ts';
import { sharedData } from '../../inputs/shared-data.ts';
import { withFace } from '../first-face.ts';
import { attPeople } from './att-faces.ts';
import { comparing, enrolAll, enrolPhoto } from './enrolment.ts';
import { reportGallery } from './gallery.ts';
import { colourPeople, genuineFigures } from './genuine.ts';
import { labelledClaims, onlyFaces, scikitFaces } from './not-faces.ts';
import { portraitsIn } from './portraits.ts';

const data = sharedData('data') ?? '';
if (data === '') console.log('skipped: no ../shared (public photos)');
const addOns: readonly AddOnName[] = ['minifasnet', 'face-reidentification-retail-0095'];
const hasAddOns = addOns.every((name) => sharedData('models', name) !== null);
if (!hasAddOns) console.log('skipped: no ../shared/models (add-ons on public photos)');

/** A fast part of the accuracy report, which takes minutes. */
describe.skipIf(data === '')('public photos', { timeout: 300_000 }, () => {
  let addOn: TemporaryAddOn | null;
  let node: OpenEngine;
  beforeAll(async () => {
    addOn = await temporaryAddOn(addOns);
    node = await openEngine(withMiniFasNet(addOn?.directory ?? null));
  });
  afterAll(async () => {
    node?.close();
    await addOn?.remove();
  });
  const faces = (...path: string[]) => join(data, 'faces', ...path);

  it('match where they show one person, with every engine', async () => {
    const { engine } = node;
    expect(engine.recipes).toHaveLength(hasAddOns ? 2 : 1);
    const people = await colourPeople(data);
    for (const recipe of engine.recipes) {
      const own = await enrolAll(engine, people.flat(), 'one', recipe.engineId);
      const { claim, scores } = genuineFigures(comparing(engine, recipe), people, own, recipe.matchThreshold);
      expect(scores, recipe.engineId).toHaveLength(18);
      expect(claim.holds).toBe(true);
    }
  });

  it('do not match where they show two people', async () => {
    const { engine } = node;
    const others = ['obama.jpg', 'biden.jpg'].map((file) => faces('whitehouse', 'examples', file));
    const labelled = ['001_A.jpg', '007_B.jpg'].map((file) => faces('compreface', 'labelled', file));
    const photos = [...others, ...labelled, ...(await portraitsIn(data)).filter((_, i) => i % 80 === 0)];
    const enrolments = await enrolAll(engine, photos);
    const report = reportGallery({ engine, photos, enrolments, targetFmr: 1e-4, nameOf: (path) => path });
    expect(report).toMatchObject({ enrolled: photos.length, shipped: { fmr: { errors: 0 } } });
  });

  it('have no other face than the labelled ones', async () => {
    const claims = await labelledClaims(node.engine, data);
    expect(claims).toHaveLength(4);
    expect(claims.filter(({ holds }) => !holds)).toEqual([]);
    expect(await onlyFaces(node.engine, faces('scikit-image'), 'scikit-image', scikitFaces)).toMatchObject({
      holds: true,
    });
  });

  it.each([
    ['several-faces', 'unsplash-proctoring/bruce-dixon-MofnqVlkrJY-unsplash.jpg'],
    ['several-faces', 'unsplash-proctoring/ethan-johnson-IzUyV6BbfQw-unsplash.jpg'],
    ['several-faces', 'unsplash-proctoring/jessica-wilson-nx3N6enkY_k-unsplash.jpg'],
    ['covered', 'whitehouse/tests/test_images/obama_partial_face.jpg'],
    ['covered', 'whitehouse/tests/test_images/obama_partial_face2.jpg'],
  ])('are refused as %s: %s', async (reason, path) => {
    expect(await enrolPhoto(node.engine, faces(path))).toMatchObject({ reason });
  });

  it('enrol where they are small, grey and tightly cropped', async () => {
    const photos = attPeople(data)
      .filter((_, person) => person % 11 === 0)
      .flatMap((own) => [own[1] ?? '', own[6] ?? '']);
    const enrolments = await enrolAll(node.engine, photos);
    expect([...enrolments.values()].map(({ ok }) => ok)).toEqual(photos.map(() => true));
  });

  it.skipIf(!hasAddOns).each<[string, string, number, number]>([
    ['a live person', 'minivision/images/sample/image_T1.jpg', 0.95, 1],
    ['a live person', 'vietmoney/data/test/true_001.jpg', 0.9, 1],
    ['a live person', 'vietmoney/data/test/true_002.jpg', 0.9, 1],
    ['a print', 'minivision/images/sample/image_F1.jpg', 0, 0.35],
    ['a screen that fills most of the picture', 'minivision/images/sample/image_F2.jpg', 0, 0.1],
    ['a face without room around it', 'vietmoney/data/test/true_003.png', Number.NaN, Number.NaN],
  ])('tell MiniFASNet about %s: %s', async (_what, path, least, most) => {
    const { engine, passiveLiveness } = node;
    const photo = await readPhoto(join(data, 'spoof', path));
    const score = await withFace(engine, photo, async (face, image) => ({
      passive: await passiveLiveness?.score(image, face),
    }));
    if (Number.isNaN(least)) return expect(score).toEqual({ passive: null });
    expect(score?.passive).toBeGreaterThanOrEqual(least);
    expect(score?.passive).toBeLessThanOrEqual(most);
  });
});
