import { meanOf } from './summary.ts';

/** One row of a verification protocol, in the protocol's order. */
export interface ScoredPair {
  readonly same: boolean;
  /** Comparison score; null where one of the two photos could not be enrolled. */
  readonly score: number | null;
}

export interface TenFoldAccuracy {
  /** Mean over the ten folds; a pair that could not be compared counts as «different». */
  readonly mean: number;
  /** Standard error of that mean: sample deviation over √10. */
  readonly standardError: number;
  /** The same with every pair that could not be compared counted as wrong. */
  readonly meanFailuresWrong: number;
  readonly folds: readonly { readonly threshold: number; readonly accuracy: number }[];
}

const foldCount = 10;

/** The threshold with the most right answers; in case of ties, the middle of the first gap between two scores. */
function bestThreshold(pairs: readonly ScoredPair[]): number {
  const scored = pairs
    .filter((pair): pair is { same: boolean; score: number } => pair.score !== null)
    .sort((a, b) => a.score - b.score);
  // Below the lowest score everything is «same»; passing a pair on the way up turns it to «different».
  let right = scored.filter((pair) => pair.same).length;
  let best = right;
  let threshold = Number.NEGATIVE_INFINITY;
  for (const [i, pair] of scored.entries()) {
    right += pair.same ? -1 : 1;
    const next = scored[i + 1]?.score ?? Number.POSITIVE_INFINITY;
    if (next === pair.score || right <= best) continue;
    best = right;
    threshold = next === Number.POSITIVE_INFINITY ? next : (pair.score + next) / 2;
  }
  return threshold;
}

/**
 * Ten-fold accuracy of «Labeled Faces in the Wild» (Huang et al., UMass TR 07-49, 2007), view 2: each of ten
 * consecutive tenths of the list is judged with the threshold that is best on the other nine.
 * @param pairs a multiple of ten, in the order of the protocol's list
 */
export function tenFoldAccuracy(pairs: readonly ScoredPair[]): TenFoldAccuracy {
  const size = pairs.length / foldCount;
  const folds = Array.from({ length: foldCount }, (_, fold) => {
    const inside = (i: number) => Math.floor(i / size) === fold;
    const threshold = bestThreshold(pairs.filter((_pair, i) => !inside(i)));
    const held = pairs.filter((_pair, i) => inside(i));
    const right = held.filter((pair) => (pair.score !== null && pair.score >= threshold) === pair.same).length;
    const failedRight = held.filter((pair) => pair.score === null && !pair.same).length;
    return { threshold, accuracy: right / size, failuresWrong: (right - failedRight) / size };
  });
  const mean = meanOf(folds.map((fold) => fold.accuracy));
  const variance = folds.reduce((sum, fold) => sum + (fold.accuracy - mean) ** 2, 0) / (foldCount - 1);
  return {
    mean,
    standardError: Math.sqrt(variance / foldCount),
    meanFailuresWrong: meanOf(folds.map((fold) => fold.failuresWrong)),
    folds: folds.map(({ threshold, accuracy }) => ({ threshold, accuracy })),
  };
}
