/** What a process held after a batch of attempts, garbage collected. */
export interface MemorySample {
  /** Attempts made until then. */
  readonly attempts: number;
  /** Resident memory, bytes. */
  readonly rss: number;
  /** JavaScript's heap in use and what lies outside it on its behalf, bytes. */
  readonly live: number;
}

/** Least squares of bytes over attempts. */
export interface Trend {
  /** Bytes an attempt. */
  readonly slope: number;
  /** Half of the slope's 95 % confidence interval. */
  readonly margin: number;
  /** What the slope comes to over the attempts that were looked at, bytes. */
  readonly growth: number;
}

/** Growth that is told from none only by many more attempts: allocators keep what they were given in pieces. */
export interface FlatBounds {
  readonly rss: number;
  readonly live: number;
}

/** 4 MiB of resident memory and 512 KiB in use, over all attempts that were looked at. */
export const flatBounds: FlatBounds = { rss: 4 * 2 ** 20, live: 2 ** 19 };

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

/**
 * Flat: the slope's 95 % interval holds 0 or lies below it, or all that it comes to is under the bound. The first fifth is left out: caches
 * fill and functions are compiled.
 */
export function judgeFlatness(samples: readonly MemorySample[], bounds = flatBounds) {
  const settled = samples.slice(Math.ceil(samples.length / 5));
  const judge = (of: keyof FlatBounds) => {
    const trend = trendOf(settled.map((sample) => ({ x: sample.attempts, y: sample[of] })));
    return { ...trend, isFlat: trend.slope - trend.margin <= 0 || trend.growth <= bounds[of] };
  };
  const [rss, live] = [judge('rss'), judge('live')];
  return { rss, live, isFlat: rss.isFlat && live.isFlat };
}
