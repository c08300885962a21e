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

/** How many of the sorted scores lie below the threshold, so that they are refused. */
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
