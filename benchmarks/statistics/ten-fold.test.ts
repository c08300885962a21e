import { describe, expect, it } from 'vitest';
import { type ScoredPair, tenFoldAccuracy } from './ten-fold.ts';

/** A hundred pairs, ten a fold, genuine ones first in each fold as in LFW's own list. */
const protocol = (score: (same: boolean, fold: number, i: number) => number | null): ScoredPair[] =>
  Array.from({ length: 100 }, (_, row) => {
    const same = row % 10 < 5;
    return { same, score: score(same, Math.floor(row / 10), row % 5) };
  });

describe('ten-fold accuracy', () => {
  it('is 1 with no error bar when the scores separate', () => {
    const result = tenFoldAccuracy(protocol((same) => (same ? 0.9 : 0.1)));
    expect(result.mean).toBe(1);
    expect(result.standardError).toBe(0);
    expect(result.folds[0]?.threshold).toBeCloseTo(0.5, 14);
  });

  it('takes each threshold from the other nine folds', () => {
    // Fold 0 lies on another scale: the threshold of the others refuses its genuine pairs and its own knowledge is not
    // used.
    const result = tenFoldAccuracy(protocol((same, fold) => (fold === 0 ? (same ? 0.2 : 0.1) : same ? 0.9 : 0.3)));
    expect(result.folds[0]?.accuracy).toBe(0.5);
    // In the others the impostors at 0.3 outweigh fold 0's genuine pairs at 0.2.
    expect(result.folds.slice(1).every((fold) => fold.accuracy === 1)).toBe(true);
    expect(result.mean).toBeCloseTo(0.95, 14);
    // Deviations: one of −0.45, nine of 0.05; variance 0.225 / 9 = 0.025.
    expect(result.standardError).toBeCloseTo(Math.sqrt(0.025 / 10), 14);
  });

  it('answers «different» where a photo could not be enrolled, and says what it would be as an error', () => {
    const result = tenFoldAccuracy(protocol((same, fold, i) => (fold === 3 && i === 0 ? null : same ? 0.9 : 0.1)));
    expect(result.folds[3]?.accuracy).toBeCloseTo(0.9, 14);
    expect(result.mean).toBeCloseTo(0.99, 14);
    expect(result.meanFailuresWrong).toBeCloseTo(0.98, 14);
  });
});
