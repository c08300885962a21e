import { engineRecipes } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { chipTransform, chipTransformOf, dlibChip, meanFace, toChip } from './alignment.ts';

/** Landmarks of dlib's mean face, scaled, rotated and shifted. */
function placed(scale: number, angle: number, dx: number, dy: number): Float32Array {
  const landmarks = new Float32Array(468 * 3);
  const cos = scale * Math.cos(angle);
  const sin = scale * Math.sin(angle);
  for (const [index, x, y] of meanFace) {
    const u = toChip(x);
    const v = toChip(y);
    landmarks.set([cos * u - sin * v + dx, sin * u + cos * v + dy, 0], 3 * index);
  }
  return landmarks;
}

describe('chipTransform', () => {
  it.each([
    [1, 0, 0, 0],
    [3.7, 0.6, 40, -12],
    [0.4, -2.9, 500, 300],
  ])('finds scale %d, angle %d and shift (%d, %d) again', (scale, angle, dx, dy) => {
    const t = chipTransform(placed(scale, angle, dx, dy));
    expect(t.a).toBeCloseTo(scale * Math.cos(angle), 4);
    expect(t.d).toBeCloseTo(scale * Math.sin(angle), 4);
    expect(t.b).toBeCloseTo(-t.d, 10);
    expect(t.e).toBeCloseTo(t.a, 10);
    expect(t.c).toBeCloseTo(dx, 2);
    expect(t.f).toBeCloseTo(dy, 2);
  });

  it('uses 33 points, each once, all of them on the chip', () => {
    expect(meanFace).toHaveLength(33);
    expect(new Set(meanFace.map(([index]) => index)).size).toBe(33);
    for (const [, x, y] of meanFace) {
      expect(toChip(x)).toBeGreaterThan(0);
      expect(toChip(y)).toBeLessThan(dlibChip.size);
    }
  });
});

describe('chipTransformOf five points', () => {
  const [{ alignment }] = engineRecipes;
  const side = 128;

  /** Landmarks whose five points are at the alignment's targets, scaled, rotated and shifted. */
  function fivePointsPlaced(scale: number, angle: number, dx: number, dy: number): Float32Array {
    const landmarks = new Float32Array(468 * 3);
    const put = (index: number, x: number, y: number) => {
      const [u, v] = [x * side + 0.5, y * side + 0.5];
      const [cos, sin] = [scale * Math.cos(angle), scale * Math.sin(angle)];
      landmarks.set([cos * u - sin * v + dx, sin * u + cos * v + dy, 0], 3 * index);
    };
    const [left, right, nose, mouthLeft, mouthRight] = alignment.points;
    for (const [eye, inner, outer] of [
      [left, 33, 133],
      [right, 362, 263],
    ] as const) {
      // The centre is the mean of the corners.
      put(inner, eye[0] - 0.07, eye[1] + 0.01);
      put(outer, eye[0] + 0.07, eye[1] - 0.01);
    }
    put(4, nose[0], nose[1]);
    put(61, mouthLeft[0], mouthLeft[1]);
    put(291, mouthRight[0], mouthRight[1]);
    return landmarks;
  }

  it.each([
    [1, 0, 0, 0],
    [2.5, 0.5, 30, -8],
    [0.3, -3, 400, 200],
  ])('finds scale %d, angle %d and shift (%d, %d) again', (scale, angle, dx, dy) => {
    const t = chipTransformOf(alignment, side)(fivePointsPlaced(scale, angle, dx, dy));
    expect(t.a).toBeCloseTo(scale * Math.cos(angle), 4);
    expect(t.d).toBeCloseTo(scale * Math.sin(angle), 4);
    expect(t.b).toBeCloseTo(-t.d, 10);
    expect(t.c).toBeCloseTo(dx, 2);
    expect(t.f).toBeCloseTo(dy, 2);
  });
});
