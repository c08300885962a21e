import type { AffineTransform } from '@svc/core';
import type { ChipAlignment } from '@svc/face-models';
import { type Landmarks, xOf, yOf } from '../mesh/landmarks.ts';
import { meanFace } from './mean-face.ts';

/** A square picture of a face, laid out after dlib's mean face. */
export interface ChipLayout {
  /** Side, pixels. */
  readonly size: number;
  /** Room around the mean face's unit square, in widths of that square. */
  readonly padding: number;
}

/** dlib's own layout, which its network reads and quality is measured on. */
export const dlibChip: ChipLayout = { size: 150, padding: 0.25 };

/** Position on the chip, pixels, of a point of dlib's unit square; dlib counts whole numbers at pixel centres. */
export const toChip = (unit: number, { size, padding }: ChipLayout = dlibChip): number =>
  ((padding + unit) / (1 + 2 * padding)) * size + 0.5;

/** Finds the way from a chip back to the picture. */
export type ChipTransform = (landmarks: Landmarks) => AffineTransform;

/** Where the mean of some landmarks lies on the chip, pixels. */
interface Target {
  /** Mesh indices. */
  readonly of: readonly number[];
  readonly x: number;
  readonly y: number;
}

/** Mesh indices of the five points: corners of the eye on the picture's left, of the other, nose tip, corners of the mouth. */
const fivePoints = [[33, 133], [362, 263], [4], [61], [291]] as const;

/** @param size side of the chip, pixels */
export function chipTransformOf(alignment: ChipAlignment, size: number): ChipTransform {
  if (alignment.kind === 'mean-face') return chipTransformFor({ size, padding: alignment.padding });
  // As published, whole numbers are at pixel centres.
  return similarityTo(
    fivePoints.map((of, i) => {
      const [x = Number.NaN, y = Number.NaN] = alignment.points[i] ?? [];
      return { of, x: x * size + 0.5, y: y * size + 0.5 };
    }),
  );
}

/** From a chip that lays dlib's mean face onto the landmarks. */
export const chipTransformFor = (layout: ChipLayout): ChipTransform =>
  similarityTo(meanFace.map(([index, x, y]) => ({ of: [index], x: toChip(x, layout), y: toChip(y, layout) })));

/** The similarity (Umeyama 1991; in the plane a complex least squares) from chip to source pixels that lays the targets onto the landmarks. */
function similarityTo(targets: readonly Target[]): ChipTransform {
  const targetMean = {
    x: targets.reduce((sum, t) => sum + t.x, 0) / targets.length,
    y: targets.reduce((sum, t) => sum + t.y, 0) / targets.length,
  };
  const targetVariance = targets.reduce((sum, t) => sum + (t.x - targetMean.x) ** 2 + (t.y - targetMean.y) ** 2, 0);
  return (landmarks) => {
    let meanX = 0;
    let meanY = 0;
    for (const { of } of targets) {
      meanX += meanOf(xOf, landmarks, of) / targets.length;
      meanY += meanOf(yOf, landmarks, of) / targets.length;
    }
    let real = 0;
    let imaginary = 0;
    for (const { of, x, y } of targets) {
      const u = x - targetMean.x;
      const v = y - targetMean.y;
      const sx = meanOf(xOf, landmarks, of) - meanX;
      const sy = meanOf(yOf, landmarks, of) - meanY;
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

function meanOf(coordinate: typeof xOf, landmarks: Landmarks, indices: readonly number[]): number {
  let sum = 0;
  for (const index of indices) sum += coordinate(landmarks, index);
  return sum / indices.length;
}

/** {@link chipTransformFor} dlib's own layout. */
export const chipTransform = chipTransformFor(dlibChip);
