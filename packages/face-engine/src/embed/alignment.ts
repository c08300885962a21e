import type { AffineTransform } from '@svc/core';
import { type Landmarks, xOf, yOf } from '../mesh/landmarks.ts';
import { meanFace } from './mean-face.ts';

/** A square picture of a face, laid out after dlib's mean face. */
export interface ChipLayout {
  /** Side, pixels. */
  readonly size: number;
  /** Room around the mean face's unit square, in widths of that square. */
  readonly padding: number;
}

/** dlib's own layout, which its network reads and sharpness is measured on. */
export const dlibChip: ChipLayout = { size: 150, padding: 0.25 };

/** Position on the chip, pixels, of a point of dlib's unit square; dlib counts whole numbers at pixel centres. */
export const toChip = (unit: number, { size, padding }: ChipLayout = dlibChip): number =>
  ((padding + unit) / (1 + 2 * padding)) * size + 0.5;

/** Finds the way from a chip back to the picture. */
export type ChipTransform = (landmarks: Landmarks) => AffineTransform;

/**
 * The similarity (Umeyama 1991; in the plane a complex least squares) from chip to source pixels that lays dlib's mean face
 * onto the landmarks.
 */
export function chipTransformFor(layout: ChipLayout): ChipTransform {
  const targets = meanFace.map(([index, x, y]) => ({ index, x: toChip(x, layout), y: toChip(y, layout) }));
  const targetMean = {
    x: targets.reduce((sum, t) => sum + t.x, 0) / targets.length,
    y: targets.reduce((sum, t) => sum + t.y, 0) / targets.length,
  };
  const targetVariance = targets.reduce((sum, t) => sum + (t.x - targetMean.x) ** 2 + (t.y - targetMean.y) ** 2, 0);
  return (landmarks) => {
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
  };
}

/** {@link chipTransformFor} dlib's own layout. */
export const chipTransform = chipTransformFor(dlibChip);
