import { describe, expect, it } from 'vitest';
import { clopperPearson95, rateOf, regularisedBeta } from './interval.ts';

describe('regularised incomplete beta', () => {
  it('has the closed forms of small whole parameters', () => {
    expect(regularisedBeta(0.3, 1, 1)).toBeCloseTo(0.3, 14);
    expect(regularisedBeta(0.3, 2, 1)).toBeCloseTo(0.09, 14);
    expect(regularisedBeta(0.3, 1, 4)).toBeCloseTo(1 - 0.7 ** 4, 14);
    // I_x(2, 3) = 6x² − 8x³ + 3x⁴
    expect(regularisedBeta(0.4, 2, 3)).toBeCloseTo(6 * 0.16 - 8 * 0.064 + 3 * 0.0256, 14);
  });

  it('is the arcsine law at one half', () => {
    expect(regularisedBeta(0.2, 0.5, 0.5)).toBeCloseTo((2 / Math.PI) * Math.asin(Math.sqrt(0.2)), 13);
  });

  it('is one half at the middle of a symmetric distribution, also of a very narrow one', () => {
    expect(regularisedBeta(0.5, 100_000, 100_000)).toBeCloseTo(0.5, 9);
  });
});

describe('Clopper–Pearson interval', () => {
  // Values as printed in tables of exact binomial confidence limits (R: binom.test).
  it.each([
    [0, 10, 0, 0.3084971],
    [1, 10, 0.002528579, 0.4450161],
    [5, 10, 0.187086, 0.812914],
    [10, 10, 0.6915029, 1],
    [1, 100, 0.000253146, 0.05445939],
    [5, 100, 0.016432, 0.112835],
    [0, 480, 0, 0.00765566],
  ])('%i of %i', (errors, trials, low, high) => {
    const interval = clopperPearson95(errors, trials);
    expect(interval[0]).toBeCloseTo(low, 6);
    expect(interval[1]).toBeCloseTo(high, 6);
  });

  it('has the closed form of no error in very many trials', () => {
    const [low, high] = clopperPearson95(0, 385_000);
    expect(low).toBe(0);
    expect(high).toBeCloseTo(1 - 0.025 ** (1 / 385_000), 12);
  });

  it('agrees with the binomial tail sums that define it', () => {
    const [low, high] = clopperPearson95(9, 96_580);
    const poissonLike = (p: number, k: number) => {
      let term = (1 - p) ** 96_580;
      let sum = term;
      for (let i = 1; i <= k; i++) {
        term *= ((96_580 - i + 1) / i) * (p / (1 - p));
        sum += term;
      }
      return sum;
    };
    expect(1 - poissonLike(low, 8)).toBeCloseTo(0.025, 8);
    expect(poissonLike(high, 9)).toBeCloseTo(0.025, 8);
  });

  it('is no interval without trials', () => {
    expect(rateOf(0, 0)).toEqual({ errors: 0, trials: 0, rate: null, interval95: null });
  });
});
