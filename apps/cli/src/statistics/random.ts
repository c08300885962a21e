/** Mulberry32: a full-period 32-bit generator, 0 ≤ x < 1; an interval must come out the same at every run. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How often each of `people` is drawn when as many are drawn with replacement. */
export function resample(people: number, random: () => number): Uint32Array {
  const drawn = new Uint32Array(people);
  for (let i = 0; i < people; i++) {
    const person = Math.floor(random() * people);
    drawn[person] = (drawn[person] ?? 0) + 1;
  }
  return drawn;
}

/** The middle 95 % of values, which are sorted here. */
export function percentiles95(values: Float64Array): [number, number] {
  const sorted = values.sort();
  const quantile = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
  return [quantile(0.025), quantile(0.975)];
}
