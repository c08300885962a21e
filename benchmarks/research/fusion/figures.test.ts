import { loadCore } from '@svc/core';
import { type EngineRecipe, strictestLimits } from '@svc/face-engine';
import { expect, it } from 'vitest';
import { fusionMarkdown } from './evaluate.ts';
import { figuresOf } from './figures.ts';
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

function unit(...axes: readonly number[]): Float32Array {
  const vector = new Float32Array(128);
  for (const axis of axes) vector[axis] = 1;
  core.normalise(vector);
  return vector;
}
const person = (i: number): Person => ({ references: new Map([[engineId, unit(i)]]) });
/** Each frame is an equal mix of the person and a different other vector: a cosine of 0.707. */
const visit = (who: number, frames: number): Visit => ({
  person: who,
  place: 0,
  frames: Array.from({ length: frames }, (_, i) => ({
    templates: new Map([[engineId, unit(who, 20 + 10 * who + i)]]),
    weight: 1,
  })),
});

it('counts visits by each probe, and over a whole stage', () => {
  const figures = figuresOf({ core }, recipe, [person(0), person(1)], [visit(0, 8), visit(1, 2), visit(1, 0)]);
  // Only visits with enough frames.
  const missed = figures.comparisons.map(({ fnmr: { errors, trials } }) => `${errors} of ${trials}`);
  expect(missed).toEqual(['2 of 2', '0 of 1']);
  expect(figures.comparisons[0]?.fmr).toEqual({ errors: 0, trials: 2 });
  const { frameByFrame, fused } = figures;
  expect(frameByFrame.fnmr).toEqual({ errors: 2, trials: 2 });
  expect(fused).toEqual({ fnmr: { errors: 0, trials: 2 }, fmr: { errors: 0, trials: 2 } });

  const places = [{ name: 'drawn', engines: [figures] }];
  const markdown = fusionMarkdown({ people: 2, visits: 3, framesWithoutFace: 14, places });
  expect(markdown).toContain(
    '| `drawn/1` | drawn | one frame | 100.0 % (15.8–100.0; 2 of 2) | 0.0 % (0.0–84.2; 0 of 2) |',
  );
  expect(markdown).toContain(
    '| `drawn/1` | drawn | the stage, mean | 0.0 % (0.0–84.2; 0 of 2) | 0.0 % (0.0–84.2; 0 of 2) |',
  );
});
