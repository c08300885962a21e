import { describe, expect, it } from 'vitest';
import type { LightEvidence } from './evidence.ts';
import { STANDARD_LIGHT_POLICY } from './policy.ts';
import { type EarlierLight, nothingEarlier, showsTrace } from './strong-light.ts';

const policy = STANDARD_LIGHT_POLICY.strongLight;
const after = (chance: number) => ({ sequences: 1, faint: { chance } as LightEvidence });
const lost = { sequences: 1, faint: null };

/** The largest accepted chance of a second sequence after an earlier one, by bisection: acceptance is monotone. */
function most(earlier: EarlierLight): number {
  let [passes, fails] = [0, 1];
  for (let i = 0; i < 40; i++) {
    const middle = (passes + fails) / 2;
    if (showsTrace(middle, earlier, policy)) passes = middle;
    else fails = middle;
  }
  return passes;
}

describe('a trace in strong light', () => {
  it('is a chance of 1 % at most in a first sequence', () => expect(most(nothingEarlier)).toBeCloseTo(0.01, 9));

  it.each([
    ['a first with little', 0.02, 0.1],
    ['a first with less', 0.08, 0.025],
    ['a first with nothing', 0.6, 0.004],
  ])('is 0.2 % of both together, or 0.4 % of the second, after %s', (_, first, second) => {
    expect(most(after(first))).toBeCloseTo(second, 9);
  });

  it('is 0.4 % if the first was aborted', () => expect(most(lost)).toBeCloseTo(0.004, 9));

  it('is not accepted in a third sequence', () => {
    expect(most({ sequences: 2, faint: null })).toBeCloseTo(0, 9);
    expect(most({ ...after(0.02), sequences: 2 })).toBeCloseTo(0, 9);
  });

  // Chances are at worst uniform; an attacker may also drop a sequence, knowing its chance.
  it('is at most 2 % without knowledge of the orders, whichever sequences are aborted', () => {
    const cells = 10_000;
    let sum = 0;
    for (let cell = 0; cell < cells; cell++) {
      const first = (cell + 0.5) / cells;
      sum += showsTrace(first, nothingEarlier, policy) ? 1 : Math.max(most(after(first)), most(lost));
    }
    expect(sum / cells).toBeLessThan(0.02);
    expect(sum / cells).toBeGreaterThan(0.0195);
  });
});
