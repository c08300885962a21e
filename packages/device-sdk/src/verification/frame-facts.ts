import { calibrate, meanEvidence, observe, outwardScore } from './liveness-estimate.ts';
import { STANDARD_POLICY as policy } from './policy.ts';
import type { Verdict } from './result.ts';
import { type AttemptEffect, type Comparisons, type EventOf, type Facts, type Setup, ungathered } from './states.ts';
import { towards } from './step.ts';
import { boundToLit, isSurelyAttack, outweighsScore, withLack } from './witness.ts';

export type Face = EventOf<'face'>;

/** Facts after a frame, or the verdict that it caused. */
type Seen =
  | { readonly facts: Facts; readonly live: boolean; readonly comparable: boolean }
  | { readonly facts: Facts; readonly verdict: Verdict };

/**
 * Adds the passive liveness of one frame. `live`: it was scored and the running estimate passes. `comparable`: its own
 * score passes too; otherwise a photo shown during a comparison would profit from the score of the face behind it.
 */
export function addFrame(facts: Facts, event: Face): Seen {
  const faceSeen = { ...facts, faceSeenAtMs: event.atMs };
  const { passive: calibration } = facts;
  const isStaffed = facts.attendance === 'staffed';
  if (calibration === null) return { facts: faceSeen, live: isStaffed, comparable: isStaffed };
  const { atMs, passive: score, evidence } = event;
  const estimate = observe(facts.estimate, { atMs, score, evidence });
  const next: Facts = { ...faceSeen, estimate, everScored: facts.everScored || event.passive !== null };
  if (event.passive === null) return { facts: next, live: false, comparable: false };
  if (event.passive <= calibration.attackFrameAtMost) {
    return { facts: next, verdict: { outcome: 'LivenessFailed', reason: 'attack-frame' } };
  }
  const outward = outwardScore(estimate, calibration);
  if (!outweighsScore(facts) && outward !== null && outward < policy.passive.minOutward) {
    return { facts: next, verdict: { outcome: 'LivenessFailed', reason: 'passive-below-threshold' } };
  }
  const seen = { facts: next, live: outward !== null, comparable: outward !== null && holdsAlone(event, facts) };
  if (isStaffed || outward === null) return seen;
  if (isSurelyAttack(meanEvidence(estimate), facts)) {
    return { facts: next, verdict: { outcome: 'LivenessFailed', reason: 'not-surely-live' } };
  }
  return { ...seen, facts: withLack(next, event, calibration) };
}

/** Like {@link addFrame} after the first match, when another face ends the attempt. */
export function addTrackedFrame(facts: Facts, event: Face): Seen {
  if (event.track === 'new') return { facts, verdict: { outcome: 'ChallengeFailed', reason: 'face-swapped' } };
  return addFrame(boundToLit(facts, event), event);
}

function holdsAlone({ passive, evidence }: Face, setup: Setup): boolean {
  const { passive: calibration } = setup;
  if (passive === null || calibration === null) return false;
  if (!outweighsScore(setup)) return calibrate(passive, calibration) >= policy.passive.minOutward;
  return evidence !== null && !isSurelyAttack(evidence, setup);
}

/** Where nobody watches, only frames that could be compared tell how the face answers the light. */
export const isLightEvidence = (event: Face, setup: Setup): boolean => isFrontal(event) && holdsAlone(event, setup);

/** Like {@link addTrackedFrame} when a direction was requested: a turn the wrong way ends the attempt. */
export function addChallengeFrame(facts: Facts, event: Face): Seen {
  const seen = addTrackedFrame(facts, event);
  if ('verdict' in seen) return seen;
  if (towards(event.yawDeg, facts) > -policy.wrongWayYawDeg) return seen;
  return { facts: seen.facts, verdict: { outcome: 'ChallengeFailed', reason: 'wrong-way' } };
}

export const scoredCount = (event: Face, facts: Facts): number =>
  facts.passive !== null && event.passive !== null ? 1 : 0;
export const enoughScored = (scoredFrames: number, facts: Facts): boolean =>
  facts.passive === null || scoredFrames >= policy.passive.minScoredFramesPerStage;

/**
 * The facts with this frame's shape: only a face turned in the requested direction, not too far to see the far eye, is
 * measured.
 */
export function collectRelief(facts: Facts, event: Face): Facts {
  const { relief } = event;
  const yawDeg = towards(event.yawDeg, facts);
  if (relief === null || !(relief.agreement >= policy.relief.minAgreement)) return facts;
  if (!(yawDeg >= policy.relief.fromYawDeg && yawDeg <= policy.turned.untilYawDeg)) return facts;
  return { ...facts, relief: [...facts.relief, relief] };
}

export const due = (c: Comparisons, atMs: number, intervalMs: number = policy.compareIntervalMs): boolean =>
  !c.pending && (c.lastAtMs === null || atMs - c.lastAtMs >= intervalMs);
export const asked = (c: Comparisons, atMs: number): Comparisons => ({ ...c, pending: true, lastAtMs: atMs });
/** Requests a comparison of the mean that the frame joins or starts. */
export const gathered = (c: Comparisons, atMs: number): Comparisons => ({ ...asked(c, atMs), gathers: true });
/** Ends the mean if the face has moved since the previous frame. */
export const settledWith = (c: Comparisons, { motion }: Face): Comparisons =>
  motion !== null && motion <= policy.fusion.maxMotion ? c : ungathered(c);
export const compareFrontal = ({ gathers }: Comparisons): readonly AttemptEffect[] => [
  { type: 'compare', pose: 'frontal', probe: gathers ? 'mean' : 'first' },
];
export const unasked = (c: Comparisons): Comparisons => ({ ...c, pending: false });
export const missed = (c: Comparisons): Comparisons => ({ ...c, pending: false, misses: c.misses + 1 });

/** Turned far enough for the comparison as a turned face. */
export const isTurned = (event: Face, facts: Facts): boolean =>
  towards(event.yawDeg, facts) >= policy.turned.fromYawDeg;

/** Not turned so far that too little of the face is in view for a miss to mean another person. */
export const doesMissCount = (event: Face, facts: Facts): boolean =>
  towards(event.yawDeg, facts) <= policy.turned.untilYawDeg;
export const compareTurned: readonly AttemptEffect[] = [{ type: 'compare', pose: 'turned', probe: 'frame' }];
export const isFrontal = (event: Face): boolean => Math.abs(event.yawDeg) <= policy.frontalYawDeg;
