import { minifasnetCalibration } from '@svc/face-engine';
import { describe, expect, it } from 'vitest';
import {
  calibrate,
  emptyEstimate,
  estimateProgress,
  type LivenessEstimate,
  observe,
  outwardScore,
} from './liveness-estimate.ts';

const outward = (estimate: LivenessEstimate) => outwardScore(estimate, minifasnetCalibration);
const after = (scores: readonly (number | null)[], stepMs = 100) =>
  scores.reduce((estimate, score, i) => observe(estimate, { atMs: i * stepMs, score, evidence: score }), emptyEstimate);

describe('calibration', () => {
  it.each([
    [0, 0],
    [0.3, 0.45],
    [0.6, 0.9],
    [0.8, 0.95],
    [1, 1],
    [-1, 0],
    [2, 1],
    [Number.NaN, 0],
  ])('%d reads %d', (fused, outward) => expect(calibrate(fused, minifasnetCalibration)).toBeCloseTo(outward, 12));
});

describe('running estimate', () => {
  it('is null before the fifth scored frame', () => {
    expect(outward(after([0.9, 0.9, 0.9, 0.9]))).toBeNull();
    expect(outward(after([0.9, 0.9, 0.9, 0.9, 0.9]))).toBeGreaterThan(0.9);
  });

  it('is the calibrated mean of all scored frames of the last three seconds', () => {
    // At 100 ms per frame the first ten of forty have left the window.
    const scores = [...Array(10).fill(0), ...Array(30).fill(0.6)];
    expect(outward(after(scores))).toBeCloseTo(0.9, 12);
    expect(outward(after([0.4, 0.8, 0.4, 0.8, 0.6]))).toBeCloseTo(0.9, 12);
  });

  it('leaves unscorable frames out of the mean, and is null if they are more than half', () => {
    expect(outward(after([0.6, null, 0.6, null, 0.6, null, 0.6, null, 0.6, null]))).toBeCloseTo(0.9, 12);
    expect(outward(after([0.6, null, 0.6, null, 0.6, null, 0.6, null, 0.6, null, null]))).toBeNull();
  });

  it('is null if the frames are too far apart', () => {
    expect(outward(after(Array(20).fill(0.9), 800))).toBeNull();
  });

  it('reports the progress towards its first value', () => {
    expect(estimateProgress(after([0.9, null, 0.9]))).toBeCloseTo(0.4);
    expect(estimateProgress(after(Array(9).fill(1)))).toBe(1);
  });
});
