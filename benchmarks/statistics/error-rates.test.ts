import { describe, expect, it } from 'vitest';
import {
  areaUnderRoc,
  countBelow,
  equalErrorRate,
  nextAbove,
  operatingPoint,
  scoreSets,
  thresholdAtFmr,
} from './error-rates.ts';

const scores = scoreSets([0.4, 0.9, 0.8], [0.1, 0.7, 0.4]);

describe('score sets', () => {
  it('counts what lies strictly below', () => {
    expect(countBelow(scores.impostor, 0.4)).toBe(1);
    expect(countBelow(scores.impostor, 0.41)).toBe(2);
    expect(countBelow(scores.impostor, -1)).toBe(0);
    expect(countBelow(scores.impostor, 2)).toBe(3);
  });

  it('steps to the neighbouring double', () => {
    expect(nextAbove(1)).toBe(1 + Number.EPSILON);
    expect(nextAbove(-1)).toBe(-1 + Number.EPSILON / 2);
    expect(nextAbove(0)).toBe(Number.MIN_VALUE);
  });
});

describe('operating point', () => {
  it('matches at the threshold itself', () => {
    const point = operatingPoint(scores, 0.7);
    expect(point.fmr).toMatchObject({ errors: 1, trials: 3 });
    expect(point.fnmr).toMatchObject({ errors: 1, trials: 3 });
    expect(operatingPoint(scores, nextAbove(0.7)).fmr.errors).toBe(0);
  });
});

describe('threshold at a false match rate', () => {
  const impostor = Array.from({ length: 1000 }, (_, i) => i / 1000);

  it('allows exactly the share of impostors, counted from the top', () => {
    const threshold = thresholdAtFmr(scoreSets([], impostor), 1e-2) ?? Number.NaN;
    expect(operatingPoint(scoreSets([], impostor), threshold).fmr.errors).toBe(10);
    expect(threshold).toBeGreaterThan(0.989);
    expect(threshold).toBeLessThan(0.99);
  });

  it('refuses every impostor where the share is less than one pair', () => {
    const set = scoreSets([], impostor);
    expect(operatingPoint(set, thresholdAtFmr(set, 1e-4) ?? Number.NaN).fmr.errors).toBe(0);
  });

  it('is not lowered into a tie that would exceed the share', () => {
    const set = scoreSets([], [0.1, 0.5, 0.5, 0.5, 0.9]);
    expect(operatingPoint(set, thresholdAtFmr(set, 0.4) ?? Number.NaN).fmr.errors).toBe(1);
  });

  it('counts 1e-4 of 30 000 as three', () => {
    const set = scoreSets(
      [],
      Array.from({ length: 30_000 }, (_, i) => i),
    );
    expect(operatingPoint(set, thresholdAtFmr(set, 1e-4) ?? Number.NaN).fmr.errors).toBe(3);
  });

  it('accepts everybody at 1, and needs impostors', () => {
    const set = scoreSets([], impostor);
    expect(operatingPoint(set, thresholdAtFmr(set, 1) ?? Number.NaN).fmr.errors).toBe(1000);
    expect(thresholdAtFmr(scoreSets([0.5], []), 0.5)).toBeNull();
  });
});

describe('area under the ROC curve', () => {
  it('counts ties half: (3 + 3 + 1.5) of 9', () => {
    expect(areaUnderRoc(scores)).toBeCloseTo(7.5 / 9, 14);
  });

  it('is 1 when separated, 0 when reversed, a half when equal', () => {
    expect(areaUnderRoc(scoreSets([2, 3], [0, 1]))).toBe(1);
    expect(areaUnderRoc(scoreSets([0, 1], [2, 3]))).toBe(0);
    expect(areaUnderRoc(scoreSets([1, 1], [1, 1]))).toBe(0.5);
    expect(areaUnderRoc(scoreSets([], [1]))).toBeNull();
  });
});

describe('equal error rate', () => {
  it('is 0 when separated and 1 when reversed', () => {
    expect(equalErrorRate(scoreSets([2, 3], [0, 1]))?.eer).toBe(0);
    expect(equalErrorRate(scoreSets([0, 1], [2, 3]))?.eer).toBe(1);
  });

  it('is where one of three errs on either side', () => {
    const result = equalErrorRate(scoreSets([0.9, 0.8, 0.3], [0.1, 0.2, 0.7]));
    expect(result?.eer).toBeCloseTo(1 / 3, 14);
  });

  it('lies on the line between two operating points where the rates jump past each other', () => {
    // At 1 the rates are (fmr 1, fnmr 0), just above it (0.5, 0.75): the line crosses at 0.6.
    const result = equalErrorRate(scoreSets([1, 1, 1, 2], [1, 2]));
    expect(result?.eer).toBeCloseTo(0.6, 14);
  });

  it('needs both kinds of pairs', () => {
    expect(equalErrorRate(scoreSets([1], []))).toBeNull();
    expect(equalErrorRate(scoreSets([], [1]))).toBeNull();
  });
});
