import { engineRecipes } from '@svc/face-models';
import { describe, expect, it } from 'vitest';
import { chipTransform, chipTransformOf, dlibChip, meanFace, toChip } from './alignment.ts';

type Placement = readonly [scale: number, angle: number, dx: number, dy: number];

/** Landmarks whose given points are at their targets on the chip, scaled, rotated and shifted. */
function placed(
  targets: readonly (readonly [index: number, x: number, y: number])[],
  [scale, angle, dx, dy]: Placement,
): Float32Array {
  const landmarks = new Float32Array(468 * 3);
  const [cos, sin] = [scale * Math.cos(angle), scale * Math.sin(angle)];
  for (const [index, u, v] of targets) landmarks.set([cos * u - sin * v + dx, sin * u + cos * v + dy, 0], 3 * index);
  return landmarks;
}

const [{ alignment }] = engineRecipes;
const side = 128;
const [left, right, nose, mouthLeft, mouthRight] = alignment.points;
const fivePoints = (
  [
    // The centre of an eye is the mean of its corners.
    [33, left[0] - 0.07, left[1] + 0.01],
    [133, left[0] + 0.07, left[1] - 0.01],
    [362, right[0] - 0.07, right[1] + 0.01],
    [263, right[0] + 0.07, right[1] - 0.01],
    [4, ...nose],
    [61, ...mouthLeft],
    [291, ...mouthRight],
  ] as const
).map(([index, x, y]) => [index, x * side + 0.5, y * side + 0.5] as const);

describe.each([
  ['the mean face', chipTransform, meanFace.map(([index, x, y]) => [index, toChip(x), toChip(y)] as const)],
  ['five points', chipTransformOf(alignment, side), fivePoints],
] as const)('the transform by %s', (_by, transform, targets) => {
  it.each<Placement>([
    [1, 0, 0, 0],
    [3.7, 0.6, 40, -12],
    [0.4, -2.9, 500, 300],
  ])('finds scale %d, angle %d and shift (%d, %d) again', (...placement) => {
    const [scale, angle, dx, dy] = placement;
    const t = transform(placed(targets, placement));
    expect(t.a).toBeCloseTo(scale * Math.cos(angle), 4);
    expect(t.d).toBeCloseTo(scale * Math.sin(angle), 4);
    expect(t.b).toBeCloseTo(-t.d, 10);
    expect(t.e).toBeCloseTo(t.a, 10);
    expect(t.c).toBeCloseTo(dx, 2);
    expect(t.f).toBeCloseTo(dy, 2);
  });
});

it('uses 33 points of the mean face, each once, all of them on the chip', () => {
  expect(new Set(meanFace.map(([index]) => index)).size).toBe(33);
  for (const [, x, y] of meanFace) {
    expect(toChip(x)).toBeGreaterThan(0);
    expect(toChip(y)).toBeLessThan(dlibChip.size);
  }
});
