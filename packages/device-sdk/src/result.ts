import type { PassiveModelName } from '@svc/face-engine';

/** What {@link CheckInDevice.verifyLiveAsync} can answer; the names are the interface's. */
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
export type VerificationOutcome = (typeof verificationOutcomes)[number];

/** Why an outcome came about, per outcome. Stable names for staff texts and statistics; never a score. */
export const verdictReasons = {
  /** `verified-by-light`, `staff-confirmed`: without the head turn, by what the list has instead of it. */
  Match: ['verified', 'verified-by-light', 'staff-confirmed'],
  /** Standard check-in. `record-changed`: the person was erased or enrolled anew while standing before the camera. */
  NotEnrolled: ['not-on-list', 'id-invalid', 'record-unopenable', 'engine-mismatch', 'record-changed'],
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
  ],
  Expired: ['list-deadline', 'person-deadline'],
  LivenessFailed: [
    'attack-frame',
    'passive-below-threshold',
    'never-scorable',
    'too-few-scored-frames',
    'light-not-answered',
    'light-not-held',
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
  NoMatch: ['below-threshold', 'second-below-threshold', 'not-frontal', 'several-faces', 'window-ended'],
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

/** Which protections stood between the camera and the outcome. */
export interface Protections {
  /** The model of the passive check. `absent-staff-in-view`: none ran; the operator promised that staff watch. */
  readonly passive: PassiveModelName | 'absent-staff-in-view';
  /** The version by which the passive scores were read, e.g. `minifasnet-fused/3`; null where no passive check ran. */
  readonly passiveCalibration: string | null;
  /**
   * What was asked for after the first match: the head turn, or what the list has instead of it for who cannot turn.
   */
  readonly active: 'head-turn' | 'light' | 'staff';
  /**
   * `off`: not asked for, or the camera has no screen light. `when-possible`: asked for; in a result, the attempt did
   * not get there. `abstained`: the other light was too strong to tell an answer from none, and the attempt went on
   * without.
   */
  readonly light: 'off' | 'when-possible' | 'answered' | 'not-answered' | 'abstained';
}

/** Durations in milliseconds; null where the attempt never got there. */
export interface VerificationTimings {
  /** Call to result. */
  readonly totalMs: number;
  /** Camera asked for to first frame. */
  readonly cameraStartMs: number | null;
  /** First frame to verdict, on the camera's clock: at most the window of ten seconds. */
  readonly attemptMs: number | null;
  readonly frontalMs: number | null;
  /** Null too where no light was asked for. */
  readonly lightMs: number | null;
  /** Of the turn, or of staff's look in its place. */
  readonly turnMs: number | null;
  readonly returnMs: number | null;
}

/** What was done, in counts. */
export interface VerificationCounts {
  readonly framesAnalysed: number;
  /** Frames skipped because a newer one had come while the device was busy. */
  readonly framesDropped: number;
  readonly framesUnscorable: number;
  readonly embeddings: number;
  readonly detections: number;
}

/** The answer at the door. Holds no score, no picture, no identifier. */
export type VerificationResult = Verdict & {
  readonly protections: Protections;
  readonly timings: VerificationTimings;
  readonly counts: VerificationCounts;
};
