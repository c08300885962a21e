import { describe, expect, it } from 'vitest';
import { defaultSpread, traitsOf } from './traits.ts';
import { firstWideSeed, identitySeed, publishedIdentityCount, wideSpread } from './wide-people.ts';

it('a person’s spread scales the distance from the average and changes nothing else', () => {
  const [usual, asPeople, wide] = [0, 1, defaultSpread].map((spread) => traitsOf(12_021, spread));
  const { faceWidth: middle = 0 } = usual?.shape ?? {};
  const [near, far] = [asPeople, wide].map((traits) => (traits?.shape.faceWidth ?? 0) - middle);
  expect((far ?? 0) / (near ?? 1)).toBeCloseTo(defaultSpread, 6);
  expect({ ...asPeople, shape: null, spread: null }).toEqual({ ...wide, shape: null, spread: null });
});

it('wide people start at a fixed seed, below which everybody is unchanged', () => {
  const [usual, wide] = [traitsOf(firstWideSeed - 1), traitsOf(firstWideSeed)];
  expect([usual.spread, wide.spread]).toEqual([defaultSpread, wideSpread]);
  expect(usual.skin.patches).toEqual([]);
  expect(wide.skin.patches.length).toBeGreaterThanOrEqual(10);
});

describe('identitySeed', () => {
  it('publishes 200 different seeds and refuses other indices', () => {
    const seeds = Array.from({ length: publishedIdentityCount }, (_, i) => identitySeed(i));
    expect(new Set(seeds).size).toBe(200);
    for (const index of [-1, 0.5, 100_000]) expect(() => identitySeed(index)).toThrow(RangeError);
  });
});
