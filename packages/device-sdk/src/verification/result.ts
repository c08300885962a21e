import type { PassiveLiveness, PassiveModelName } from '@svc/face-engine';
import type { Attendance } from '@svc/protocol/sync';
import type { LightVerdict } from '../light/judge.ts';
import type { Sharing } from '../vault/stored-admissions.ts';

/** Outcomes of {@link CheckInDevice.verifyLiveAsync}, with the names of the interface. */
export const verificationOutcomes = [
  'Match',
  'NotEnrolled',
  'LeaseExpired',
  'Expired',
  'LivenessFailed',
  'ChallengeFailed',
  'NoMatch',
  'NoFace',
] as const;
/** What an attempt led to. */
export type VerificationOutcome = (typeof verificationOutcomes)[number];

/** Reasons for each outcome. Stable names for staff texts and statistics; never a score. */
export const verdictReasons = {
  /** `verified-by-light`, `staff-confirmed`: by the list's alternative to the head turn. */
  Match: ['verified', 'verified-by-light', 'staff-confirmed'],
  /** Standard check-in. `record-changed`: the person was erased or enrolled again during the attempt. */
  NotEnrolled: ['not-on-list', 'id-invalid', 'record-unopenable', 'engine-mismatch', 'record-changed'],
  /**
   * `too-slow`: the device manages too few frames a second for the ten-second window. `unattended-unsupported`: the list
   * is unattended, and the device cannot serve one.
   */
  LeaseExpired: [
    'never-synced',
    'lease-expired',
    'clock-behind',
    'device-revoked',
    'list-deleted',
    'account-suspended',
    'no-sync-30-days',
    'state-untrusted',
    'storage-failed',
    'too-slow',
    'unattended-unsupported',
  ],
  Expired: ['list-deadline', 'person-deadline'],
  /**
   * At unattended doors alone: `camera-unproven`: the platform does not say that frames come from a real camera.
   * `too-little-room`: on a device without a light. `not-surely-live`: there, or of what is surely a screen.
   */
  LivenessFailed: [
    'attack-frame',
    'passive-below-threshold',
    'never-scorable',
    'too-few-scored-frames',
    'light-not-answered',
    'light-not-held',
    'camera-unproven',
    'too-little-room',
    'not-surely-live',
  ],
  ChallengeFailed: [
    'wrong-way',
    'face-lost',
    'face-swapped',
    'turn-not-made',
    'no-parallax',
    'narrowed',
    'not-looked-back',
    'no-alternative',
    'staff-not-confirmed',
    'too-few-scored-frames',
    'several-faces',
    'camera-denied',
    'camera-failed',
    'engine-failed',
    'cancelled',
  ],
  /**
   * The last two with a face that matched: the person was let in before, and the list's policy is to refuse
   * that; or, under the same policy, it could not store that it lets the person in.
   */
  NoMatch: [
    'below-threshold',
    'second-below-threshold',
    'not-frontal',
    'several-faces',
    'window-ended',
    'already-let-in',
    'storage-failed',
  ],
  NoFace: [
    'no-face',
    'no-frames',
    'camera-denied',
    'camera-failed',
    'engine-failed',
    'cancelled',
    'attempt-in-progress',
    'disposed',
  ],
} as const satisfies Record<VerificationOutcome, readonly string[]>;

/** An outcome with one of its own reasons. */
export type Verdict = {
  [O in VerificationOutcome]: { readonly outcome: O; readonly reason: (typeof verdictReasons)[O][number] };
}[VerificationOutcome];

/** Protections that were active for the outcome. */
export interface Protections {
  /** The model of the passive check. `absent-staff-in-view`: none ran; the operator declared that staff watch. */
  readonly passive: PassiveModelName | 'absent-staff-in-view';
  /** Version of the passive score's calibration, e.g. `minifasnet-fused/4`; null without a passive check. */
  readonly passiveCalibration: string | null;
  /** The check after the first match: the head turn, or the list's alternative for people who cannot turn. */
  readonly active: 'head-turn' | 'light' | 'staff';
  /**
   * `off`: disabled, or the camera has no screen light. `when-possible`: enabled; in a result, the attempt ended before
   * it. `abstained`: the ambient light was too strong for a verdict, and the attempt continued without one.
   */
  readonly light: 'off' | 'when-possible' | 'answered' | 'not-answered' | 'abstained';
  /** Whether staff watch the list's doors. */
  readonly attendance: Attendance;
  /**
   * What stands for staff in an unattended match: the answered `light`; on a device without one, `room` around the face
   * in every compared frame, all surely live. Null: staffed, or no match.
   */
  readonly witness: 'room' | 'light' | null;
}

/**
 * Durations in milliseconds; null for stages that were not reached.
 */
export interface VerificationTimings {
  /** From call to result. */
  readonly totalMs: number;
  /** From the camera request to the first frame. */
  readonly cameraStartMs: number | null;
  /** From first frame to verdict, on the camera's clock: at most the window of ten seconds. */
  readonly attemptMs: number | null;
  readonly frontalMs: number | null;
  /** Also null without a light challenge. */
  readonly lightMs: number | null;
  /** Of the turn, or of the staff check instead of it. */
  readonly turnMs: number | null;
  readonly returnMs: number | null;
}

export interface VerificationCounts {
  readonly framesAnalysed: number;
  /** Frames skipped because a newer one arrived while the device was busy. */
  readonly framesDropped: number;
  readonly framesUnscorable: number;
  readonly embeddings: number;
  readonly detections: number;
}

/** What the device's log of admissions says of a match. */
export interface MatchAdmission {
  /**
   * The admission is stored. False if the list needs no log (policy `off`, no address for check-ins), and if it could
   * not be stored although the list does: nobody will be told of this check-in.
   */
  readonly recorded: boolean;
  /** Policy `warn`: when the person was last let in, milliseconds since 1970; null for the first time. */
  readonly alreadyAdmittedAtMs: number | null;
  /** Name of the door that did, if it was another one of the list. */
  readonly door?: string;
  /** Whether the list's other doors were asked. `alone`: the service did not answer in time. */
  readonly sharing: Sharing;
}

/** A verdict without a face that matched, from before the camera or a failed check. */
export type Refusal = Exclude<Verdict, { readonly outcome: 'Match' | 'NoMatch' }>;

type Reason<O extends VerificationOutcome> = Extract<Verdict, { readonly outcome: O }>['reason'];

/** A verdict with what the log of admissions says. */
export type AdmissionVerdict =
  | Refusal
  | { readonly outcome: 'Match'; readonly reason: Reason<'Match'>; readonly admission: MatchAdmission }
  | { readonly outcome: 'NoMatch'; readonly reason: Exclude<Reason<'NoMatch'>, 'already-let-in'> }
  /** `alreadyAdmittedAtMs`: when the person was let in, milliseconds since 1970; `door`: where, if at another one. */
  | {
      readonly outcome: 'NoMatch';
      readonly reason: 'already-let-in';
      readonly alreadyAdmittedAtMs: number;
      readonly door?: string;
    };

/** The result of an attempt. Contains no score, picture or identifier. */
export type VerificationResult = AdmissionVerdict & {
  readonly protections: Protections;
  readonly timings: VerificationTimings;
  readonly counts: VerificationCounts;
};

/** Protections of an attempt, identical in results, in the status and in replays. */
export function protectionsOf(
  passiveLiveness: PassiveLiveness | null,
  light: Protections['light'],
  active: Protections['active'] = 'head-turn',
  { attendance = 'staffed', witness = null }: Partial<Pick<Protections, 'attendance' | 'witness'>> = {},
): Protections {
  return {
    passive: passiveLiveness?.name ?? 'absent-staff-in-view',
    passiveCalibration: passiveLiveness?.calibration.id ?? null,
    active,
    light,
    attendance,
    witness,
  };
}

/**
 * State of the light protection after the last sequence. A face that was not held still, or showed no trace, gave no
 * answer.
 */
export function lightProtection(verdict: LightVerdict | null): Protections['light'] {
  if (verdict === null) return 'when-possible';
  return verdict.outcome === 'abstained' && verdict.reason !== 'too-bright' ? 'not-answered' : verdict.outcome;
}
