import type { ReliefPolicy } from '@svc/face-engine';

/**
 * Rules of passive liveness within an attempt. How the model's scores are read is not among them: the model brings its
 * calibration.
 */
export interface PassivePolicy {
  /** The running estimate is the mean over the scored frames of this long. */
  readonly estimateWindowMs: number;
  /** Fewer scored frames than this within the window: there is no estimate, and no stage can be left. */
  readonly minScoredFrames: number;
  /** More unscorable frames than this share of the window's: there is no estimate. 0..1. */
  readonly maxUnscorableShare: number;
  /** The outward score that must hold at every frame that has one. */
  readonly minOutward: number;
  /** Scored frames that the turn and the return each need of their own. */
  readonly minScoredFramesPerStage: number;
}

/**
 * How a turned face is compared. A turned face resembles its frontal reference less, so its threshold lies lower: by
 * its engine's `turnedMargin`.
 */
export interface TurnedPolicy {
  /** From this far towards the asked side a face is compared while it turns and while it comes back. */
  readonly fromYawDeg: number;
  /** A miss beyond this angle says nothing: too little of the face is in view. A match still counts. */
  readonly untilYawDeg: number;
  /** Misses that say something and end the attempt. */
  readonly maxMisses: number;
}

/**
 * How frames of one settled face come to one probe. Each comparison in front and on the way back is of the mean of the
 * frames that were compared before it and of its own, so that it is one more chance for an impostor as it was with a
 * frame alone, and no more embeddings are made.
 */
export interface FusionPolicy {
  /** Frames in the mean; the oldest goes when another comes. */
  readonly maxFrames: number;
  /**
   * What a face may have moved since the frame before, in its own widths and heights: from one that moved further the
   * mean starts anew.
   */
  readonly maxMotion: number;
}

/** The stage of the light challenge; what counts as an answer is the `LightPolicy`'s. */
export interface LightStagePolicy {
  /** A face under the light is compared this often. */
  readonly compareIntervalMs: number;
  /** Comparisons below the threshold that end the stage: under coloured light one may go wrong. */
  readonly maxMisses: number;
  /** Sequences until the face was held to the screen. */
  readonly maxRounds: number;
  /** What a sequence takes, for the progress of a prompt. */
  readonly usualMs: number;
}

/** Every number of the verification. Angles in degrees, times in milliseconds. */
export interface VerificationPolicy {
  /** From the first frame. */
  readonly windowMs: number;
  /** How long a camera may take to its first frame. */
  readonly firstFrameTimeoutMs: number;
  /** |yaw| up to this is frontal. */
  readonly frontalYawDeg: number;
  readonly turnYawDeg: number;
  readonly wrongWayYawDeg: number;
  readonly minParallax: number;
  /**
   * What the turned face must keep of its width over height from the frontal match: a head is round, a sheet of paper
   * is not.
   */
  readonly minAspectKept: number;
  /** Frames turned further than `turned.untilYawDeg` are not measured. */
  readonly relief: ReliefPolicy;
  readonly passive: PassivePolicy;
  /** An embedding is made at most this often. */
  readonly compareIntervalMs: number;
  /** Comparisons below the threshold that end the frontal stage: each more is one more chance for an impostor. */
  readonly maxFrontalMisses: number;
  readonly maxReturnMisses: number;
  readonly fusion: FusionPolicy;
  readonly turned: TurnedPolicy;
  readonly light: LightStagePolicy;
}

/** The one policy that devices run; docs/liveness.md tells where each number comes from. */
export const STANDARD_POLICY: VerificationPolicy = {
  windowMs: 10_000,
  firstFrameTimeoutMs: 10_000,
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
