import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withEngine } from '../engine.ts';
import { genuineSection } from './genuine.ts';
import { labelledClaims } from './not-faces.ts';

const data = fileURLToPath(new URL('../../../../../shared/data', import.meta.url));
const hasData = existsSync(data);
if (!hasData) process.stdout.write('skipped: no ../shared (accuracy on public photos)\n');

/** The quick half of the accuracy report; the whole takes minutes. */
describe.skipIf(!hasData)('accuracy on public photos', () => {
  it('holds for the pairs of one person and for the labelled photos', { timeout: 300_000 }, async () => {
    await withEngine(async ({ engine }) => {
      const genuine = await genuineSection(engine, data, engine.matchThreshold);
      const labelled = await labelledClaims(engine, data);
      const claims = [...genuine.claims, ...labelled.claims];
      expect(claims).toHaveLength(5);
      expect(claims.filter(({ holds }) => !holds)).toEqual([]);
      expect(labelled.rows).toHaveLength(18);
    });
  });
});
