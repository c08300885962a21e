/** What an unattended match needs in addition: the room around the face, or the answered light, as its witness. */
import type { PassiveCalibration } from '@svc/face-engine';
import { type LivenessEstimate, meanEvidence } from './liveness-estimate.ts';
import { STANDARD_POLICY } from './policy.ts';
import type { Protections, Verdict } from './result.ts';
import type { AttemptEffect, EventOf, Facts, Lack } from './states.ts';

const policy = STANDARD_POLICY.unattended;

type Face = EventOf<'face'>;

/** Where no one watches, evidence of an attack ends the attempt, like a single frame of one. */
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

export const isLightAnswered = ({ light }: Facts): boolean => light?.outcome === 'answered';

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
  return !(event.room >= policy.minRoom) || facts.lack !== null || !isLightSpared(facts);
}

/** The room was the witness and has been lost for a while: there is a light, and time for it. */
export function needsLightInstead(facts: Facts, atMs: number): boolean {
  const { insteadAfterMs, needsMs } = policy.light;
  const lacksMs = isWitnessed(facts) ? 0 : atMs - (facts.lack?.sinceMs ?? atMs);
  if (!facts.lightAsked || lacksMs < insteadAfterMs || !mayLightAgain(facts)) return false;
  return facts.startedAtMs + STANDARD_POLICY.windowMs - atMs >= needsMs;
}

/** Each sequence is another chance to meet the drawn order. */
export const mayLightAgain = ({ attendance, sequences }: Facts): boolean =>
  attendance === 'staffed' || sequences < policy.light.maxSequences;

export const askForLight: readonly AttemptEffect[] = [{ type: 'light' }];
export const dropLight: readonly AttemptEffect[] = [{ type: 'rest' }];
