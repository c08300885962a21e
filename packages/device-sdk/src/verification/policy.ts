import type { ReliefPolicy } from '@svc/face-engine';

/**
 * Frames a second that a device must manage, docs/internals/liveness.md “How many frames”: with fewer, the ten-second
 * window ends before people who do as asked have been seen often enough.
 */
export const MIN_FRAMES_PER_SECOND = 2.5;
/** The same where everybody is lit: a sequence needs its own number of frames. */
export const MIN_LIT_FRAMES_PER_SECOND = 6;

/** Frames turned further than `turned.untilYawDeg` are not measured. */
const relief: ReliefPolicy = {
  ...{ fromYawDeg: 15, minAgreement: 0.5, minFrames: 2 },
  ...{ minDepth: 0.16, minWidthKept: 0.7, surelyDeep: 0.25 },
};

/**
 * Every number of the verification, of all devices; docs/internals/liveness.md gives the source of each. Angles in
 * degrees, times in milliseconds.
 */
export const STANDARD_POLICY = {
  /** From the first frame. */
  windowMs: 10_000,
  /** Maximum time until the camera's first frame. */
  firstFrameTimeoutMs: 10_000,
  /** Times without a face before the first match until the person is asked to step into view, and until the end. */
  emptyView: { askAfterMs: 3_000, endAfterMs: 6_000 },
  /** |yaw| up to this is frontal. */
  frontalYawDeg: 12,
  turnYawDeg: 25,
  wrongWayYawDeg: 12,
  minParallax: 0.08,
  /**
   * Minimum width over height of the turned face, relative to the frontal match: a head is round, a sheet of paper is
   * not.
   */
  minAspectKept: 0.83,
  relief,
  /** Passive liveness within an attempt. The model's calibration interprets its scores. */
  passive: {
    /** The running estimate is the mean over the scored frames of this period. */
    estimateWindowMs: 3_000,
    /** Minimum scored frames within the window; with fewer there is no estimate, and no stage can be completed. */
    minScoredFrames: 5,
    /** Maximum share of unscorable frames in the window; with more there is no estimate. 0 to 1. */
    maxUnscorableShare: 0.5,
    /** Minimum outward score at every frame that has one. */
    minOutward: 0.9,
    /** Scored frames that the turn and the return each need. */
    minScoredFramesPerStage: 3,
  },
  /** Minimum interval between embeddings. */
  compareIntervalMs: 300,
  /** Misses that end the frontal stage: each further comparison is another chance for an impostor. */
  maxFrontalMisses: 8,
  maxReturnMisses: 3,
  /**
   * Frames of a settled face in one probe: each comparison in front and on the way back uses the mean of up to
   * `maxFrames` compared frames. A face that moved by more than `maxMotion` since the previous frame, in its own widths
   * and heights, restarts the mean. docs/internals/liveness.md, “Several frames of a face”, has the errors. No frontal
   * face of two webcam clips moved by more than 0.15 in 100 ms; in 300 ms 3 % of one clip's did and none of the
   * other's.
   */
  fusion: { maxFrames: 5, maxMotion: 0.15 },
  /**
   * A face turned from `fromYawDeg` in the requested direction is compared too, with a threshold lower by its engine's
   * `turnedMargin`. A miss beyond `untilYawDeg` is ignored, since too little of the face is in view; a match counts.
   */
  turned: { fromYawDeg: 10, untilYawDeg: 35, maxMisses: 1 },
  /**
   * The stage of the light challenge; the `LightPolicy` defines an answer. Under coloured light one miss may be a false
   * non-match. `maxRounds`: sequences until the face was held still. `usualMs`: duration of a sequence, for the
   * progress of a prompt.
   */
  light: { compareIntervalMs: 900, maxMisses: 2, maxRounds: 2, usualMs: 2_800 },
  /** What an unattended door asks for in addition; docs/internals/liveness.md, “Doors that nobody watches”, has the reasons. */
  unattended: {
    /** Without a light: minimum room around a face, so that the rim of a smaller thing held up would be in view. */
    minRoom: 2,
    /** With as much, stepping back does not raise the evidence any more. */
    ampleRoom: 3,
    /** Minimum evidence of such a frontal frame itself: the mean of 3 s outlives a screen shown for a moment. */
    minOwnEvidence: 0.5,
    light: {
      /** From the first frame until the first colour: exposure settles on the resting light. */
      settleMs: 300,
      /**
       * As in `light`, how late a frame may be that can be compared, and the maximum time without a match in a sequence
       * that counts: one comparison may miss, each after whole frames of a slow device.
       */
      ...{ compareIntervalMs: 600, slackMs: 150, maxUnseenMs: 1_600 },
      /** Scored frames before it begins early, so that the first match follows soon enough for it. */
      minScoredFrames: 3,
      /**
       * In place of the score and of `surelyAttack`: with an answer, which is at least 143 times likelier from a person
       * than from what does not know the order, this evidence is a probability of 0.9.
       */
      minEvidence: 0.06,
      /** The room of the lit face changes by this factor at most, until the end: another head would have its own. */
      maxRoomRatio: 1.3,
      /** Of an attempt, aborted ones included: each is another chance. */
      maxSequences: 3,
      /** A further sequence begins only if so much of the window is left, for itself and the turn. */
      needsMs: 5_000,
    },
  },
} as const;
