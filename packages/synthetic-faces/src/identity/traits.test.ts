import { describe, expect, it } from 'vitest';
import { defaultSpread, traitsOf } from './traits.ts';

describe('the spread of people', () => {
  it('moves the same person further from what is usual, and nothing else', () => {
    const [usual, asPeople, wide] = [0, 1, defaultSpread].map((spread) => traitsOf(12_021, spread));
    const { faceWidth: middle = 0 } = usual?.shape ?? {};
    const [near, far] = [asPeople, wide].map((traits) => (traits?.shape.faceWidth ?? 0) - middle);
    expect(near).not.toBe(0);
    expect((far ?? 0) / (near ?? 1)).toBeCloseTo(defaultSpread, 6);
    expect({ ...asPeople, shape: null, spread: null }).toEqual({ ...wide, shape: null, spread: null });
  });

  it('is wider than life where nothing is said', () => expect(traitsOf(7)).toEqual(traitsOf(7, defaultSpread)));
});
