import { generator, percentiles95, resample } from './random.ts';

/** Comparisons between two people, or of one person's photos with each other, and how many of them erred. */
export interface PeopleCell {
  /** 0 … people − 1; the same twice for genuine comparisons. */
  readonly people: readonly [number, number];
  readonly errors: number;
  readonly trials: number;
}

/** Comparisons put together by whose photos they compare. */
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
 * 95 % percentile interval of an error rate, resampling people instead of comparisons: those that share a person are not independent, which the
 * binomial interval supposes. A comparison of two people counts as often as both are drawn together, one of a person's own photos as often as that
 * person is.
 * @returns null without an error or without a second person: then resampling says nothing
 */
export function peopleBootstrap95(cells: readonly PeopleCell[], rounds = 2000): [number, number] | null {
  const people = 1 + cells.reduce((most, cell) => Math.max(most, ...cell.people), 0);
  if (people < 2 || cells.every(({ errors }) => errors === 0)) return null;
  const random = generator(people);
  const rates = Float64Array.from({ length: rounds }, () => {
    const drawn = resample(people, random);
    let [errors, trials] = [0, 0];
    for (const cell of cells) {
      const [a, b] = cell.people;
      const weight = a === b ? (drawn[a] ?? 0) : (drawn[a] ?? 0) * (drawn[b] ?? 0);
      errors += weight * cell.errors;
      trials += weight * cell.trials;
    }
    return trials === 0 ? 0 : errors / trials;
  });
  return percentiles95(rates);
}
