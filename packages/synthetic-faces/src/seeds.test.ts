import { describe, expect, it } from 'vitest';
import { identitySeed, publishedIdentityCount } from './index.ts';

describe('identitySeed', () => {
  it('publishes at least 200 different seeds', () => {
    expect(publishedIdentityCount).toBeGreaterThanOrEqual(200);
    const seeds = Array.from({ length: publishedIdentityCount }, (_, i) => identitySeed(i));
    expect(new Set(seeds).size).toBe(publishedIdentityCount);
    expect(seeds.every((seed) => Number.isInteger(seed) && seed > 0)).toBe(true);
  });

  it.each([-1, 0.5, 100_000, Number.NaN])('refuses index %s', (index) => {
    expect(() => identitySeed(index)).toThrow(RangeError);
  });
});
