import type { Box, Detection, Point } from '../types.ts';

/** Intersection over union of two boxes, 0..1. */
export function iou(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const intersection = width * height;
  return intersection / (a.width * a.height + b.width * b.height - intersection);
}

/**
 * Weighted non-maximum suppression (Bazarevsky et al. 2019, 3.3): what overlaps the best candidate by more than `minIou`
 * is blended into it by score instead of dropped, which steadies boxes from frame to frame. Best first.
 */
export function weightedNms(candidates: readonly Detection[], minIou = 0.3): Detection[] {
  let rest = [...candidates].sort((a, b) => b.score - a.score);
  const kept: Detection[] = [];
  while (rest[0] !== undefined) {
    const best = rest[0];
    const same = rest.filter((d) => d === best || iou(d.box, best.box) > minIou);
    kept.push(blend(best, same));
    rest = rest.filter((d) => !same.includes(d));
  }
  return kept;
}

function blend(best: Detection, same: readonly Detection[]): Detection {
  if (same.length === 1) return best;
  const total = same.reduce((sum, d) => sum + d.score, 0);
  const mean = (value: (d: Detection) => number): number =>
    same.reduce((sum, d) => sum + value(d) * d.score, 0) / total;
  return {
    box: {
      x: mean((d) => d.box.x),
      y: mean((d) => d.box.y),
      width: mean((d) => d.box.width),
      height: mean((d) => d.box.height),
    },
    keypoints: best.keypoints.map(
      (_, k): Point => ({ x: mean((d) => d.keypoints[k]?.x ?? 0), y: mean((d) => d.keypoints[k]?.y ?? 0) }),
    ),
    score: best.score,
  };
}
