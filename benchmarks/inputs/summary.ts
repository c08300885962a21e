export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const ascending = (values: ArrayLike<number>): Float64Array => Float64Array.from(values).sort();

/** The value at a share of 0..1 of the sorted values, interpolated between neighbours; NaN without values. */
export function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = ascending(values);
  const position = (sorted.length - 1) * share;
  const low = sorted[Math.floor(position)] ?? Number.NaN;
  const high = sorted[Math.ceil(position)] ?? Number.NaN;
  return low + (high - low) * (position - Math.floor(position));
}

export const median = (values: ArrayLike<number>): number => quantile(values, 0.5);

/**
 * The smallest value with at least this share (0..1) of the values at or below it: always one of them; NaN without
 * values.
 */
export function rankQuantile(values: ArrayLike<number>, share: number): number {
  const sorted = ascending(values);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Share of the values at or above a limit; 0 without values. */
export const shareAbove = (values: readonly number[], limit: number): number =>
  values.filter((value) => value >= limit).length / Math.max(1, values.length);

/** A line by least squares. */
export interface Trend {
  readonly slope: number;
  /** Half of the slope's 95 % confidence interval. */
  readonly margin: number;
  /** Total change from the first x to the last. */
  readonly growth: number;
}

/** Student's t for a two-sided 95 %, by degrees of freedom; from 30 on within 5 % of 1.96 and taken as 2.04. */
const studentT = [
  12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045,
];

/** @throws RangeError for fewer than four samples */
export function trendOf(samples: readonly { readonly x: number; readonly y: number }[]): Trend {
  const n = samples.length;
  if (n < 4) throw new RangeError('a trend needs four samples');
  const meanX = samples.reduce((sum, { x }) => sum + x, 0) / n;
  const meanY = samples.reduce((sum, { y }) => sum + y, 0) / n;
  const spread = samples.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  const slope = samples.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const residual = samples.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  const margin = (studentT[n - 3] ?? 2.04) * Math.sqrt(residual / (n - 2) / spread);
  const span = (samples.at(-1)?.x ?? 0) - (samples[0]?.x ?? 0);
  return { slope, margin, growth: slope * span };
}
