import { describe, expect, it } from 'vitest';
import { defaultSpread, traitsOf } from './traits.ts';
import { firstWideSeed, identitySeed, publishedIdentityCount, wideSpread } from './wide-people.ts';

describe('the spread of people', () => {
  it('scales a person’s distance from the average, and changes nothing else', () => {
    const [usual, asPeople, wide] = [0, 1, defaultSpread].map((spread) => traitsOf(12_021, spread));
    const { faceWidth: middle = 0 } = usual?.shape ?? {};
    const [near, far] = [asPeople, wide].map((traits) => (traits?.shape.faceWidth ?? 0) - middle);
    expect(near).not.toBe(0);
    expect((far ?? 0) / (near ?? 1)).toBeCloseTo(defaultSpread, 6);
    expect({ ...asPeople, shape: null, spread: null }).toEqual({ ...wide, shape: null, spread: null });
  });

  it('is wider than in reality by default', () => expect(traitsOf(7)).toEqual(traitsOf(7, defaultSpread)));
});

describe('wide people', () => {
  it('start at a fixed seed, below which everybody is unchanged', () => {
    const [usual, wide] = [traitsOf(firstWideSeed - 1), traitsOf(firstWideSeed)];
    expect([usual.spread, wide.spread]).toEqual([defaultSpread, wideSpread]);
    expect(usual.skin.patches).toEqual([]);
    expect(wide.skin.patches.length).toBeGreaterThanOrEqual(10);
  });

  it('mix features of all origins, over the whole range of skin tones', () => {
    const people = Array.from({ length: 60 }, (_, i) => traitsOf(firstWideSeed + i));
    const tones = people.map(({ skin }) => skin.tone);
    expect(Math.min(...tones)).toBeLessThan(0.1);
    expect(Math.max(...tones)).toBeGreaterThan(0.9);
    expect(new Set(people.map(({ shape }) => shape.noseWidth)).size).toBe(60);
  });

  it('are deterministic', () => {
    expect(traitsOf(firstWideSeed + 5)).toEqual(traitsOf(firstWideSeed + 5));
  });
});

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
