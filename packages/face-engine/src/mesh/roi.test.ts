import { describe, expect, it } from 'vitest';
import { projectCanonical, rotationOf } from '../testing/canonical-points.ts';
import { roiFromDetection, roiFromLandmarks, roiTransform } from './mesh.ts';
import { canonicalBasis } from './pose.ts';

/** Landmarks whose unset points are in the middle, so that the set ones define the bounds. */
function landmarksAt(rollDeg: number): Float32Array {
  const landmarks = projectCanonical(canonicalBasis, rotationOf(0, 0, rollDeg));
  const set = new Set(canonicalBasis.map(([index]) => index));
  for (let i = 0; i < 468; i++) if (!set.has(i)) landmarks.set([320, 240, 0], 3 * i);
  return landmarks;
}

describe('roiFromLandmarks', () => {
  it('turns with the face and keeps its size', () => {
    const level = roiFromLandmarks(landmarksAt(0));
    for (const rollDeg of [-60, -20, 20, 60]) {
      const turned = roiFromLandmarks(landmarksAt(rollDeg));
      // A head that leans to its right shoulder rotates anticlockwise in the image.
      expect((turned.angle * 180) / Math.PI).toBeCloseTo(-rollDeg, 3);
      expect(turned.side).toBeCloseTo(level.side, 2);
    }
    expect(level.angle).toBeCloseTo(0, 5);
  });
});

describe('roiFromDetection', () => {
  it('is half as large again as the box and turned by the eye line', () => {
    const roi = roiFromDetection({
      box: { x: 10, y: 20, width: 40, height: 30 },
      keypoints: [
        { x: 20, y: 30 },
        { x: 30, y: 40 },
      ],
      score: 1,
    });
    expect(roi).toEqual({ centre: { x: 30, y: 35 }, side: 60, angle: Math.PI / 4 });
  });
});

describe('roiTransform', () => {
  it('maps the target’s middle to the centre and its right edge along the angle', () => {
    const t = roiTransform({ centre: { x: 100, y: 50 }, side: 30, angle: Math.PI / 2 }, 10);
    const map = (x: number, y: number) => ({ x: t.a * x + t.b * y + t.c, y: t.d * x + t.e * y + t.f });
    expect(map(5, 5).x).toBeCloseTo(100);
    expect(map(5, 5).y).toBeCloseTo(50);
    expect(map(10, 5).x).toBeCloseTo(100);
    expect(map(10, 5).y).toBeCloseTo(65);
  });
});
