import { describe, expect, it } from 'vitest';
import { canonicalExtras, projectCanonical, rotationOf } from '../testing/canonical-points.ts';
import { canonicalBasis, fitCanonicalFace, parallaxOf } from './pose.ts';

describe('fitCanonicalFace', () => {
  it.each([
    [0, 0, 0],
    [45, 0, 0],
    [-45, 10, -20],
    [30, -25, 15],
    [0, 35, 90],
    [60, 20, -120],
  ])('finds yaw %i, pitch %i, roll %i again', (yawDeg, pitchDeg, rollDeg) => {
    const fit = fitCanonicalFace(projectCanonical(canonicalBasis, rotationOf(yawDeg, pitchDeg, rollDeg)));
    expect(fit.pose.yawDeg).toBeCloseTo(yawDeg, 2);
    expect(fit.pose.pitchDeg).toBeCloseTo(pitchDeg, 2);
    expect(fit.pose.rollDeg).toBeCloseTo(rollDeg, 2);
    expect(fit.scale).toBeCloseTo(10, 3);
    expect(fit.residual).toBeLessThan(1e-3);
  });

  it('takes the nose on the image’s right for a head turned to its own left', () => {
    const landmarks = projectCanonical(canonicalBasis, rotationOf(0, 0, 0));
    const turned = projectCanonical(canonicalBasis, rotationOf(20, 0, 0));
    expect((turned[3 * 4] ?? 0) > (landmarks[3 * 4] ?? 0)).toBe(true);
    expect(fitCanonicalFace(turned).pose.yawDeg).toBeGreaterThan(0);
  });

  it('measures what does not fit in centimetres', () => {
    const landmarks = projectCanonical(canonicalBasis, rotationOf(10, 0, 0));
    for (const [index] of canonicalBasis)
      landmarks[3 * index] = (landmarks[3 * index] ?? 0) + (index % 2 === 0 ? 10 : -10);
    expect(fitCanonicalFace(landmarks).residual).toBeGreaterThan(0.5);
  });

  it('gives NaN for invalid landmarks', () => {
    expect(fitCanonicalFace(new Float32Array(468 * 3).fill(Number.NaN)).residual).toBeNaN();
  });
});

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
