import type { AffineTransform } from '@svc/core';
import type { ChipAlignment } from '@svc/face-models';
import { type Landmarks, xOf, yOf } from '../mesh/landmarks.ts';

/**
 * dlib's mean face shape for the 33 points that align its face chips: of the 68, those of nose, eyes and upper lip
 * (27–54 and 60–64), without brows, jaw and lower lip. Unit square; from `get_face_chip_details` in
 * dlib/image_transforms/interpolation.h (Boost Software License 1.0). Each row: mesh index, x, y.
 */
export const meanFace: readonly (readonly [meshIndex: number, x: number, y: number])[] = [
  [168, 0.490127, 0.203352],
  [197, 0.490127, 0.307009],
  [195, 0.490127, 0.409805],
  [4, 0.490127, 0.515625],
  [98, 0.36688, 0.587326],
  [97, 0.426036, 0.609345],
  [2, 0.490127, 0.628106],
  [326, 0.554217, 0.609345],
  [327, 0.613373, 0.587326],
  [33, 0.121737, 0.216423],
  [160, 0.187122, 0.178758],
  [158, 0.265825, 0.179852],
  [133, 0.334606, 0.231733],
  [153, 0.260918, 0.245099],
  [144, 0.182743, 0.244077],
  [362, 0.645647, 0.231733],
  [385, 0.714428, 0.179852],
  [387, 0.793132, 0.178758],
  [263, 0.858516, 0.216423],
  [373, 0.79751, 0.244077],
  [380, 0.719335, 0.245099],
  [61, 0.254149, 0.780233],
  [39, 0.340985, 0.745405],
  [37, 0.428858, 0.727388],
  [0, 0.490127, 0.742578],
  [267, 0.551395, 0.727388],
  [269, 0.639268, 0.745405],
  [291, 0.726104, 0.780233],
  [78, 0.290379, 0.784792],
  [81, 0.428096, 0.778746],
  [13, 0.490127, 0.785343],
  [311, 0.552157, 0.778746],
  [308, 0.689874, 0.784792],
];

/** A chip: a square, aligned face crop laid out by dlib's mean face. */
export interface ChipLayout {
  /** Side, pixels. */
  readonly size: number;
  /** Padding around the mean face's unit square, in widths of that square. */
  readonly padding: number;
}

/** dlib's own layout, used by its network and by the quality measures. */
export const dlibChip: ChipLayout = { size: 150, padding: 0.25 };

/** Position on the chip, in pixels, of a point of dlib's unit square; dlib has integers at pixel centres. */
export const toChip = (unit: number, { size, padding }: ChipLayout = dlibChip): number =>
  ((padding + unit) / (1 + 2 * padding)) * size + 0.5;

/** Computes the transform from chip to source pixels. */
export type ChipTransform = (landmarks: Landmarks) => AffineTransform;

/** Target position of the mean of some landmarks, chip pixels. */
interface Target {
  /** Mesh indices. */
  readonly of: readonly number[];
  readonly x: number;
  readonly y: number;
}

/**
 * Mesh indices of the five points: corners of the eye at the left of the picture, of the other eye, nose tip, mouth
 * corners.
 */
const fivePoints = [[33, 133], [362, 263], [4], [61], [291]] as const;

/** @param size side of the chip, pixels */
export function chipTransformOf(alignment: ChipAlignment, size: number): ChipTransform {
  if (alignment.kind === 'mean-face') return chipTransformFor({ size, padding: alignment.padding });
  // In the published targets, integers are pixel centres.
  return similarityTo(
    fivePoints.map((of, i) => {
      const [x = Number.NaN, y = Number.NaN] = alignment.points[i] ?? [];
      return { of, x: x * size + 0.5, y: y * size + 0.5 };
    }),
  );
}

/** Transform from a chip that aligns dlib's mean face with the landmarks. */
export const chipTransformFor = (layout: ChipLayout): ChipTransform =>
  similarityTo(meanFace.map(([index, x, y]) => ({ of: [index], x: toChip(x, layout), y: toChip(y, layout) })));

/**
 * The similarity (Umeyama 1991; in the plane a complex least squares) from chip to source pixels that maps the targets
 * to the landmarks.
 */
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

/** {@link chipTransformFor} with dlib's own layout. */
export const chipTransform = chipTransformFor(dlibChip);
