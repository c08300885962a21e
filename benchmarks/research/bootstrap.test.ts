import { describe, expect, it } from 'vitest';
import {
  type FalseMatch,
  type PairedOutcome,
  type PeopleCell,
  pairedDifference,
  peopleBootstrap95,
  peopleCells,
  personBootstrap95,
} from './bootstrap.ts';
import { clopperPearson95 } from './rates.ts';

describe('resampling the people of a gallery', () => {
  const pairs = (400 * 399) / 2;

  it('contains the observed rate, and is null without a false match', () => {
    const scattered: FalseMatch[] = Array.from({ length: 10 }, (_, i) => [2 * i, 2 * i + 1]);
    const [low, high] = personBootstrap95(400, scattered) ?? [1, 0];
    expect(low).toBeLessThan(10 / pairs);
    expect(high).toBeGreaterThan(10 / pairs);
    expect(personBootstrap95(400, scattered)).toEqual([low, high]);
    expect(personBootstrap95(400, [])).toBeNull();
  });

  it('widens if one person causes all false matches, which the binomial interval ignores', () => {
    const oneLookalike: FalseMatch[] = Array.from({ length: 10 }, (_, i) => [0, i + 1]);
    const [low, high] = personBootstrap95(400, oneLookalike) ?? [1, 0];
    expect(high).toBeGreaterThan(clopperPearson95(10, pairs)[1]);
    expect(low).toBe(0);
  });
});

describe('resampling the people of comparisons', () => {
  const genuine = (errorsOf: (person: number) => number): PeopleCell[] =>
    Array.from({ length: 40 }, (_, person) => ({ people: [person, person], errors: errorsOf(person), trials: 45 }));

  it('is wider if one person makes all the errors', () => {
    const [low, high] = peopleBootstrap95(genuine((person) => (person === 3 ? 20 : 0))) ?? [1, 0];
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(clopperPearson95(20, 1800)[1]);
  });

  it('agrees with the interval of a gallery with all pairs', () => {
    const people = 60;
    const pairs = [0, 10, 20, 30, 40, 50].map((a) => [a, a + 1] as const);
    const cells: PeopleCell[] = [];
    for (let a = 0; a < people; a++) {
      for (let b = a + 1; b < people; b++) {
        cells.push({ people: [a, b], errors: a % 10 === 0 && b === a + 1 ? 1 : 0, trials: 1 });
      }
    }
    const [expected, found] = [personBootstrap95(people, pairs), peopleBootstrap95(cells)];
    expect(found?.[0]).toBeCloseTo(expected?.[0] ?? Number.NaN, 12);
    expect(found?.[1]).toBeCloseTo(expected?.[1] ?? Number.NaN, 12);
  });

  it('is null without an error or with one person', () => {
    expect(peopleBootstrap95(genuine(() => 0))).toBeNull();
    expect(peopleBootstrap95([{ people: [0, 0], errors: 1, trials: 2 }])).toBeNull();
  });
});

it('groups comparisons by people, in either order', () => {
  const comparisons = [
    { people: [0, 1], isError: true },
    { people: [1, 0], isError: false },
    { people: [1, 1], isError: true },
  ] as const;
  expect(peopleCells(comparisons)).toEqual([
    { people: [0, 1], errors: 1, trials: 2 },
    { people: [1, 1], errors: 1, trials: 1 },
  ]);
});

describe('two engines on the same pairs', () => {
  const outcomes = (of: (person: number, pair: number) => readonly [boolean, boolean]): PairedOutcome[] =>
    Array.from({ length: 300 }, (_, i) => {
      const [firstMissed, secondMissed] = of(Math.floor(i / 10), i % 10);
      return { person: Math.floor(i / 10), firstMissed, secondMissed };
    });

  it('counts what only one of them refuses, and its interval contains the difference', () => {
    const found = pairedDifference(outcomes((person, pair) => [pair < 2, pair === 1 || (person === 0 && pair === 9)]));
    expect([found.pairs, found.onlyFirstMissed, found.onlySecondMissed]).toEqual([300, 30, 1]);
    expect(found.interval95[0]).toBeLessThanOrEqual(29 / 300);
    expect(found.interval95[0]).toBeGreaterThan(0.08);
    expect(found.interval95[1]).toBeGreaterThanOrEqual(29 / 300);
  });

  it('depends on people: one person’s refusals count little', () => {
    const { interval95 } = pairedDifference(outcomes((person) => [person === 4, false]));
    expect(interval95[0]).toBe(0);
    expect(interval95[1]).toBeGreaterThan(0.05);
  });
});
