import { describe, expect, it } from 'vitest';
import type { Detection } from '../types.ts';
import { iou, weightedNms } from './nms.ts';

const at = (x: number, score: number, width = 10): Detection => ({
  box: { x, y: 0, width, height: 10 },
  keypoints: [{ x, y: 1 }],
  score,
});

describe('iou', () => {
  it('is 1 for the same box, 0 for boxes that only touch, and the shared part otherwise', () => {
    const box = { x: 0, y: 0, width: 10, height: 10 };
    expect(iou(box, box)).toBe(1);
    expect(iou(box, { ...box, x: 10 })).toBe(0);
    expect(iou(box, { ...box, x: 5 })).toBeCloseTo(1 / 3);
  });
});

describe('weightedNms', () => {
  it('blends what overlaps the best by score, keypoints included, and keeps the best score', () => {
    const [only, ...rest] = weightedNms([at(2, 0.6), at(0, 0.9)]);
    expect(rest).toEqual([]);
    expect(only?.score).toBe(0.9);
    expect(only?.box.x).toBeCloseTo((2 * 0.6) / 1.5);
    expect(only?.keypoints[0]?.x).toBeCloseTo((2 * 0.6) / 1.5);
  });

  it('keeps apart what overlaps less than the limit, best first', () => {
    expect(weightedNms([at(0, 0.6), at(30, 0.9), at(36, 0.7)]).map((d) => d.score)).toEqual([0.9, 0.7, 0.6]);
    expect(weightedNms([at(0, 0.6), at(30, 0.9), at(36, 0.7)], 0.2).map((d) => d.score)).toEqual([0.9, 0.6]);
  });

  it('gives nothing for nothing', () => {
    expect(weightedNms([])).toEqual([]);
  });
});
