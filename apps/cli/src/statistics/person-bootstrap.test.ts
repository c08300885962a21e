import { describe, expect, it } from 'vitest';
import { clopperPearson95 } from './interval.ts';
import { type FalseMatch, personBootstrap95 } from './person-bootstrap.ts';

describe('person bootstrap', () => {
  const scattered: FalseMatch[] = Array.from({ length: 10 }, (_, i) => [2 * i, 2 * i + 1]);
  const oneLookalike: FalseMatch[] = Array.from({ length: 10 }, (_, i) => [0, i + 1]);

  it('contains the observed rate', () => {
    const [low, high] = personBootstrap95(400, scattered) ?? [1, 0];
    const observed = 10 / ((400 * 399) / 2);
    expect(low).toBeLessThan(observed);
    expect(high).toBeGreaterThan(observed);
  });

  it('widens when one person causes all false matches, which the binomial interval cannot see', () => {
    const pairs = (400 * 399) / 2;
    const [low, high] = personBootstrap95(400, oneLookalike) ?? [1, 0];
    const binomial = clopperPearson95(10, pairs);
    expect(high).toBeGreaterThan(binomial[1]);
    expect(low).toBe(0);
  });

  it('comes out the same at every run', () => {
    expect(personBootstrap95(50, scattered)).toEqual(personBootstrap95(50, scattered));
  });

  it('says nothing without a false match', () => {
    expect(personBootstrap95(400, [])).toBeNull();
  });
});
