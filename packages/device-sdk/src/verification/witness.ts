/** What an unattended match needs in addition: the room around the face, or the answered light, as its witness. */
import type { PassiveCalibration } from '@svc/face-engine';
import type { LightVerdict } from '../light/judge.ts';
import { type LivenessEstimate, meanEvidence, scoredFrames } from './liveness-estimate.ts';
import { STANDARD_POLICY } from './policy.ts';
import type { Protections, Verdict } from './result.ts';
import type { AttemptEffect, EventOf, Facts, Lack } from './states.ts';

const policy = STANDARD_POLICY.unattended;

type Face = EventOf<'face'>;

/** Where no one watches, the evidence may end an attempt. */
export const isSurelyAttack = (estimate: LivenessEstimate, { evidence: fit }: PassiveCalibration): boolean =>
  fit !== null && meanEvidence(estimate) <= fit.surelyAttack;

/** The facts with what a scored frame lacks for the room as its witness. */
export function withLack(facts: Facts, event: Face, calibration: PassiveCalibration): Facts {
  const reason = lackOf(facts.estimate, event, calibration);
  const sinceMs = facts.lack?.sinceMs ?? event.atMs;
  return { ...facts, lack: reason === null ? null : { reason, sinceMs } };
}

/** Written so that NaN lacks everything. */
function lackOf(estimate: LivenessEstimate, event: Face, { evidence: fit }: PassiveCalibration): Lack | null {
  if (!(event.room >= policy.minRoom)) return 'too-little-room';
  const isLive = fit !== null && meanEvidence(estimate) >= fit.surelyLive;
  const isTurned = !(Math.abs(event.yawDeg) <= STANDARD_POLICY.frontalYawDeg);
  // A genuine turned face has weaker frames, as with the score.
  const ownHolds = isTurned || (event.evidence ?? Number.NaN) >= policy.minOwnEvidence;
  return isLive && ownHolds ? null : 'not-surely-live';
}

/** Where no one watches, by a head that is still there. */
export const isLightAnswered = ({ attendance, light, litHead }: Facts): boolean =>
  light?.outcome === 'answered' && (attendance === 'staffed' || litHead !== null);

/** Too strong a light to see any trace of the sequence: none of this attempt can be answered any more. */
export const isFaint = (verdict: LightVerdict): boolean =>
  verdict.outcome === 'abstained' && verdict.reason === 'faint';

/**
 * The facts with the answer of the light only as long as nothing says that another head has come: neither a size of its
 * own, nor a jump before the turn. Written so that NaN drops it.
 */
export function boundToLit(facts: Facts, { room, motion, yawDeg }: Face): Facts {
  const { litHead } = facts;
  if (litHead === null) return facts;
  const ratio = room / litHead.room;
  const isOfSize = ratio <= policy.light.maxRoomRatio && ratio >= 1 / policy.light.maxRoomRatio;
  const hasTurned = litHead.hasTurned || Math.abs(yawDeg) > STANDARD_POLICY.frontalYawDeg;
  const isStill = motion !== null && motion <= STANDARD_POLICY.fusion.maxMotion;
  return { ...facts, litHead: isOfSize && (hasTurned || isStill) ? { ...litHead, hasTurned } : null };
}

/** Whether this frame may lead to a match: it has the room as witness, or nothing more is asked. */
export const isWitnessed = (facts: Facts): boolean =>
  facts.attendance === 'staffed' || isLightAnswered(facts) || facts.lack === null;

/** The end of an attempt whose frames could not lead to a match. */
export const unwitnessed = ({ lack }: Facts): Verdict => ({
  outcome: 'LivenessFailed',
  reason: lack?.reason ?? 'not-surely-live',
});

/** In front also a frame may be compared for which the light has to be the witness. */
export const mayBeCompared = (facts: Facts): boolean => facts.lightAsked || isWitnessed(facts);

/** To be called for each frame that is compared. */
export const comparedIn = (facts: Facts): Facts => (facts.lack === null ? facts : { ...facts, roomKept: false });

/** What stands for staff in a match; null if nothing does. */
export function witnessOf(facts: Facts): Protections['witness'] {
  if (facts.attendance === 'staffed') return null;
  if (isLightAnswered(facts)) return 'light';
  return facts.roomKept ? 'room' : null;
}

/** The room is the witness, and the light is not needed. */
export const isLightSpared = (facts: Facts): boolean => facts.active !== 'light' && witnessOf(facts) === 'room';

/** The light begins with the first scored frontal face that lacks the room, while frames are scored and compared. */
export function beginsEarly(facts: Facts, event: Face): boolean {
  if (facts.attendance === 'staffed' || !facts.lightAsked || facts.sequences > 0) return false;
  if (event.passive === null || !(Math.abs(event.yawDeg) <= STANDARD_POLICY.frontalYawDeg)) return false;
  if (event.atMs - facts.startedAtMs < policy.light.settleMs) return false;
  if (scoredFrames(facts.estimate) < policy.light.minScoredFrames) return false;
  return !(event.room >= policy.minRoom) || facts.lack !== null || !isLightSpared(facts);
}

/** There is no witness any more, or the room has lacked for a while: there is a light, and time for it. */
export function isLightDue(facts: Facts, atMs: number): boolean {
  if (facts.attendance === 'staffed' || !facts.lightAsked || !mayLightAgain(facts, atMs)) return false;
  const lacksMs = isWitnessed(facts) ? 0 : atMs - (facts.lack?.sinceMs ?? atMs);
  return witnessOf(facts) === null || lacksMs >= policy.light.insteadAfterMs;
}

/** The light begins once the head is back in front. */
export const needsLightInstead = (facts: Facts, event: Face): boolean =>
  isLightDue(facts, event.atMs) && Math.abs(event.yawDeg) <= STANDARD_POLICY.frontalYawDeg;

/** Nothing can stand for staff any more. */
export const isBeyondWitness = (facts: Facts, atMs: number): boolean =>
  facts.attendance === 'unattended' && witnessOf(facts) === null && !isLightDue(facts, atMs);

/** Each sequence is another chance to meet the drawn order, and needs time for itself and the rest. */
export const mayLightAgain = ({ attendance, sequences, startedAtMs }: Facts, atMs: number): boolean =>
  attendance === 'staffed' ||
  (sequences < policy.light.maxSequences && startedAtMs + STANDARD_POLICY.windowMs - atMs >= policy.light.needsMs);

export const askForLight: readonly AttemptEffect[] = [{ type: 'light' }];
export const dropLight: readonly AttemptEffect[] = [{ type: 'rest' }];
