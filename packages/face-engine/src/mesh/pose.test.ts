import { describe, expect, it } from 'vitest';
import { projectCanonical, rotationOf } from '../testing/canonical-points.ts';
import { canonicalBasis, fitCanonicalFace } from './pose.ts';

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
