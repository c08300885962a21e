import type { Box, FaceAnalysis } from '@svc/face-engine';

/** A face in a frame. */
export interface Sighting {
  readonly analysis: FaceAnalysis;
  readonly atMs: number;
}

/** Maximum movement of a head between two processed frames. */
export const continuityLimits = {
  gapMs: 1_000,
  /** In face widths. */
  centreShift: 0.6,
  /** Factor of the face's height: a turn narrows a face but does not shorten it. */
  heightRatio: 1.4,
  yawDeg: 60,
} as const;

const centre = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

/** Whether one head can have moved from one sighting to the next. Comparisons, not this, establish identity. */
export function isPlausiblySame(before: Sighting, after: Sighting): boolean {
  const a = before.analysis.box;
  const b = after.analysis.box;
  const [from, to] = [centre(a), centre(b)];
  const shift = Math.hypot(to.x - from.x, to.y - from.y) / Math.max(1, a.width);
  const ratio = b.height / Math.max(1, a.height);
  const turned = Math.abs(after.analysis.pose.yawDeg - before.analysis.pose.yawDeg);
  return (
    after.atMs - before.atMs <= continuityLimits.gapMs &&
    shift <= continuityLimits.centreShift &&
    ratio <= continuityLimits.heightRatio &&
    ratio >= 1 / continuityLimits.heightRatio &&
    turned <= continuityLimits.yawDeg
  );
}

/** Movement of a face between frames: of its centre in widths, or of its height in heights, whichever is larger. */
export function motionBetween(before: Box, after: Box): number {
  const [from, to] = [centre(before), centre(after)];
  const shift = Math.hypot(to.x - from.x, to.y - from.y) / Math.max(1, before.width);
  return Math.max(shift, Math.abs(after.height / Math.max(1, before.height) - 1));
}

/** Intersection over union. */
export function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (a.width * a.height + b.width * b.height - shared);
}
