import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../inputs/shared-data.ts';
import { scoreSamples } from './scored-frame.ts';
import { withUngatedModels } from './ungated-models.ts';

interface TrainedBranch {
  /** Samples seen in training, repetitions included, and the number of distinct ones. */
  readonly seen: number;
  readonly samples: number;
}

/** The part of `presence.json` that is read here. */
interface Settings {
  readonly trained: { readonly seed: number; readonly context: TrainedBranch; readonly texture: TrainedBranch };
  readonly sha256: string;
  readonly enabled: boolean;
}

/** As written by `presence/export.py`: scores beside the teacher's. */
interface Beside {
  readonly samples: number;
  readonly correlation: number;
  readonly 'same side of 0.6': number;
  /** The model's and the teacher's. */
  readonly 'at 0.5 or more': readonly [number, number];
}
interface HeldOut extends Beside {
  readonly families: Readonly<Record<string, Beside>>;
}

const training = new URL('../../../packages/face-models/training/', import.meta.url);
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
  it('describes the committed weights', () => {
    const { trained, sha256, enabled } = JSON.parse(inTraining('weights/presence.json')) as Settings;
    const { seed, context, texture } = trained;
    expect(context.samples).toBe(texture.samples);
    expect(cellsOf('Weights')[0]).toContain(`seed ${seed}, SHA-256 ${sha256}`);
    expect(cellsOf('Samples')[0]).toContain(
      `${context.samples} others, of which the wide branch saw ${context.seen}, the narrow one ${texture.seen}`,
    );
    expect(cellsOf('Serves by default')[0]).toBe(enabled ? 'yes' : 'no');
  });

  it('has their figures on held-out samples, total and by family', () => {
    const { families, ...all } = JSON.parse(inTraining('weights/held-out.json')) as HeldOut;
    for (const [name, of] of Object.entries({ 'every sample': all, ...families })) {
      const [own, theirs] = of['at 0.5 or more'];
      expect(cellsOf(name), name).toEqual([
        String(of.samples),
        of.correlation.toFixed(3),
        of['same side of 0.6'].toFixed(3),
        own.toFixed(3),
        theirs.toFixed(3),
      ]);
    }
  });

  it('has the course of the agreement with its teacher', () => {
    const curve = [
      ...inTraining('weights/training-log.txt').matchAll(
        /^(context|texture): (\d+) samples, .*? correlation (\d\.\d+)/gm,
      ),
    ];
    expect(curve.length).toBeGreaterThan(0);
    for (const [, branch, seen = '', correlation] of curve) {
      const at = branch === 'context' ? 0 : 1;
      const told = rows.find(([first]) => first === `after ${seen}`);
      // Not every line is in the card.
      if (told !== undefined) expect(told[1 + at], `${branch}, ${seen}`).toBe(Number(correlation).toFixed(3));
    }
    expect(rows.filter(([first]) => first?.startsWith('after ')).length).toBeGreaterThan(0);
  });

  const spoof = sharedData('data', 'spoof');
  if (spoof === null) console.log('the model card’s real samples: skipped: no ../shared');

  it.skipIf(spoof === null)('has the scores that the engine gives real samples', () =>
    withUngatedModels(async (engine, models) => {
      expect(models.map(({ name }) => name)).toContain('presence');
      for (const { path, scores } of await scoreSamples(engine, models, spoof ?? expect.unreachable())) {
        const [, ...told] = cellsOf(path);
        for (const [i, { name }] of models.entries()) {
          // Three digits; differences between processors are smaller.
          expect(Math.abs(Number(told[i]) - (scores?.[name]?.score ?? Number.NaN)), `${path}, ${name}`).toBeLessThan(
            0.002,
          );
        }
      }
    }),
  );
});
