import { centreOf, distance, type Landmarks } from '../mesh/landmarks.ts';
import type { Box } from '../types.ts';

/** Mesh indices of the face's sides in front of the ears, the top of the forehead and the chin. */
const outline = { right: 234, left: 454, top: 10, chin: 152 } as const;

const between = (landmarks: Landmarks, a: number, b: number): number =>
  distance(centreOf(landmarks, a), centreOf(landmarks, b));

/**
 * Width over height of the face in the picture, about 0.8 from the front; NaN for height 0. A head stays nearly as wide
 * when turned by 25°, since cheek and temple come into view. A sheet turned until its face appears equally far aside
 * narrows by a fifth or more, bent or not.
 */
export function faceAspect(landmarks: Landmarks): number {
  return between(landmarks, outline.right, outline.left) / between(landmarks, outline.top, outline.chin);
}

/**
 * The frame's face box as MiniFASNet's detector (RetinaFace) gives it, from the bounds of the mesh; fitted on 125
 * photos. All passive models use it.
 */
export function livenessBox({ x, y, width, height }: Box): Box {
  const w = width * 1.123;
  const h = height * 0.966;
  return { x: x + width * 0.502 - w / 2, y: y + height * 0.518 - h / 2, width: w, height: h };
}

/** How many times the box fits into the frame, in the tighter dimension. */
export function contextScale(frame: { width: number; height: number }, box: Box): number {
  return Math.min((frame.width - 1) / box.width, (frame.height - 1) / box.height);
}

/** Context around a face for the passive check: how many times its liveness box fits into the frame. */
export const livenessContextScale = (frame: { width: number; height: number }, face: Box): number =>
  contextScale(frame, livenessBox(face));

/**
 * The crop of upstream's `CropImage`: the box scaled by `scale` as far as the frame allows, shifted inside, in whole
 * pixels.
 */
export function livenessCrop(frame: { width: number; height: number }, box: Box, scale: number): Box {
  const effective = Math.min(scale, contextScale(frame, box));
  const across = cropAlong(box.x + box.width / 2, box.width * effective, frame.width);
  const down = cropAlong(box.y + box.height / 2, box.height * effective, frame.height);
  return { x: across.start, y: down.start, width: across.length, height: down.length };
}

function cropAlong(centre: number, length: number, size: number): { start: number; length: number } {
  let start = centre - length / 2;
  let end = centre + length / 2;
  if (start < 0) {
    end -= start;
    start = 0;
  }
  if (end > size - 1) {
    start -= end - size + 1;
    end = size - 1;
  }
  const first = Math.max(0, Math.trunc(start));
  return { start: first, length: Math.min(size - 1, Math.trunc(end)) - first + 1 };
}
