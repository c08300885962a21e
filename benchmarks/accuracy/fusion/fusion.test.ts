import { loadCore } from '@svc/core';
import { type EngineRecipe, type FaceEngine, strictestLimits } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import { figuresOf } from './figures.ts';
import { poorPicture, type Trouble } from './poor-picture.ts';
import { fusionMarkdown } from './report.ts';
import type { Person, Visit } from './visits.ts';

const core = await loadCore();
const engineId = 'drawn/1';
const recipe: EngineRecipe = {
  engineId,
  modelId: `mdl_${'0'.repeat(26)}`,
  dimension: 128,
  matchThreshold: 0.8,
  turnedMargin: 0.3,
  model: 'face-embedding',
  alignment: { kind: 'mean-face', padding: 0.25 },
  mirror: true,
  enrolmentLimits: strictestLimits,
};
const engine = { core, recipes: [recipe] } as unknown as FaceEngine;

function unit(numbers: Readonly<Record<number, number>>): Float32Array {
  const vector = new Float32Array(128);
  for (const [i, value] of Object.entries(numbers)) vector[Number(i)] = value;
  core.normalise(vector);
  return vector;
}
const person = (i: number): Person => ({ seed: i, references: new Map([[engineId, unit({ [i]: 1 })]]) });
/** Each frame is an equal mix of the person and a different other vector: a cosine of 0.707. */
const visit = (who: number, frames: number): Visit => ({
  person: who,
  place: 0,
  frames: Array.from({ length: frames }, (_, i) => ({
    templates: new Map([[engineId, unit({ [who]: 1, [20 + 10 * who + i]: 1 })]]),
    weight: 1,
  })),
});

describe('figures of visits', () => {
  const people = [person(0), person(1)];
  const figures = figuresOf(engine, recipe, people, [visit(0, 8), visit(1, 2), visit(1, 0)]);

  it('count each probe for which there are enough frames', () => {
    expect(figures.comparisons.map(({ fnmr }) => fnmr)).toEqual([
      { errors: 2, trials: 2 },
      { errors: 0, trials: 2 },
      { errors: 0, trials: 1 },
      { errors: 0, trials: 1 },
      { errors: 0, trials: 1 },
    ]);
    expect(figures.comparisons[0]?.fmr).toEqual({ errors: 0, trials: 2 });
  });

  it('cover a whole stage, frame by frame and with the device’s mean', () => {
    const { frameByFrame, fused } = figures;
    expect(frameByFrame).toMatchObject({ fnmr: { errors: 2, trials: 2 }, embeddings: 5, matched: [false, false] });
    expect(fused).toMatchObject({ fnmr: { errors: 0, trials: 2 }, embeddings: 2, matched: [true, true] });
    expect(fused.fmr).toEqual({ errors: 0, trials: 2 });
  });

  it('count frames that join a mean', () => {
    // Two frames have a cosine of 0.5, the threshold minus the margin; other people's have none.
    expect(figures.ownApart.trials).toBe(8);
    expect(figures.othersJoin).toEqual({ errors: 0, trials: 2 });
  });

  it('are written between a document’s markers', () => {
    const markdown = fusionMarkdown({
      people: 2,
      visits: 3,
      framesWithoutFace: 14,
      places: [{ name: 'drawn', engines: [figures] }],
    });
    expect(markdown).toContain(
      '| `drawn/1` | drawn | one frame | 100.0 % (15.8–100.0; 2 of 2) | 0.0 % (0.0–84.2; 0 of 2) |',
    );
    expect(markdown).toContain(
      '| `drawn/1` | drawn | mean | 0.0 % (0.0–84.2; 0 of 2) | 2 | 0.0 % (0.0–84.2; 0 of 2) | 2.00 |',
    );
  });
});

describe('a poor picture', () => {
  const [width, height] = [40, 30];
  const data = new Uint8Array(width * height * 4).fill(200);
  // A white line down a grey picture.
  for (let y = 0; y < height; y++) data.fill(255, (y * width + 20) * 4, (y * width + 21) * 4);
  const picture = { data, width, height, channels: 4 } as const;
  const nothing: Trouble = { defocusPx: 0, motionPx: 0, light: 1, noise: 0 };
  const at = (x: number, trouble: Partial<Trouble>, seed = 1) =>
    poorPicture(picture, { ...nothing, ...trouble }, seed).data[(15 * width + x) * 3] ?? 0;

  it('without degradation is unchanged', () => {
    expect(Math.abs(at(5, {}) - 200)).toBeLessThanOrEqual(1);
    expect(at(20, {})).toBe(255);
  });

  it('is darker, blurred and noisy, the same for the same seed', () => {
    expect(at(5, { light: 0.16 })).toBe(Math.round(200 * 0.16 ** (1 / 2.2)));
    expect(at(20, { defocusPx: 2 })).toBeLessThan(225);
    expect(at(21, { defocusPx: 2 })).toBeGreaterThan(201);
    const noisy = (seed: number) => poorPicture(picture, { ...nothing, noise: 10 }, seed).data;
    expect(noisy(3)).toEqual(noisy(3));
    expect(noisy(3)).not.toEqual(noisy(4));
  });
});
