import { type Rate, rateOf } from './interval.ts';

/** Comparison scores by ground truth, each sorted in ascending order. Higher means more alike; NaN never occurs. */
export interface ScoreSets {
  /** Pairs of one person. */
  readonly genuine: Float64Array;
  /** Pairs of two people. */
  readonly impostor: Float64Array;
}

export function scoreSets(genuine: Iterable<number>, impostor: Iterable<number>): ScoreSets {
  return { genuine: Float64Array.from(genuine).sort(), impostor: Float64Array.from(impostor).sort() };
}

/** How many of the sorted scores are below the threshold, and so refused. */
export function countBelow(sorted: Float64Array, threshold: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) < threshold) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The smallest double above a finite one: the least threshold that refuses `value`. */
export function nextAbove(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(1);
  const view = new Float64Array(bits.buffer);
  view[0] = value;
  bits[0] = (bits[0] ?? 0n) + (value > 0 ? 1n : -1n);
  return view[0] ?? value;
}

/**
 * Error rates at a threshold: ISO/IEC 19795-1, over the comparisons that were made. A score at the threshold matches.
 */
export interface OperatingPoint {
  readonly threshold: number;
  /** False match rate: impostor pairs at or above the threshold. */
  readonly fmr: Rate;
  /** False non-match rate: genuine pairs below it. */
  readonly fnmr: Rate;
}

export function operatingPoint(scores: ScoreSets, threshold: number): OperatingPoint {
  const { genuine, impostor } = scores;
  return {
    threshold,
    fmr: rateOf(impostor.length - countBelow(impostor, threshold), impostor.length),
    fnmr: rateOf(countBelow(genuine, threshold), genuine.length),
  };
}

/**
 * The lowest threshold whose observed false match rate does not exceed the target: just above the impostor score that
 * would be one too many, with all that tie with it.
 * @param target 0..1
 * @returns null without impostor scores
 */
export function thresholdAtFmr(scores: ScoreSets, target: number): number | null {
  const { impostor } = scores;
  const lowest = impostor[0];
  if (lowest === undefined) return null;
  // 1e-9 corrects products such as 0.0001 × 30 000, which come out just below the whole number.
  const allowed = Math.floor(target * impostor.length + 1e-9);
  const refused = impostor[impostor.length - allowed - 1];
  return refused === undefined ? lowest : nextAbove(refused);
}

/**
 * Area under the ROC curve: the probability that a genuine pair outscores an impostor pair, ties counted half
 * (Mann–Whitney).
 */
export function areaUnderRoc(scores: ScoreSets): number | null {
  const { genuine, impostor } = scores;
  if (genuine.length === 0 || impostor.length === 0) return null;
  let wins = 0;
  for (const score of genuine) {
    const below = countBelow(impostor, score);
    const tied = countBelow(impostor, nextAbove(score)) - below;
    wins += below + tied / 2;
  }
  return wins / (genuine.length * impostor.length);
}

export interface EqualErrorRate {
  readonly eer: number;
  /** Where the two rates come closest. */
  readonly threshold: number;
}

/**
 * Equal error rate: where the line through neighbouring points of the observed (fmr, fnmr) curve crosses fmr = fnmr.
 * @returns null without genuine or without impostor scores
 */
export function equalErrorRate(scores: ScoreSets): EqualErrorRate | null {
  const { genuine, impostor } = scores;
  const highest = Math.max(genuine.at(-1) ?? Number.NaN, impostor.at(-1) ?? Number.NaN);
  if (Number.isNaN(highest)) return null;
  const thresholds = [...new Set([...genuine, ...impostor, nextAbove(highest)])].sort((a, b) => a - b);
  const at = (threshold: number) => ({
    threshold,
    fmr: (impostor.length - countBelow(impostor, threshold)) / impostor.length,
    fnmr: countBelow(genuine, threshold) / genuine.length,
  });
  // From the lowest threshold (fmr 1, fnmr 0) upwards fmr only falls and fnmr only grows: bisect for the crossing.
  let low = 0;
  let high = thresholds.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    const point = at(thresholds[middle] ?? highest);
    if (point.fmr > point.fnmr) low = middle;
    else high = middle;
  }
  const before = at(thresholds[low] ?? highest);
  const after = at(thresholds[high] ?? highest);
  const gapBefore = before.fmr - before.fnmr;
  const gapAfter = after.fnmr - after.fmr;
  const share = gapBefore + gapAfter === 0 ? 0 : gapBefore / (gapBefore + gapAfter);
  return {
    eer: before.fnmr + share * (after.fnmr - before.fnmr),
    threshold: gapBefore < gapAfter ? before.threshold : after.threshold,
  };
}
