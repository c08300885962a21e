import type { PassiveCalibration } from '@svc/face-engine';
import { STANDARD_POLICY } from './policy.ts';
import type { EventOf } from './states.ts';

const policy = STANDARD_POLICY.passive;

/** One frame's passive score, 0 to 1; null if the frame could not be scored. */
export interface PassiveSample {
  readonly atMs: number;
  readonly score: number | null;
  /** Its evidence, 0 to 1; null also where the calibration has none. */
  readonly evidence: number | null;
}

/** The samples of the last window, oldest first. Immutable. */
export type LivenessEstimate = readonly PassiveSample[];

export const emptyEstimate: LivenessEstimate = [];

/** The estimate after one more frame; samples older than the window are dropped. */
export function observe(estimate: LivenessEstimate, sample: PassiveSample): LivenessEstimate {
  const oldest = sample.atMs - policy.estimateWindowMs;
  return [...estimate.filter(({ atMs }) => atMs > oldest), sample];
}

/**
 * The estimate before the first match: a missing or another face resets it, since evidence is per face; only a single
 * face in view adds to it.
 */
export function follow(
  estimate: LivenessEstimate,
  event: EventOf<'face' | 'no-face' | 'several-faces'>,
): LivenessEstimate {
  const own = event.type !== 'no-face' && event.track === 'same' ? estimate : emptyEstimate;
  return event.type === 'face'
    ? observe(own, { atMs: event.atMs, score: event.passive, evidence: event.evidence })
    : own;
}

/**
 * The outward passive score of the newest frame, 0 to 1: the calibrated mean over the window's scored frames. Null if
 * there are too few, or too many unscored ones; then no stage can be completed.
 */
export function outwardScore(estimate: LivenessEstimate, calibration: PassiveCalibration): number | null {
  const scores = scoresOf(estimate);
  if (scores.length < policy.minScoredFrames) return null;
  if (estimate.length - scores.length > policy.maxUnscorableShare * estimate.length) return null;
  return calibrate(scores.reduce((sum, score) => sum + score, 0) / scores.length, calibration);
}

/** Mean evidence of the window's scored frames, 0 to 1; NaN if there is none, or one has none. */
export function meanEvidence(estimate: LivenessEstimate): number {
  const scored = estimate.filter(({ score }) => score !== null);
  return scored.reduce((sum, { evidence }) => sum + (evidence ?? Number.NaN), 0) / scored.length;
}

export const scoredFrames = (estimate: LivenessEstimate): number => scoresOf(estimate).length;

const scoresOf = (estimate: LivenessEstimate): readonly number[] =>
  estimate.flatMap(({ score }) => (score === null ? [] : [score]));

export const estimateProgress = (estimate: LivenessEstimate): number =>
  Math.min(1, scoredFrames(estimate) / policy.minScoredFrames);

/**
 * Linear interpolation between the calibration's points, constant beyond both ends: monotone, so the order of scores is
 * kept.
 */
export function calibrate(fused: number, { points }: PassiveCalibration): number {
  let previous = points[0];
  if (previous === undefined || Number.isNaN(fused)) return 0;
  if (fused <= previous[0]) return previous[1];
  for (const point of points.slice(1)) {
    if (fused <= point[0]) {
      const share = (fused - previous[0]) / (point[0] - previous[0]);
      return previous[1] + share * (point[1] - previous[1]);
    }
    previous = point;
  }
  return previous[1];
}
