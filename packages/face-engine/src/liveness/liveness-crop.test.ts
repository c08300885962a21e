import { describe, expect, it } from 'vitest';
import { landmarkCount } from '../mesh/landmarks.ts';
import { contextScale, faceAspect, livenessBox, livenessCrop } from './liveness-crop.ts';

/** Face sides, forehead and chin, rotated in the image plane. */
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

describe('livenessCrop', () => {
  const frame = { width: 640, height: 480 };

  it('grows the box by the scale, ends included', () => {
    expect(livenessCrop(frame, { x: 300, y: 220, width: 40, height: 40 }, 2.7)).toEqual({
      x: 266,
      y: 186,
      width: 109,
      height: 109,
    });
  });

  it('grows no further than the frame allows, by the same factor both ways', () => {
    const box = { x: 200, y: 100, width: 160, height: 200 };
    expect(contextScale(frame, box)).toBeCloseTo(479 / 200);
    expect(livenessCrop(frame, box, 4)).toEqual({ x: 88, y: 0, width: 384, height: 480 });
  });

  it('is shifted to stay inside, never cut', () => {
    expect(livenessCrop(frame, { x: 0, y: 0, width: 100, height: 100 }, 2.7)).toEqual({
      x: 0,
      y: 0,
      width: 271,
      height: 271,
    });
    expect(livenessCrop(frame, { x: 590, y: 430, width: 50, height: 50 }, 4)).toEqual({
      x: 439,
      y: 279,
      width: 201,
      height: 201,
    });
  });
});

describe('livenessBox', () => {
  it('is wider and lower than the mesh’s bounds by the fitted amounts', () => {
    const box = livenessBox({ x: 0, y: 0, width: 1000, height: 1000 });
    expect(box.width).toBeCloseTo(1123);
    expect(box.height).toBeCloseTo(966);
    expect(box.x + box.width / 2).toBeCloseTo(502);
    expect(box.y + box.height / 2).toBeCloseTo(518);
  });
});
