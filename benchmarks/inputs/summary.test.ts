import { describe, expect, it } from 'vitest';
import { median, quantile, rankQuantile, shareAbove } from './summary.ts';

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
