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
