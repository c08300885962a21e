import type { Verdict } from '../result.ts';
import { calibrate, observe, outwardScore } from './liveness-estimate.ts';
import type { VerificationPolicy } from './policy.ts';
import type { EventOf, Facts } from './states.ts';
import { towards } from './step.ts';

export type Face = EventOf<'face'>;

/** What a frame added, or the verdict it brought. */
type Seen =
  | { readonly facts: Facts; readonly live: boolean; readonly comparable: boolean }
  | { readonly facts: Facts; readonly verdict: Verdict };

/**
 * Passive liveness of one frame. `live`: this frame was scored and the running estimate holds. `comparable`: the frame
 * holds by itself too. Else a photo shown for the length of a comparison would live on the score of the face behind it.
 */
export function addFrame(facts: Facts, event: Face, policy: VerificationPolicy): Seen {
  const faceSeen = { ...facts, faceSeen: true };
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

/** The same after the first match, where another face ends the attempt. */
export function addTrackedFrame(facts: Facts, event: Face, policy: VerificationPolicy): Seen {
  if (event.track === 'new') return { facts, verdict: { outcome: 'ChallengeFailed', reason: 'face-swapped' } };
  return addFrame(facts, event, policy);
}

/** The same where a direction was asked for: a turn the wrong way ends the attempt. */
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
