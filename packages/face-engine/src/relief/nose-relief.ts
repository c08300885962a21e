import type { AffineTransform, CoreImage } from '@svc/core';
import { chipTransformFor } from '../embed/alignment.ts';
import { interEyeDistance, type Landmarks, xOf, yOf } from '../mesh/landmarks.ts';
import { toLuma } from '../quality.ts';
import type { Point } from '../types.ts';
import { type GreyPicture, matchPatches } from './patch-match.ts';

/**
 * Eyes some 37 pixels apart: as many as a face in a door's camera has, so that little is made up and little thrown
 * away.
 */
export const reliefChipSize = 105;

/** From the chip to source pixels. */
export const reliefChipTransform = chipTransformFor({ size: reliefChipSize, padding: 0.25 });

/** The face aligned by a similarity, `Uint8Array[size·size]` of luma. The caller wipes it. */
export function reliefChipOf(image: CoreImage, landmarks: Landmarks): Uint8Array {
  const rgb = image.warpToBytes(reliefChipTransform(landmarks), reliefChipSize, reliefChipSize, { fill: 'edge' });
  const luma = new Uint8Array(reliefChipSize * reliefChipSize);
  toLuma(rgb, luma);
  rgb.fill(0);
  return luma;
}

/** A face as the relief is measured on it; a `FaceAnalysis` is one. */
export interface ReliefFace {
  readonly landmarks: Landmarks;
  /** `reliefChipOf` of the same frame. */
  readonly reliefChip: Uint8Array;
}

/** What the pixels of a turned face say of its shape. */
export interface NoseRelief {
  /**
   * Sideways distance of the nose from where the plane of eyes and mouth would have it, in distances of the eyes of the
   * frontal frame; positive to the image's right, so of a head that turns to its own left. 0 of any flat thing.
   */
  readonly offset: number;
  /**
   * Width over height of eyes and mouth, of that in the frontal frame: the cosine of the angle that a plane has been
   * turned by.
   */
  readonly widthKept: number;
  /** How surely the nose was found again: normalised cross-correlation, −1..1. */
  readonly agreement: number;
}

/** Corners of eyes and mouth: nearly a plane on any head. */
const planar = [33, 133, 362, 263, 61, 291] as const;
/** Tip and lower end of the nose: what stands out of that plane most. */
const nose = [1, 4, 2] as const;

/** Pixels of the chip that a corner may lie beside where the mesh has it, and the nose beside the plane. */
const reach = { firstX: 8, thenX: 4, y: 4, noseX: 14, noseY: 5 } as const;

/**
 * How far the nose of a turned face has left the plane of eyes and mouth, measured in the pixels of two frames. The
 * corners of eyes and mouth are found again in the turned frame, the affine map between the two fitted to them, and the
 * nose looked for beside where that map has it. On paper, flat or bent about the vertical, it is there; on a head it
 * has gone aside by its height times the sine of the turn. The mesh only says where to look: taught on heads, it sees a
 * head's depth in a turned photo too.
 *
 * @returns null where too little of it is found again
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

/** A landmark on the chip: pixel centres at whole numbers, as `matchPatch` counts. */
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

/** The affine map of least squares. */
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

/** Lays the turned chip out as the frontal one, bilinear, its edge beyond it. */
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
