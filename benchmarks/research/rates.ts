const tiny = 1e-300;
const lanczos = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
] as const;

/** ln Γ(x) for x > 0, by Lanczos' approximation with g = 7 and 9 terms; relative error below 1e-14. */
function logGamma(x: number): number {
  const shifted = x - 1;
  const t = shifted + 7.5;
  const series = lanczos.reduce((sum, term, i) => (i === 0 ? term : sum + term / (shifted + i)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(series);
}

/** The continued fraction of DLMF 8.17.22, evaluated by Lentz's method as modified by Thompson and Barnett. */
function continuedFraction(x: number, a: number, b: number): number {
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

/** Regularised incomplete beta function I_x(a, b) (DLMF 8.17) for a, b > 0 and 0 ≤ x ≤ 1. */
export function regularisedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges quickly only below the mean; above it the symmetry I_x(a, b) = 1 − I_{1−x}(b, a) serves.
  return x < (a + 1) / (a + b + 2)
    ? (front * continuedFraction(x, a, b)) / a
    : 1 - (front * continuedFraction(1 - x, b, a)) / b;
}

/** The x with I_x(a, b) = probability: a quantile of the beta distribution, by bisection to the last bit. */
function betaQuantile(probability: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) return middle;
    if (regularisedBeta(middle, a, b) < probability) low = middle;
    else high = middle;
  }
}

/** An observed share with its exact 95 % interval. */
export interface Rate {
  readonly errors: number;
  readonly trials: number;
  /** errors ÷ trials; null without trials. */
  readonly rate: number | null;
  /** Clopper–Pearson, two-sided, 95 %; null without trials. Assumes independent trials. */
  readonly interval95: readonly [number, number] | null;
}

/**
 * Exact interval of a binomial proportion (Clopper and Pearson, Biometrika 26, 1934), two-sided, 95 %.
 * @param errors 0..trials
 * @param trials at least 1
 */
export function clopperPearson95(errors: number, trials: number): [number, number] {
  const low = errors === 0 ? 0 : betaQuantile(0.025, errors, trials - errors + 1);
  const high = errors === trials ? 1 : betaQuantile(0.975, errors + 1, trials - errors);
  return [low, high];
}

export function rateOf(errors: number, trials: number): Rate {
  if (trials === 0) return { errors, trials, rate: null, interval95: null };
  return { errors, trials, rate: errors / trials, interval95: clopperPearson95(errors, trials) };
}

/** Four significant digits; small values with an exponent. */
export const formatNumber = (value: number): string =>
  value === 0 ? '0' : value >= 0.001 ? Number(value.toPrecision(4)).toString() : value.toExponential(2);

/**
 * `0.0121 (12/993; 0.00626–0.0210)`, with the 95 % interval
 * @param people the interval by resampling people, shown beside the exact one; null if there is none
 */
export function describeRate(
  { errors, trials, rate, interval95 }: Rate,
  people?: readonly [number, number] | null,
): string {
  if (rate === null || interval95 === null) return 'no pairs';
  const resampled = people ? `; people ${range(people)}` : '';
  return `${formatNumber(rate)} (${errors}/${trials}; ${range(interval95)}${resampled})`;
}

const range = ([low, high]: readonly [number, number]): string => `${formatNumber(low)}–${formatNumber(high)}`;

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
