import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../support/shared-data.ts';
import { scoreSamples } from './spoof-samples.ts';
import { withUngatedModels } from './with-ungated-models.ts';

/** As far as it is read here, `presence.json`. */
interface Settings {
  readonly trained: { readonly seed: number; readonly frames: number; readonly epochs: number };
  readonly sha256: string;
  readonly enabled: boolean;
  readonly calibration: { readonly points: readonly [number, number][]; readonly attackFrameAtMost: number };
}

/** As `presence/figures.py` writes it: areas under the curve, per attempt. */
interface HeldOut {
  readonly attempts: number;
  readonly frames: number;
  /** Of `attempts`, 95 %, over people. */
  readonly interval: readonly [number, number];
  /** People who are shown, by the kind of their pictures. */
  readonly identities: Readonly<Record<'photo' | 'rendered', number>>;
  /** Mean of each attempt by family, `live` among them; the lowest frame of each attempt of a person. */
  readonly scores: Readonly<Record<string, readonly number[]>>;
  readonly lowest: readonly number[];
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
      'frame by frame': figures.frames,
      'context alone': figures.attempts_by_branch.context,
      'texture alone': figures.attempts_by_branch.texture,
      ...figures.by_family,
      ...figures.by_kind,
    };
    const told = Object.fromEntries(Object.keys(areas).map((name) => [name, cellsOf(name)[0]]));
    expect(told).toEqual(Object.fromEntries(Object.entries(areas).map(([name, area]) => [name, area.toFixed(3)])));
  });

  it('has who was measured, and how far that reaches', () => {
    const { interval, identities, scores } = JSON.parse(inTraining('weights/held-out.json')) as HeldOut;
    expect(cellsOf('its 95 % interval over people')[0]).toBe(interval.map((bound) => bound.toFixed(3)).join('–'));
    const { live = [], ...families } = scores;
    expect(cellsOf('Measured on')[0]).toContain(
      `${identities.rendered} other rendered people and ${identities.photo} `,
    );
    const attacks = Object.values(families).flat();
    expect(cellsOf('Measured on')[0]).toContain(
      `${live.length} attempts of people, ${attacks.length} of reproductions`,
    );
  });

  it('has the errors at the calibrated line', () => {
    const { scores, lowest } = JSON.parse(inTraining('weights/held-out.json')) as HeldOut;
    const { calibration } = JSON.parse(inTraining('weights/presence.json')) as Settings;
    const line = calibration.points.find(([, outward]) => outward === 0.9)?.[0] ?? expect.unreachable('no line');
    const { live = [], ...families } = scores;
    const attacks = Object.values(families).flat();
    const refused = live.filter((score) => score < line).length;
    const ended = lowest.filter((score) => score <= calibration.attackFrameAtMost).length;
    const passed = attacks.filter((score) => score >= line).length;
    const card = inTraining('MODEL_CARD.md').replaceAll('\n', ' ');
    expect(card).toContain(`${refused} of ${live.length} people score below it and ${ended} have a frame in the band`);
    expect(card).toContain(`${passed} of ${attacks.length} reproductions score at or above it`);
  });

  const spoof = sharedData('data', 'spoof');
  if (spoof === null) console.log('the model card’s real samples: skipped: no ../shared');

  it.skipIf(spoof === null)('has the scores that the engine gives real samples', () =>
    withUngatedModels(async (engine, models) => {
      expect(models.map(({ name }) => name)).toContain('presence');
      for (const { path, scores } of await scoreSamples(engine, models, spoof ?? expect.unreachable())) {
        const [, ...told] = cellsOf(path);
        for (const [i, { name }] of models.entries()) {
          // Three digits; processors differ by less.
          expect(Math.abs(Number(told[i]) - (scores?.[name]?.score ?? Number.NaN)), `${path}, ${name}`).toBeLessThan(
            0.002,
          );
        }
      }
    }),
  );
});
