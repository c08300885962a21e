import type { Box, Point } from '../types.ts';

/**
 * `Float32Array[468·3]` of x, y, z in source pixels, in the order of MediaPipe's face mesh; z is negative towards the
 * camera.
 */
export type Landmarks = Float32Array;

export const landmarkCount = 468;

export const xOf = (landmarks: Landmarks, i: number): number => landmarks[3 * i] ?? Number.NaN;
export const yOf = (landmarks: Landmarks, i: number): number => landmarks[3 * i + 1] ?? Number.NaN;
export const zOf = (landmarks: Landmarks, i: number): number => landmarks[3 * i + 2] ?? Number.NaN;

/** Mean position of the given landmarks. */
export function centreOf(landmarks: Landmarks, ...indices: readonly number[]): Point {
  let x = 0;
  let y = 0;
  for (const i of indices) {
    x += xOf(landmarks, i);
    y += yOf(landmarks, i);
  }
  return { x: x / indices.length, y: y / indices.length };
}

/** Centre of the person's right eye: the mean of its corners. */
export const rightEye = (landmarks: Landmarks): Point => centreOf(landmarks, 33, 133);
/** Centre of the person's left eye. */
export const leftEye = (landmarks: Landmarks): Point => centreOf(landmarks, 362, 263);

/** Distance of the eye centres in the image, pixels. */
export function interEyeDistance(landmarks: Landmarks): number {
  return distance(rightEye(landmarks), leftEye(landmarks));
}

export const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** Axis-aligned bounds of all landmarks. */
export function boundsOf(landmarks: Landmarks): Box {
  let left = Number.POSITIVE_INFINITY;
  let right = Number.NEGATIVE_INFINITY;
  let top = Number.POSITIVE_INFINITY;
  let bottom = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < landmarks.length; i += 3) {
    const x = landmarks[i] ?? Number.NaN;
    const y = landmarks[i + 1] ?? Number.NaN;
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < top) top = y;
    if (y > bottom) bottom = y;
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
