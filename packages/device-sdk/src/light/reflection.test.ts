import { describe, expect, it } from 'vitest';
import { glossOf, type PlaceFit } from './reflection.ts';

const fit = (gain: number, gainError = 0.01 * gain) => ({ gain, gainError, white: [1, 1, 1], explained: 0.9 }) as const;
/** Fits of a place whose base is lit with a gain, or has light added. */
const lit = (contrast: number, gain: number): PlaceFit => ({ dark: fit(gain), bright: fit(gain), contrast });
const mirrored = (base: number, added: number): PlaceFit => ({
  dark: fit(added * base),
  bright: fit(added),
  // The resting light, added to both parts, reduces the visible contrast.
  contrast: (base * (1 + added / 2)) / (1 + (added * base) / 2),
});

describe('the share of overlaid light', () => {
  it.each([0.02, 0.3, 5])('is 0 where dark and bright reflect (gain %f)', (gain) => {
    expect(glossOf([lit(4, gain), lit(2, gain)]).share).toBeCloseTo(0, 6);
  });

  it.each([0.02, 0.3, 5])('is 1 where both got the same light (gain %f)', (gain) => {
    expect(glossOf([mirrored(4, gain), mirrored(2, gain)]).share).toBeCloseTo(1, 6);
  });

  it('follows the places with enough contrast', () => {
    const noisy: PlaceFit = { dark: fit(0.8, 0.8), bright: fit(0.2), contrast: 1.5 };
    expect(glossOf([lit(5, 0.2), noisy]).share).toBeLessThan(0.1);
  });

  it('is unknown without such a place', () => {
    expect(glossOf([null, lit(1.1, 0.3)]).error).toBe(Number.POSITIVE_INFINITY);
  });
});
