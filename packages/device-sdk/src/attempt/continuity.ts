import type { Box, FaceAnalysis } from '@svc/face-engine';

/** A face as it was seen in a frame. */
export interface Sighting {
  readonly analysis: FaceAnalysis;
  readonly atMs: number;
}

/** How much a head can move between two frames that were looked at. */
export const continuityLimits = {
  gapMs: 1_000,
  /** Of the face's width. */
  centreShift: 0.6,
  /** Of the face's height, either way: a turn narrows a face but leaves it as tall. */
  heightRatio: 1.4,
  yawDeg: 60,
} as const;

const centre = ({ x, y, width, height }: Box) => ({ x: x + width / 2, y: y + height / 2 });

/**
 * Whether one head can have moved from one sighting to the next. Says nothing of whose head it is: that the comparisons
 * do.
 */
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

/**
 * How far a face moved from one frame to the next: its centre in widths, or its height in heights, whichever is more.
 */
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
