/** What an unattended match needs in addition: the answered light or, on a device without one, the room as its witness. */
import type { PassiveCalibration } from '@svc/face-engine';
import type { LightVerdict } from '../light/judge.ts';
import { type LivenessEstimate, meanEvidence, scoredFrames } from './liveness-estimate.ts';
import { STANDARD_POLICY } from './policy.ts';
import type { Protections, Verdict } from './result.ts';
import type { AttemptEffect, EventOf, Facts, Lack, Setup } from './states.ts';

const policy = STANDARD_POLICY.unattended;

type Face = EventOf<'face'>;

/** Where everybody is lit, and only an answer of the light leads to a match. */
export const isLitDoor = ({ attendance, lightAsked }: Setup): boolean => attendance === 'unattended' && lightAsked;

/**
 * The answer of the light, which a screen cannot give, weighs more than the score: it spares who only looks little live.
 * Paper is lit as skin is, so the turn has to follow.
 */
export const outweighsScore = (setup: Setup): boolean => isLitDoor(setup) && setup.active === 'head-turn';

/** Where no one watches, the evidence of a frame keeps it from comparisons, and the mean of some may end an attempt. */
export function isSurelyAttack(evidence: number, setup: Setup): boolean {
  const fit = setup.passive?.evidence ?? null;
  return fit !== null && !(evidence > (outweighsScore(setup) ? policy.light.minEvidence : fit.surelyAttack));
}

/** The facts with what a scored frame lacks for the room as its witness, on a device without a light. */
export const withLack = (facts: Facts, event: Face, calibration: PassiveCalibration): Facts =>
  facts.lightAsked ? facts : { ...facts, lack: lackOf(facts.estimate, event, calibration) };

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
 * own, nor a jump before the turn. Turned too far for a comparison to count, a face has no size either. Written so that
 * NaN drops it.
 */
export function boundToLit(facts: Facts, { room, motion, yawDeg }: Face): Facts {
  const { litHead } = facts;
  if (litHead === null) return facts;
  const ratio = room / litHead.room;
  const isTurnedAway = Math.abs(yawDeg) > STANDARD_POLICY.turned.untilYawDeg;
  const isOfSize = isTurnedAway || (ratio <= policy.light.maxRoomRatio && ratio >= 1 / policy.light.maxRoomRatio);
  const mayTurn = facts.turnEnteredAtMs !== null;
  const hasTurned = litHead.hasTurned || (mayTurn && Math.abs(yawDeg) > STANDARD_POLICY.frontalYawDeg);
  const isStill = motion !== null && motion <= STANDARD_POLICY.fusion.maxMotion;
  return { ...facts, litHead: isOfSize && (hasTurned || isStill) ? { ...litHead, hasTurned } : null };
}

/** Whether this frame may lead to a match: it has the witness that this device asks for, or none is asked for. */
export const isWitnessed = (facts: Facts): boolean =>
  facts.attendance === 'staffed' || (facts.lightAsked ? isLightAnswered(facts) : facts.lack === null);

/** The end of an attempt whose frames could not lead to a match. */
export const unwitnessed = ({ lack }: Facts): Verdict => ({
  outcome: 'LivenessFailed',
  reason: lack ?? 'not-surely-live',
});

/** In front, before the light was answered. */
export const mayBeCompared = (facts: Facts): boolean => facts.lightAsked || isWitnessed(facts);

/** What stands for staff in a match. */
export function witnessOf({ attendance, lightAsked }: Setup): Protections['witness'] {
  if (attendance === 'staffed') return null;
  return lightAsked ? 'light' : 'room';
}

/** The light begins with the first scored frontal faces, while frames are scored and compared. */
export function beginsEarly(facts: Facts, event: Face): boolean {
  if (facts.attendance === 'staffed' || !facts.lightAsked || facts.sequences > 0) return false;
  if (event.passive === null || !(Math.abs(event.yawDeg) <= STANDARD_POLICY.frontalYawDeg)) return false;
  if (event.atMs - facts.startedAtMs < policy.light.settleMs) return false;
  return scoredFrames(facts.estimate) >= policy.light.minScoredFrames;
}

/** Another head may have come after the answer of the light. */
export const isBeyondWitness = (facts: Facts): boolean => isLitDoor(facts) && !isLightAnswered(facts);

/** Each sequence is another chance to meet the drawn order, and needs time for itself and the rest. */
export const mayLightAgain = ({ attendance, sequences, startedAtMs }: Facts, atMs: number): boolean =>
  attendance === 'staffed' ||
  (sequences < policy.light.maxSequences && startedAtMs + STANDARD_POLICY.windowMs - atMs >= policy.light.needsMs);

export const askForLight: readonly AttemptEffect[] = [{ type: 'light' }];
export const dropLight: readonly AttemptEffect[] = [{ type: 'rest' }];
