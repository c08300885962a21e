import type { Verdict } from '../result.ts';
import { calibrate, observe, outwardScore } from './liveness-estimate.ts';
import type { VerificationPolicy } from './policy.ts';
import type { EventOf, Facts } from './states.ts';
import { towards } from './step.ts';

export type Face = EventOf<'face'>;

/** Facts after a frame, or the verdict that it caused. */
type Seen =
  | { readonly facts: Facts; readonly live: boolean; readonly comparable: boolean }
  | { readonly facts: Facts; readonly verdict: Verdict };

/**
 * Adds the passive liveness of one frame. `live`: it was scored and the running estimate passes. `comparable`: its own
 * score passes too; otherwise a photo shown during a comparison would profit from the score of the face behind it.
 */
export function addFrame(facts: Facts, event: Face, policy: VerificationPolicy): Seen {
  const faceSeen = { ...facts, faceSeenAtMs: event.atMs };
  const { passive: calibration } = facts;
  if (calibration === null) return { facts: faceSeen, live: true, comparable: true };
  const estimate = observe(facts.estimate, { atMs: event.atMs, score: event.passive }, policy.passive);
  const next: Facts = { ...faceSeen, estimate, everScored: facts.everScored || event.passive !== null };
  if (event.passive === null) return { facts: next, live: false, comparable: false };
  if (event.passive <= calibration.attackFrameAtMost) {
    return { facts: next, verdict: { outcome: 'LivenessFailed', reason: 'attack-frame' } };
  }
  const outward = outwardScore(estimate, policy.passive, calibration);
  if (outward !== null && outward < policy.passive.minOutward) {
    return { facts: next, verdict: { outcome: 'LivenessFailed', reason: 'passive-below-threshold' } };
  }
  const ownHolds = calibrate(event.passive, calibration) >= policy.passive.minOutward;
  return { facts: next, live: outward !== null, comparable: outward !== null && ownHolds };
}

/** Like {@link addFrame} after the first match, when another face ends the attempt. */
export function addTrackedFrame(facts: Facts, event: Face, policy: VerificationPolicy): Seen {
  if (event.track === 'new') return { facts, verdict: { outcome: 'ChallengeFailed', reason: 'face-swapped' } };
  return addFrame(facts, event, policy);
}

/** Like {@link addTrackedFrame} when a direction was requested: a turn the wrong way ends the attempt. */
export function addChallengeFrame(facts: Facts, event: Face, policy: VerificationPolicy): Seen {
  const seen = addTrackedFrame(facts, event, policy);
  if ('verdict' in seen) return seen;
  if (towards(event.yawDeg, facts) > -policy.wrongWayYawDeg) return seen;
  return { facts: seen.facts, verdict: { outcome: 'ChallengeFailed', reason: 'wrong-way' } };
}

export const scoredCount = (event: Face, facts: Facts): number =>
  facts.passive !== null && event.passive !== null ? 1 : 0;
export const enoughScored = (scoredFrames: number, facts: Facts, policy: VerificationPolicy): boolean =>
  facts.passive === null || scoredFrames >= policy.passive.minScoredFramesPerStage;
