import { describe, expect, it } from 'vitest';
import { canonicalBasis } from './mesh/pose.ts';
import { parallaxOf } from './parallax.ts';
import { canonicalExtras, projectCanonical, rotationOf } from './testing/canonical-points.ts';

const points = [...canonicalBasis, ...canonicalExtras, [133, -1.6, 2.5, 3.9], [362, 1.6, 2.5, 3.9]] as const;
const head = (yawDeg: number, pitchDeg = 0) => projectCanonical(points, rotationOf(yawDeg, pitchDeg, 0));

describe('parallaxOf', () => {
  it('grows with the turn of a head, alike to both sides and however the camera is held', () => {
    expect(parallaxOf(head(0))).toBeCloseTo(0, 3);
    expect(parallaxOf(head(25))).toBeGreaterThan(0.16);
    expect(parallaxOf(head(40))).toBeGreaterThan(parallaxOf(head(25)));
    expect(parallaxOf(head(-25))).toBeCloseTo(parallaxOf(head(25)), 4);
    const tilted = head(25).slice();
    for (let i = 0; i < tilted.length; i += 3) tilted.set([-(tilted[i + 1] ?? 0), tilted[i] ?? 0], i);
    expect(parallaxOf(tilted)).toBeCloseTo(parallaxOf(head(25)), 4);
  });

  it('does not take a raised or lowered head for a turned one', () => {
    expect(parallaxOf(head(0, 25))).toBeLessThan(0.01);
    expect(parallaxOf(head(0, -25))).toBeLessThan(0.01);
  });

  it('stays at what a flat picture shows, however it is turned, tilted or sheared', () => {
    const picture = head(0);
    for (const [a, b, d, e] of [
      [0.7, 0, 0, 1],
      [0.6, 0.2, -0.1, 0.9],
      [0, -1, 1, 0],
    ] as const) {
      const flat = picture.slice();
      for (let i = 0; i < 468; i++) {
        const x = picture[3 * i] ?? 0;
        const y = picture[3 * i + 1] ?? 0;
        flat.set([a * x + b * y, d * x + e * y, 0], 3 * i);
      }
      expect(parallaxOf(flat)).toBeLessThan(0.02);
    }
  });
});
