import { rankQuantile } from '../inputs/summary.ts';

/** Mulberry32: a full-period 32-bit generator, 0 ≤ x < 1. Seeded, so that intervals are deterministic. */
export function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** How often each of `people` is drawn in a sample with replacement of the same size. */
function resample(people: number, random: () => number): Uint32Array {
  const drawn = new Uint32Array(people);
  for (let i = 0; i < people; i++) {
    const person = Math.floor(random() * people);
    drawn[person] = (drawn[person] ?? 0) + 1;
  }
  return drawn;
}

/** The middle 95 % of a figure over `rounds` samples of people. */
function resampled95(people: number, rounds: number, figure: (drawn: Uint32Array) => number): [number, number] {
  const random = generator(people);
  const figures = Float64Array.from({ length: rounds }, () => figure(resample(people, random)));
  return [rankQuantile(figures, 0.025), rankQuantile(figures, 0.975)];
}

/** Two rows of a gallery, of different people, whose comparison score reaches the threshold. */
export type FalseMatch = readonly [number, number];

/**
 * 95 % percentile interval of the false match rate over all pairs of a gallery, resampling people instead of pairs:
 * pairs that share a person are not independent, as the binomial interval assumes (Bolle et al., “Confidence interval
 * measurement in performance analysis of biometrics systems using the bootstrap”, AutoID 1999).
 * @param people photos in the gallery, one per person, at least 2
 * @returns null without a false match, when resampling gives no information
 */
export function personBootstrap95(
  people: number,
  falseMatches: readonly FalseMatch[],
  rounds = 2000,
): [number, number] | null {
  if (falseMatches.length === 0 || people < 2) return null;
  return resampled95(people, rounds, (drawn) => {
    const weight = (row: number) => drawn[row] ?? 0;
    const errors = falseMatches.reduce((sum, [left, right]) => sum + weight(left) * weight(right), 0);
    // Pairs of two different drawn people: all ordered pairs minus those of a person with itself, halved.
    const pairs = (people ** 2 - drawn.reduce((sum, count) => sum + count ** 2, 0)) / 2;
    return errors / pairs;
  });
}

/** Comparisons between two people or of one person's own photos, and how many were errors. */
export interface PeopleCell {
  /** 0 … people − 1; the same twice for genuine comparisons. */
  readonly people: readonly [number, number];
  readonly errors: number;
  readonly trials: number;
}

/** Comparisons grouped by the two people. */
export function peopleCells(
  comparisons: Iterable<{ readonly people: readonly [number, number]; readonly isError: boolean }>,
): PeopleCell[] {
  const cells = new Map<string, { people: readonly [number, number]; errors: number; trials: number }>();
  for (const { people, isError } of comparisons) {
    const [a, b] = people;
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const cell = cells.get(key) ?? { people, errors: 0, trials: 0 };
    cell.errors += Number(isError);
    cell.trials += 1;
    cells.set(key, cell);
  }
  return [...cells.values()];
}

/**
 * 95 % percentile interval of an error rate, resampling people instead of comparisons: those that share a person are
 * not independent, as the binomial interval assumes. A comparison counts as often as its people are drawn together.
 * @returns null without an error or a second person, when resampling gives no information
 */
export function peopleBootstrap95(cells: readonly PeopleCell[], rounds = 2000): [number, number] | null {
  const people = 1 + cells.reduce((most, cell) => Math.max(most, ...cell.people), 0);
  if (people < 2 || cells.every(({ errors }) => errors === 0)) return null;
  return resampled95(people, rounds, (drawn) => {
    let [errors, trials] = [0, 0];
    for (const cell of cells) {
      const [a, b] = cell.people;
      const weight = a === b ? (drawn[a] ?? 0) : (drawn[a] ?? 0) * (drawn[b] ?? 0);
      errors += weight * cell.errors;
      trials += weight * cell.trials;
    }
    return trials === 0 ? 0 : errors / trials;
  });
}

/** One genuine pair as judged by two engines. */
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
  /**
   * The first's false non-match rate minus the second's, 95 % percentile interval over resampled people; above 0 the
   * second is better.
   */
  readonly interval95: readonly [number, number];
}

/**
 * Compares two engines on the same genuine pairs. People are resampled, since pairs of one person are not independent.
 * @throws RangeError without pairs
 */
export function pairedDifference(outcomes: readonly PairedOutcome[], rounds = 4000): PairedDifference {
  const people = 1 + Math.max(...outcomes.map(({ person }) => person));
  if (outcomes.length === 0) throw new RangeError('there are no pairs');
  const pairs = new Float64Array(people);
  const excess = new Float64Array(people);
  for (const { person, firstMissed, secondMissed } of outcomes) {
    pairs[person] = (pairs[person] ?? 0) + 1;
    excess[person] = (excess[person] ?? 0) + Number(firstMissed) - Number(secondMissed);
  }
  const interval95 = resampled95(people, rounds, (drawn) => {
    let [sum, count] = [0, 0];
    drawn.forEach((times, person) => {
      sum += times * (excess[person] ?? 0);
      count += times * (pairs[person] ?? 0);
    });
    return count === 0 ? 0 : sum / count;
  });
  return {
    pairs: outcomes.length,
    onlyFirstMissed: outcomes.filter((o) => o.firstMissed && !o.secondMissed).length,
    onlySecondMissed: outcomes.filter((o) => o.secondMissed && !o.firstMissed).length,
    interval95,
  };
}
