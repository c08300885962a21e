import { type Rate, rateOf } from '@svc/benchmarks/statistics/interval';
import type { FaceLimits } from '@svc/face-models';
import { type Degradation, type DegradationName, type DegradedPicture, degradations } from './degraded.ts';

/** Calculation of a recipe's numbers from measurements (docs/cli.md). */

/** Rounds up to three decimals. A value that already has three stays, despite floating-point error. */
export const upAtThirdDecimal = (value: number): number => Math.ceil(value * 1000 - 1e-6) / 1000;

/** The larger of the thresholds for the target rate on half of the portraits and on all. */
export const thresholdRule = (onOdd: number, onAll: number): number => upAtThirdDecimal(Math.max(onOdd, onAll));

/** The share of genuine comparisons of a turned face that must match. */
export const turnedShare = 0.99;

/**
 * The smallest margin, at least 0, below the threshold at which that share matches.
 * @param genuine cosines of turned faces to their own frontal references
 * @throws RangeError for an empty list
 */
export function turnedMarginRule(genuine: readonly number[], threshold: number): number {
  const sorted = [...genuine].sort((a, b) => a - b);
  // 1e-9 corrects products just below a whole number.
  const needed = sorted[Math.floor((1 - turnedShare) * sorted.length + 1e-9)];
  if (needed === undefined) throw new RangeError('there are no comparisons');
  return Math.max(0, upAtThirdDecimal(threshold - needed));
}

/** Comparisons whose degraded photo's quality lies in a bin. */
export interface QualityBin {
  readonly from: number;
  readonly to: number;
  /** `errors` are the matches. */
  readonly matched: Rate;
}

/** Matches among all comparisons of some pictures; pictures without a face are left out. */
export function matchedShare(pictures: readonly DegradedPicture[]): Rate {
  const seen = pictures.filter(({ quality }) => quality !== null);
  return rateOf(
    seen.reduce((sum, { matched }) => sum + matched, 0),
    seen.reduce((sum, { compared }) => sum + compared, 0),
  );
}

export const undegraded = (pictures: readonly DegradedPicture[]): Rate =>
  matchedShare(pictures.filter(({ degradation }) => degradation === null));

/** By the measured quality of the degraded photo, ascending; bins without a comparison are left out. */
export function qualityBins(pictures: readonly DegradedPicture[], name: DegradationName): QualityBin[] {
  const { measure }: Degradation = degradations[name];
  if (measure === null) return [];
  return measure.edges.slice(1).flatMap((to, i) => {
    const from = measure.edges[i] ?? Number.NaN;
    const isLast = i === measure.edges.length - 2;
    const inside = pictures.filter(({ degradation, quality }) => {
      const value = quality?.[measure.name] ?? Number.NaN;
      return degradation === name && value >= from && (value < to || (isLast && value <= to));
    });
    const matched = matchedShare(inside);
    return matched.trials === 0 ? [] : [{ from, to, matched }];
  });
}

/** Maximum loss of matches, and the minimum number of comparisons per bin. */
export const limitRule = { fall: 0.05, leastComparisons: 40 } as const;

/**
 * The worst quality that costs at most five percentage points of the matches. Goes through the bins from good to bad,
 * skipping those with too few comparisons, and returns the far edge of the last bin before one that costs more.
 * @param isLeast whether higher values are better
 * @returns null if even the best bin costs more
 */
export function limitOf(bins: readonly QualityBin[], base: number, isLeast: boolean): number | null {
  const fromGood = isLeast ? [...bins].reverse() : bins;
  let limit: number | null = null;
  for (const { from, to, matched } of fromGood) {
    if (matched.trials < limitRule.leastComparisons) continue;
    if ((matched.rate ?? 0) < base - limitRule.fall) break;
    limit = isLeast ? from : to;
  }
  return limit;
}

/** Whether higher values of a quality are better. */
export const isLeastLimit = (name: keyof FaceLimits): boolean => name !== 'overexposed';
