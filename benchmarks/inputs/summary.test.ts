import { describe, expect, it } from 'vitest';
import { median, quantile, rankQuantile, shareAbove, trendOf } from './summary.ts';

describe('quantiles', () => {
  it('interpolates', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([1, 2])).toBe(1.5);
    expect(quantile([0, 10], 0.25)).toBe(2.5);
  });

  it('by rank, is one of the values', () => {
    expect([0, 0.49, 0.5, 1].map((share) => rankQuantile([30, 10, 20, 40], share))).toEqual([10, 20, 30, 40]);
    expect(rankQuantile([], 0.5)).toBeNaN();
  });
});

it('counts what reaches the limit', () => {
  expect(shareAbove([1, 2, 3, 4], 3)).toBe(0.5);
  expect(shareAbove([], 3)).toBe(0);
});

describe('trendOf', () => {
  it('is the least squares line of a published example, with its 95 % interval', () => {
    // Anscombe (1973), first set: slope 0.5001, standard error 0.1179, t(9) 2.262.
    const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
    const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
    const { slope, margin } = trendOf(x.map((value, i) => ({ x: value, y: y[i] ?? 0 })));
    expect(slope).toBeCloseTo(0.5001, 4);
    expect(margin).toBeCloseTo(2.262 * 0.1179, 3);
  });

  it('asks for four samples', () => {
    expect(() => trendOf([{ x: 1, y: 1 }])).toThrow(RangeError);
  });
});
