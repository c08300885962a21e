import { generator, percentiles95, resample } from './random.ts';

/** Two rows of a gallery whose comparison score reaches the threshold although they are two people. */
export type FalseMatch = readonly [number, number];

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
    const drawn = resample(people, random);
    const weight = (row: number) => drawn[row] ?? 0;
    const errors = falseMatches.reduce((sum, [left, right]) => sum + weight(left) * weight(right), 0);
    // Pairs of two different people among the drawn: all ordered pairs less those of a person with itself, halved.
    const pairs = (people ** 2 - drawn.reduce((sum, count) => sum + count ** 2, 0)) / 2;
    return errors / pairs;
  });
  return percentiles95(rates);
}
