import { generator, percentiles95, resample } from './random.ts';

/** One genuine pair as two engines judge it. */
export interface PairedOutcome {
  /** Whose two photos these are, 0 … people − 1. */
  readonly person: number;
  readonly firstMissed: boolean;
  readonly secondMissed: boolean;
}

/** Whether one engine refuses fewer genuine pairs than another. */
export interface PairedDifference {
  readonly pairs: number;
  readonly onlyFirstMissed: number;
  readonly onlySecondMissed: number;
  /** The first's false non-match rate less the second's, 95 % percentile interval over resampled people; above 0 the second is better. */
  readonly interval95: readonly [number, number];
}

/** Compares two engines on the same genuine pairs. People are resampled, since pairs of one person are not independent. @throws RangeError without pairs */
export function pairedDifference(outcomes: readonly PairedOutcome[], rounds = 4000): PairedDifference {
  const people = 1 + Math.max(...outcomes.map(({ person }) => person));
  if (outcomes.length === 0) throw new RangeError('there are no pairs');
  const pairs = new Float64Array(people);
  const excess = new Float64Array(people);
  for (const { person, firstMissed, secondMissed } of outcomes) {
    pairs[person] = (pairs[person] ?? 0) + 1;
    excess[person] = (excess[person] ?? 0) + Number(firstMissed) - Number(secondMissed);
  }
  const random = generator(people);
  const differences = Float64Array.from({ length: rounds }, () => {
    let [sum, count] = [0, 0];
    resample(people, random).forEach((times, person) => {
      sum += times * (excess[person] ?? 0);
      count += times * (pairs[person] ?? 0);
    });
    return count === 0 ? 0 : sum / count;
  });
  return {
    pairs: outcomes.length,
    onlyFirstMissed: outcomes.filter((o) => o.firstMissed && !o.secondMissed).length,
    onlySecondMissed: outcomes.filter((o) => o.secondMissed && !o.firstMissed).length,
    interval95: percentiles95(differences),
  };
}
