/** Two rows of a gallery whose comparison score reaches the threshold although they are two people. */
export type FalseMatch = readonly [number, number];

/** Mulberry32: a full-period 32-bit generator; the interval must come out the same at every run. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * 95 % percentile interval of the false match rate over all pairs of a gallery, resampling people instead of pairs: pairs
 * that share a person are not independent, which the binomial interval supposes (Bolle et al., «Confidence interval
 * measurement in performance analysis of biometrics systems using the bootstrap», AutoID 1999).
 * @param people photos in the gallery, one a person, at least 2
 * @returns null without a false match: then resampling says nothing
 */
export function personBootstrap95(
  people: number,
  falseMatches: readonly FalseMatch[],
  rounds = 2000,
): [number, number] | null {
  if (falseMatches.length === 0 || people < 2) return null;
  const random = generator(people);
  const rates = Float64Array.from({ length: rounds }, () => {
    const drawn = new Uint32Array(people);
    for (let i = 0; i < people; i++) {
      const person = Math.floor(random() * people);
      drawn[person] = (drawn[person] ?? 0) + 1;
    }
    const weight = (row: number) => drawn[row] ?? 0;
    const errors = falseMatches.reduce((sum, [left, right]) => sum + weight(left) * weight(right), 0);
    // Pairs of two different people among the drawn: all ordered pairs less those of a person with itself, halved.
    const pairs = (people ** 2 - drawn.reduce((sum, count) => sum + count ** 2, 0)) / 2;
    return errors / pairs;
  }).sort();
  const quantile = (q: number) => rates[Math.min(rounds - 1, Math.floor(q * rounds))] ?? 0;
  return [quantile(0.025), quantile(0.975)];
}
