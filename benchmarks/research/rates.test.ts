import { describe, expect, it } from 'vitest';
import {
  areaUnderRoc,
  clopperPearson95,
  equalErrorRate,
  nextAbove,
  operatingPoint,
  rateOf,
  regularisedBeta,
  scoreSets,
  thresholdAtFmr,
} from './rates.ts';

it('the regularised incomplete beta function has its closed forms', () => {
  expect(regularisedBeta(0.3, 1, 4)).toBeCloseTo(1 - 0.7 ** 4, 14);
  // I_x(2, 3) = 6x² − 8x³ + 3x⁴
  expect(regularisedBeta(0.4, 2, 3)).toBeCloseTo(6 * 0.16 - 8 * 0.064 + 3 * 0.0256, 14);
  expect(regularisedBeta(0.2, 0.5, 0.5)).toBeCloseTo((2 / Math.PI) * Math.asin(Math.sqrt(0.2)), 13);
  expect(regularisedBeta(0.5, 100_000, 100_000)).toBeCloseTo(0.5, 9);
});

describe('Clopper–Pearson interval', () => {
  // Values as printed in tables of exact binomial confidence limits (R: binom.test).
  it.each([
    [0, 10, 0, 0.3084971],
    [1, 10, 0.002528579, 0.4450161],
    [5, 10, 0.187086, 0.812914],
    [10, 10, 0.6915029, 1],
    [5, 100, 0.016432, 0.112835],
    [0, 480, 0, 0.00765566],
    // The closed form of no error.
    [0, 385_000, 0, 1 - 0.025 ** (1 / 385_000)],
  ])('%i of %i', (errors, trials, low, high) => {
    const interval = clopperPearson95(errors, trials);
    expect(interval[0]).toBeCloseTo(low, 6);
    expect(interval[1]).toBeCloseTo(high, 6);
  });

  it('is no interval without trials', () => {
    expect(rateOf(0, 0)).toEqual({ errors: 0, trials: 0, rate: null, interval95: null });
  });
});

const scores = scoreSets([0.4, 0.9, 0.8], [0.1, 0.7, 0.4]);

it('an operating point matches at the threshold itself', () => {
  expect(operatingPoint(scores, 0.7)).toMatchObject({ fmr: { errors: 1, trials: 3 }, fnmr: { errors: 1, trials: 3 } });
  expect(operatingPoint(scores, nextAbove(0.7)).fmr.errors).toBe(0);
  expect([nextAbove(-1), nextAbove(0)]).toEqual([-1 + Number.EPSILON / 2, Number.MIN_VALUE]);
});

describe('threshold at a false match rate', () => {
  const whole = (count: number) => Array.from({ length: count }, (_, i) => i);

  it.each<[string, number[], number, number]>([
    ['exactly the share of impostors, counted from the top', whole(1_000), 1e-2, 10],
    ['none where the share is less than one pair', whole(1_000), 1e-4, 0],
    ['not a tie that would exceed the share', [0.1, 0.5, 0.5, 0.5, 0.9], 0.4, 1],
    ['1e-4 of 30 000 as three', whole(30_000), 1e-4, 3],
    ['everybody at 1', whole(10), 1, 10],
  ])('accepts %s', (_what, impostor, target, accepted) => {
    const set = scoreSets([], impostor);
    expect(operatingPoint(set, thresholdAtFmr(set, target) ?? Number.NaN).fmr.errors).toBe(accepted);
  });

  it('needs impostors', () => {
    expect(thresholdAtFmr(scoreSets([0.5], []), 0.5)).toBeNull();
  });
});

it('the area under the ROC curve counts ties half', () => {
  expect(areaUnderRoc(scores)).toBeCloseTo(7.5 / 9, 14);
  expect(areaUnderRoc(scoreSets([2, 3], [0, 1]))).toBe(1);
  expect(areaUnderRoc(scoreSets([], [1]))).toBeNull();
});

it('the equal error rate lies on the line between the points where the rates jump past each other', () => {
  expect(equalErrorRate(scoreSets([2, 3], [0, 1]))?.eer).toBe(0);
  expect(equalErrorRate(scoreSets([0, 1], [2, 3]))?.eer).toBe(1);
  expect(equalErrorRate(scoreSets([0.9, 0.8, 0.3], [0.1, 0.2, 0.7]))?.eer).toBeCloseTo(1 / 3, 14);
  // At 1 the rates are (fmr 1, fnmr 0), just above it (0.5, 0.75): the line crosses at 0.6.
  expect(equalErrorRate(scoreSets([1, 1, 1, 2], [1, 2]))?.eer).toBeCloseTo(0.6, 14);
  expect(equalErrorRate(scoreSets([1], []))).toBeNull();
});
