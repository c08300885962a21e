import { readFileSync } from 'node:fs';
import { createNodeFaceEngine } from '@svc/face-engine/node';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../support/shared-data.ts';
import { temporaryAddOn } from '../synthetic/passive-add-on.ts';
import { scoreSamples } from './spoof-samples.ts';
import { openUngatedModels } from './ungated-models.ts';

/** As far as it is read here, `presence.json`. */
interface Settings {
  readonly trained: { readonly seed: number; readonly frames: number; readonly epochs: number };
  readonly sha256: string;
  readonly enabled: boolean;
}

/** As `presence/figures.py` writes it: areas under the curve, per attempt. */
interface HeldOut {
  readonly attempts: number;
  readonly attempts_by_branch: Readonly<Record<'context' | 'texture', number>>;
  readonly by_family: Readonly<Record<string, number>>;
  readonly by_kind: Readonly<Record<string, number>>;
}

const training = new URL('../../../../packages/face-models/training/', import.meta.url);
const inTraining = (file: string): string => readFileSync(new URL(file, training), 'utf8');
const rows = inTraining('MODEL_CARD.md')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll(/[*`]/g, '').trim()),
  );
const cellsOf = (name: string): readonly string[] =>
  rows.find(([first]) => first === name)?.slice(1) ?? expect.unreachable(`no row ${name}`);

describe('the model card of presence', () => {
  it('is about the committed weights', () => {
    const { trained, sha256, enabled } = JSON.parse(inTraining('weights/presence.json')) as Settings;
    const { seed, frames, epochs } = trained;
    expect(cellsOf('Weights')[0]).toContain(`seed ${seed}, ${frames} frames, ${epochs} epochs, SHA-256 ${sha256}`);
    expect(cellsOf('Serves by default')[0]).toBe(enabled ? 'yes' : 'no');
  });

  it('has their figures on held-out scenes', () => {
    const figures = JSON.parse(inTraining('weights/held-out.json')) as HeldOut;
    const areas = {
      'held out': figures.attempts,
      'context alone': figures.attempts_by_branch.context,
      'texture alone': figures.attempts_by_branch.texture,
      ...figures.by_family,
      ...figures.by_kind,
    };
    const told = Object.fromEntries(Object.keys(areas).map((name) => [name, cellsOf(name)[0]]));
    expect(told).toEqual(Object.fromEntries(Object.entries(areas).map(([name, area]) => [name, area.toFixed(3)])));
  });

  const spoof = sharedData('data', 'spoof');
  if (spoof === null) console.log('the model card’s real samples: skipped: no ../shared');

  it.skipIf(spoof === null)('has the scores that the engine gives real samples', async () => {
    const addOn = await temporaryAddOn();
    const node = await createNodeFaceEngine({ addOnDirectory: addOn?.directory ?? null, passiveModel: null });
    try {
      const models = await openUngatedModels(node);
      expect(models.map(({ name }) => name)).toContain('presence');
      for (const { path, scores } of await scoreSamples(node.engine, models, spoof ?? expect.unreachable())) {
        const [, ...told] = cellsOf(path);
        for (const [i, { name }] of models.entries()) {
          // Three digits; processors differ by less.
          expect(Math.abs(Number(told[i]) - (scores?.[name]?.score ?? Number.NaN)), `${path}, ${name}`).toBeLessThan(
            0.002,
          );
        }
      }
    } finally {
      node.engine.dispose();
      node.runtime.dispose();
      await addOn?.remove();
    }
  });
});
