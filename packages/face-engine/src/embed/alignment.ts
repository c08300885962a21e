import type { AffineTransform } from '@svc/core';
import { type Landmarks, xOf, yOf } from '../mesh/landmarks.ts';
import { meanFace } from './mean-face.ts';

/** Side of the aligned chip, pixels. */
export const chipSize = 150;
/** Room around the mean face's unit square, in its widths. */
const chipPadding = 0.25;

/** Position on the chip, pixels, of a point of dlib's unit square; dlib counts whole numbers at pixel centres. */
export const toChip = (unit: number): number => ((chipPadding + unit) / (1 + 2 * chipPadding)) * chipSize + 0.5;

const targets = meanFace.map(([index, x, y]) => ({ index, x: toChip(x), y: toChip(y) }));
const targetMean = {
  x: targets.reduce((sum, t) => sum + t.x, 0) / targets.length,
  y: targets.reduce((sum, t) => sum + t.y, 0) / targets.length,
};
const targetVariance = targets.reduce((sum, t) => sum + (t.x - targetMean.x) ** 2 + (t.y - targetMean.y) ** 2, 0);

/**
 * The similarity (Umeyama 1991; in the plane a complex least squares) from chip to source pixels that lays dlib's mean face
 * onto the landmarks.
 */
export function chipTransform(landmarks: Landmarks): AffineTransform {
  let meanX = 0;
  let meanY = 0;
  for (const { index } of targets) {
    meanX += xOf(landmarks, index) / targets.length;
    meanY += yOf(landmarks, index) / targets.length;
  }
  let real = 0;
  let imaginary = 0;
  for (const { index, x, y } of targets) {
    const u = x - targetMean.x;
    const v = y - targetMean.y;
    const sx = xOf(landmarks, index) - meanX;
    const sy = yOf(landmarks, index) - meanY;
    real += u * sx + v * sy;
    imaginary += u * sy - v * sx;
  }
  const a = real / targetVariance;
  const d = imaginary / targetVariance;
  return {
    a,
    b: -d,
    c: meanX - a * targetMean.x + d * targetMean.y,
    d,
    e: a,
    f: meanY - d * targetMean.x - a * targetMean.y,
  };
}
