import { describe, expect, it } from 'vitest';
import type { Guidance, Hint } from '../../ports.ts';
import { Steadiness, steadyLimits } from './steadiness.ts';

const at = (x: number, hint: Hint | null = null): Guidance => ({
  hint,
  face: { x, y: 0.2, width: 0.3, height: 0.5 },
});
const still = at(0.3);

/** Looks every so many milliseconds. @returns in which of them the moment was */
function moments(steadiness: Steadiness, everyMs: number, looks: readonly Guidance[], fromMs = 0): number[] {
  return looks.flatMap((look, i) => (steadiness.add(look, fromMs + i * everyMs).isSteady ? [i] : []));
}

describe('steadiness', () => {
  it('comes after the time and the looks that it takes, and once', () => {
    expect(moments(new Steadiness(), 200, Array(20).fill(still))).toEqual([steadyLimits.ms / 200]);
    // Of a slow phone's looks it takes three.
    expect(moments(new Steadiness(), 1_000, Array(20).fill(still))).toEqual([steadyLimits.looks - 1]);
  });

  it('is counted anew after whatever is not good', () => {
    const looks = [still, still, still, at(0.3, 'look-straight'), still, still, still, still, still, still];
    expect(moments(new Steadiness(), 200, looks)).toEqual([8]);
    const nobody: Guidance = { hint: 'no-face', face: null };
    expect(moments(new Steadiness(), 200, [still, still, nobody, still, still, still, still, still])).toEqual([7]);
  });

  it('tells a face that moves to hold still, and is counted from where it stops', () => {
    const steadiness = new Steadiness();
    expect(steadiness.add(at(0.3), 0).guidance.hint).toBeNull();
    expect(steadiness.add(at(0.36), 200).guidance.hint).toBe('hold-still');
    expect(moments(steadiness, 200, Array(6).fill(at(0.36)), 400)).toEqual([3]);
  });

  it('lets a face sway as people do', () => {
    const swaying = Array.from({ length: 8 }, (_, i) => at(0.3 + (i % 2) * 0.02));
    expect(moments(new Steadiness(), 200, swaying)).toEqual([4]);
  });

  it('comes again after a restart, and after something was not good', () => {
    const steadiness = new Steadiness();
    expect(moments(steadiness, 200, Array(10).fill(still))).toEqual([4]);
    steadiness.restart();
    expect(moments(steadiness, 200, Array(10).fill(still), 10_000)).toEqual([4]);
    expect(moments(steadiness, 200, [at(0.3, 'centre'), ...Array(6).fill(still)], 20_000)).toEqual([5]);
  });
});
