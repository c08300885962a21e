import { describe, expect, it } from 'vitest';
import { landmarkCount } from '../mesh/landmarks.ts';
import { faceAspect } from './face-aspect.ts';

/** Sides, forehead and chin, turned by an angle in the picture's plane. */
function outline(width: number, height: number, rollDeg = 0) {
  const landmarks = new Float32Array(landmarkCount * 3);
  const [c, s] = [Math.cos((rollDeg * Math.PI) / 180), Math.sin((rollDeg * Math.PI) / 180)];
  for (const [index, x, y] of [
    [234, -width / 2, 3],
    [454, width / 2, 3],
    [10, 0, -height / 2],
    [152, 0, height / 2],
  ] as const) {
    landmarks.set([300 + c * x - s * y, 200 + s * x + c * y], 3 * index);
  }
  return landmarks;
}

describe('faceAspect', () => {
  it('is width over height, at any size and however the camera is held', () => {
    expect(faceAspect(outline(80, 100))).toBeCloseTo(0.8);
    expect(faceAspect(outline(160, 200, 35))).toBeCloseTo(0.8);
    expect(faceAspect(outline(56, 100, -90))).toBeCloseTo(0.56);
  });

  it('is no number where there is nothing', () => {
    expect(faceAspect(new Float32Array(landmarkCount * 3))).toBeNaN();
  });
});
