import { describe, expect, it } from 'vitest';
import { clopperPearson95 } from './interval.ts';
import { type PeopleCell, peopleBootstrap95, peopleCells } from './people-bootstrap.ts';
import { personBootstrap95 } from './person-bootstrap.ts';

const genuine = (errorsOf: (person: number) => number): PeopleCell[] =>
  Array.from({ length: 40 }, (_, person) => ({ people: [person, person], errors: errorsOf(person), trials: 45 }));

describe('resampling people', () => {
  it('holds the observed rate', () => {
    const [low, high] = peopleBootstrap95(genuine((person) => person % 2)) ?? [1, 0];
    expect(low).toBeLessThan(20 / 1800);
    expect(high).toBeGreaterThan(20 / 1800);
  });

  it('is wider where one person makes all the errors', () => {
    const [low, high] = peopleBootstrap95(genuine((person) => (person === 3 ? 20 : 0))) ?? [1, 0];
    expect(low).toBe(0);
    expect(high).toBeGreaterThan(clopperPearson95(20, 1800)[1]);
  });

  it('agrees with the interval of a gallery, where everybody is compared with everybody', () => {
    const people = 60;
    const cells: PeopleCell[] = [];
    for (let a = 0; a < people; a++) {
      for (let b = a + 1; b < people; b++) {
        cells.push({ people: [a, b], errors: a % 10 === 0 && b === a + 1 ? 1 : 0, trials: 1 });
      }
    }
    const pairs = [0, 10, 20, 30, 40, 50].map((a) => [a, a + 1] as const);
    const [expected, found] = [personBootstrap95(people, pairs), peopleBootstrap95(cells)];
    expect(found?.[0]).toBeCloseTo(expected?.[0] ?? Number.NaN, 12);
    expect(found?.[1]).toBeCloseTo(expected?.[1] ?? Number.NaN, 12);
  });

  it('comes out the same at every run, and says nothing without an error or with one person', () => {
    const cells = genuine((person) => person % 3);
    expect(peopleBootstrap95(cells)).toEqual(peopleBootstrap95(cells));
    expect(peopleBootstrap95(genuine(() => 0))).toBeNull();
    expect(peopleBootstrap95([{ people: [0, 0], errors: 1, trials: 2 }])).toBeNull();
    expect(peopleBootstrap95([])).toBeNull();
  });
});

it('puts comparisons together by people, whichever comes first', () => {
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
