import type { AffineTransform, CoreImage } from '@svc/core';
import { chipTransformFor } from '../embed/alignment.ts';
import { interEyeDistance, type Landmarks, xOf, yOf } from '../mesh/landmarks.ts';
import type { Point } from '../types.ts';
import { type GreyPicture, matchPatches } from './patch-match.ts';

/** Eyes about 37 pixels apart, as in a door camera's frame, so that the chip is hardly scaled. */
export const reliefChipSize = 105;

/** Transform from the chip to source pixels. */
export const reliefChipTransform = chipTransformFor({ size: reliefChipSize, padding: 0.25 });

/**
 * The face aligned by a similarity.
 * @returns `Uint8Array[size·size]` of luma, wiped by the caller
 */
export function reliefChipOf(image: CoreImage, landmarks: Landmarks): Uint8Array {
  return image.warpToLuma(reliefChipTransform(landmarks), reliefChipSize, reliefChipSize, { fill: 'edge' });
}

/** The parts of a `FaceAnalysis` that the relief measurement uses. */
export interface ReliefFace {
  readonly landmarks: Landmarks;
  /** `reliefChipOf` the same frame. */
  readonly reliefChip: Uint8Array;
}

/** Shape of a turned face, measured from pixels. */
export interface NoseRelief {
  /**
   * Sideways distance of the nose from its position in the plane of eyes and mouth, in inter-eye distances of the
   * frontal frame. Positive to the image's right, for a head that turns to its own left. 0 for anything flat.
   */
  readonly offset: number;
  /** Width over height of eyes and mouth, relative to the frontal frame: for a plane, the cosine of its turn. */
  readonly widthKept: number;
  /** Confidence of the nose match: normalised cross-correlation, −1 to 1. */
  readonly agreement: number;
}

/** Corners of eyes and mouth, which lie nearly in a plane. */
const planar = [33, 133, 362, 263, 61, 291] as const;
/** Tip and lower end of the nose, farthest from that plane. */
const nose = [1, 4, 2] as const;

/** Search range in chip pixels: of corners around the mesh's position, of the nose around the plane's. */
const reach = { firstX: 8, thenX: 4, y: 4, noseX: 14, noseY: 5 } as const;

/**
 * Measures how far the nose of a turned face has left the plane of eyes and mouth, in the pixels of two frames. The
 * corners of eyes and mouth are matched in the turned frame, an affine map is fitted to them, and the nose is searched
 * around its mapped position. On paper, flat or bent about the vertical, it is there; on a head it has moved by its
 * height times the sine of the turn. The mesh only gives search positions: trained on heads, it reports a head's depth
 * for a turned photo too.
 *
 * @returns null if too few points match
 */
export function measureNoseRelief(front: ReliefFace, turned: ReliefFace): NoseRelief | null {
  const toFront = reliefChipTransform(front.landmarks);
  const toTurned = reliefChipTransform(turned.landmarks);
  const before = picture(front.reliefChip);
  const corners = planar.map((index) => onChip(front.landmarks, index, toFront));
  const meshCorners = planar.map((index) => onChip(turned.landmarks, index, toTurned));
  const laidOut = new Float32Array(turned.reliefChip.length);
  const after = picture(laidOut);
  try {
    let map = affineBetween(corners, meshCorners);
    warp(turned.reliefChip, map, laidOut);
    for (const reachX of [reach.firstX, reach.thenX]) {
      const found = corners.map((corner) => {
        const match = matchPatches(before, after, [corner], reachX, reach.y);
        return match && through(map, { x: corner.x + match.dx, y: corner.y + match.dy });
      });
      if (found.some((point) => point === null)) return null;
      map = affineBetween(corners, found as readonly Point[]);
      warp(turned.reliefChip, map, laidOut);
    }
    const tip = nose.map((index) => onChip(front.landmarks, index, toFront));
    const match = matchPatches(before, after, tip, reach.noseX, reach.noseY);
    if (match === null) return null;
    const eyes = interEyeDistance(front.landmarks) / Math.hypot(toFront.a, toFront.d);
    return {
      offset: match.dx / eyes,
      widthKept: Math.hypot(map.a, map.d) / Math.hypot(map.b, map.e),
      agreement: match.agreement,
    };
  } finally {
    laidOut.fill(0);
  }
}

const picture = (data: ArrayLike<number>): GreyPicture => ({ width: reliefChipSize, height: reliefChipSize, data });

/** A landmark on the chip; integers are pixel centres, as in `matchPatches`. */
function onChip(landmarks: Landmarks, index: number, { a, b, c, d, e, f }: AffineTransform): Point {
  const u = xOf(landmarks, index) - c;
  const v = yOf(landmarks, index) - f;
  const determinant = a * e - b * d;
  return { x: (e * u - b * v) / determinant - 0.5, y: (a * v - d * u) / determinant - 0.5 };
}

const through = ({ a, b, c, d, e, f }: AffineTransform, { x, y }: Point): Point => ({
  x: a * x + b * y + c,
  y: d * x + e * y + f,
});

/** The least-squares affine map. */
function affineBetween(from: readonly Point[], to: readonly Point[]): AffineTransform {
  const mean = (points: readonly Point[], axis: 'x' | 'y') =>
    points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [fx, fy, tx, ty] = [mean(from, 'x'), mean(from, 'y'), mean(to, 'x'), mean(to, 'y')];
  let [xx, xy, yy, xu, yu, xv, yv] = [0, 0, 0, 0, 0, 0, 0];
  from.forEach((point, i) => {
    const x = point.x - fx;
    const y = point.y - fy;
    const u = (to[i]?.x ?? 0) - tx;
    const v = (to[i]?.y ?? 0) - ty;
    xx += x * x;
    xy += x * y;
    yy += y * y;
    xu += x * u;
    yu += y * u;
    xv += x * v;
    yv += y * v;
  });
  const determinant = xx * yy - xy * xy;
  const a = (xu * yy - yu * xy) / determinant;
  const b = (yu * xx - xu * xy) / determinant;
  const d = (xv * yy - yv * xy) / determinant;
  const e = (yv * xx - xv * xy) / determinant;
  return { a, b, c: tx - a * fx - b * fy, d, e, f: ty - d * fx - e * fy };
}

/** Warps the turned chip to the frontal layout, bilinear, edges extended. */
function warp(chip: Uint8Array, map: AffineTransform, out: Float32Array): void {
  const last = reliefChipSize - 1;
  for (let y = 0; y <= last; y++) {
    for (let x = 0; x <= last; x++) {
      const at = through(map, { x, y });
      const u = Math.max(0, Math.min(last, at.x));
      const v = Math.max(0, Math.min(last, at.y));
      const [i, j] = [Math.min(last - 1, Math.floor(u)), Math.min(last - 1, Math.floor(v))];
      const [s, t] = [u - i, v - j];
      const k = j * reliefChipSize + i;
      const above = (chip[k] ?? 0) * (1 - s) + (chip[k + 1] ?? 0) * s;
      const below = (chip[k + reliefChipSize] ?? 0) * (1 - s) + (chip[k + reliefChipSize + 1] ?? 0) * s;
      out[y * reliefChipSize + x] = above * (1 - t) + below * t;
    }
  }
}
