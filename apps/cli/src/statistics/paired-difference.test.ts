import { expect, it } from 'vitest';
import { type PairedOutcome, pairedDifference } from './paired-difference.ts';

const people = 30;
const outcomes = (of: (person: number, pair: number) => readonly [boolean, boolean]): PairedOutcome[] =>
  Array.from({ length: people * 10 }, (_, i) => {
    const person = Math.floor(i / 10);
    const [firstMissed, secondMissed] = of(person, i % 10);
    return { person, firstMissed, secondMissed };
  });

it('counts what one alone misses, and its interval holds the difference', () => {
  const found = pairedDifference(outcomes((person, pair) => [pair < 2, pair === 1 || (person === 0 && pair === 9)]));
  expect([found.pairs, found.onlyFirstMissed, found.onlySecondMissed]).toEqual([300, 30, 1]);
  expect(found.interval95[0]).toBeLessThanOrEqual(29 / 300);
  expect(found.interval95[1]).toBeGreaterThanOrEqual(29 / 300);
  expect(found.interval95[0]).toBeGreaterThan(0.08);
});

it('is nothing between equals, and the same at every run', () => {
  const equal = outcomes((person) => [person % 3 === 0, person % 3 === 0]);
  expect(pairedDifference(equal).interval95).toEqual([0, 0]);
  const noisy = outcomes((person, pair) => [(person + pair) % 7 === 0, (person * pair) % 5 === 1]);
  expect(pairedDifference(noisy)).toEqual(pairedDifference(noisy));
});

it('is as wide as people make it: one person’s misses say little', () => {
  const { interval95 } = pairedDifference(outcomes((person) => [person === 4, false]));
  expect(interval95[0]).toBe(0);
  expect(interval95[1]).toBeGreaterThan(0.05);
});

it('needs pairs', () => {
  expect(() => pairedDifference([])).toThrow(RangeError);
});
