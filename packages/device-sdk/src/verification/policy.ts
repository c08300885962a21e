import type { ReliefPolicy } from '@svc/face-engine';

/** Rules of passive liveness within an attempt. The model's calibration interprets its scores. */
export interface PassivePolicy {
  /** The running estimate is the mean over the scored frames of this period. */
  readonly estimateWindowMs: number;
  /** Minimum scored frames within the window; with fewer there is no estimate, and no stage can be completed. */
  readonly minScoredFrames: number;
  /** Maximum share of unscorable frames in the window; with more there is no estimate. 0 to 1. */
  readonly maxUnscorableShare: number;
  /** Minimum outward score at every frame that has one. */
  readonly minOutward: number;
  /** Scored frames that the turn and the return each need. */
  readonly minScoredFramesPerStage: number;
}

/**
 * How a turned face is compared. It resembles the frontal reference less, so its threshold is lower by its engine's
 * `turnedMargin`.
 */
export interface TurnedPolicy {
  /** From this angle in the requested direction a face is compared while it turns and returns. */
  readonly fromYawDeg: number;
  /** A miss beyond this angle is ignored: too little of the face is in view. A match still counts. */
  readonly untilYawDeg: number;
  /** Number of misses that end the attempt, ignored ones not counted. */
  readonly maxMisses: number;
}

/**
 * How frames of a settled face are combined into one probe. Each comparison in front and on the way back uses the mean
 * of the previously compared frames and its own. The number of comparisons (an impostor's chances) and of embeddings
 * stays that of single frames.
 */
export interface FusionPolicy {
  /** Frames in the mean; a new one replaces the oldest. */
  readonly maxFrames: number;
  /**
   * Maximum movement of a face since the previous frame, in its own widths and heights; a larger one restarts the mean.
   */
  readonly maxMotion: number;
}

/** The stage of the light challenge; the `LightPolicy` defines an answer. */
export interface LightStagePolicy {
  /** Interval of comparisons under the light. */
  readonly compareIntervalMs: number;
  /** Number of misses that end the stage: under coloured light one may be a false non-match. */
  readonly maxMisses: number;
  /** Maximum sequences until the face was held still. */
  readonly maxRounds: number;
  /** Usual duration of a sequence, for the progress of a prompt. */
  readonly usualMs: number;
}

/** When no face is in view before the first match. */
export interface EmptyViewPolicy {
  /** After this time without a face the person is asked to step into view. */
  readonly askAfterMs: number;
  /** After this time without any face the attempt ends. */
  readonly endAfterMs: number;
}

/** Every number of the verification. Angles in degrees, times in milliseconds. */
export interface VerificationPolicy {
  /** From the first frame. */
  readonly windowMs: number;
  /** Maximum time until the camera's first frame. */
  readonly firstFrameTimeoutMs: number;
  readonly emptyView: EmptyViewPolicy;
  /** |yaw| up to this is frontal. */
  readonly frontalYawDeg: number;
  readonly turnYawDeg: number;
  readonly wrongWayYawDeg: number;
  readonly minParallax: number;
  /**
   * Minimum width over height of the turned face, relative to the frontal match: a head is round, a sheet of paper is
   * not.
   */
  readonly minAspectKept: number;
  /** Frames turned further than `turned.untilYawDeg` are not measured. */
  readonly relief: ReliefPolicy;
  readonly passive: PassivePolicy;
  /** Minimum interval between embeddings. */
  readonly compareIntervalMs: number;
  /** Misses that end the frontal stage: each further comparison is another chance for an impostor. */
  readonly maxFrontalMisses: number;
  readonly maxReturnMisses: number;
  readonly fusion: FusionPolicy;
  readonly turned: TurnedPolicy;
  readonly light: LightStagePolicy;
}

/**
 * Frames a second that a device must manage, docs/liveness.md «How many frames»: with fewer, the ten-second window
 * ends before people who do as asked have been seen often enough.
 */
export const MIN_FRAMES_PER_SECOND = 2.5;

/** The policy of all devices; docs/liveness.md gives the source of each number. */
export const STANDARD_POLICY: VerificationPolicy = {
  windowMs: 10_000,
  firstFrameTimeoutMs: 10_000,
  emptyView: { askAfterMs: 3_000, endAfterMs: 6_000 },
  frontalYawDeg: 12,
  turnYawDeg: 25,
  wrongWayYawDeg: 12,
  minParallax: 0.08,
  minAspectKept: 0.83,
  relief: { fromYawDeg: 15, minAgreement: 0.5, minFrames: 2, minDepth: 0.16, minWidthKept: 0.7, surelyDeep: 0.25 },
  passive: {
    estimateWindowMs: 3_000,
    minScoredFrames: 5,
    maxUnscorableShare: 0.5,
    minOutward: 0.9,
    minScoredFramesPerStage: 3,
  },
  compareIntervalMs: 300,
  maxFrontalMisses: 8,
  maxReturnMisses: 3,
  // docs/liveness.md, «Several frames of a face»: errors by `npm run evaluate:fusion` in benchmarks. Motion: no frontal
  // face of two webcam clips moved by more than 0.15 in 100 ms; in 300 ms 3 % of one clip's did and none of the
  // other's.
  fusion: { maxFrames: 5, maxMotion: 0.15 },
  turned: { fromYawDeg: 10, untilYawDeg: 35, maxMisses: 1 },
  light: { compareIntervalMs: 900, maxMisses: 2, maxRounds: 2, usualMs: 2_800 },
};
