/** What makes an answer of a change of colour. */
export interface AnswerPolicy {
  /** Share of the face's change that the drawn sequence explains, 0..1. */
  readonly explained: number;
  /** The same of a region by itself. */
  readonly regionExplained: number;
  /** Regions that answer, of five. */
  readonly regions: number;
}

/** Every number of the light challenge. docs/light-challenge.md tells where each comes from. */
export interface LightPolicy {
  /** Colours shown one after the other. */
  readonly steps: number;
  /** How long a step may last, milliseconds, both ends included. Above 333 there are fewer than three changes a second. */
  readonly stepMs: { readonly least: number; readonly most: number; readonly grain: number };
  /** How long the screen may take to reach the frames: from asking for a colour to the first frame lit by it. */
  readonly maxLatencyMs: number;
  /** How long frames are waited for after the last colour. */
  readonly arrivalMs: number;
  /** Frames this close to a change of colour may be lit by both, and tell nothing. */
  readonly transitionMs: { readonly before: number; readonly after: number };
  /** Fewer usable frames, or fewer steps with one: nothing can be told. */
  readonly minFrames: number;
  readonly minStepsSeen: number;
  /** Where a face counts as facing the screen. Degrees. */
  readonly frontalYawDeg: number;
  /** A region with more burnt-out pixels than this share says nothing of that frame. */
  readonly maxClippedShare: number;
  /** Irradiance of the all-white screen over that of everything else, as the face tells it, from which an answer counts. */
  readonly answerGain: number;
  /** Below {@link answerGain} and from here on the screen is seen, yet too weak beside the other light to be told from a reflection. */
  readonly weakGain: number;
  readonly answer: AnswerPolicy;
  readonly weakAnswer: AnswerPolicy;
  /** A region answers with at least this share of the whole face's gain. */
  readonly regionGainShare: number;
  /** A region that does not answer speaks against the answer where its noise is below this share of what the answer would be. */
  readonly silentNoise: number;
  /** The background may answer with at most this share of the face's gain: what is held up answers as a whole. */
  readonly maxBackgroundShare: number;
}

/** The one policy that devices run. */
export const STANDARD_LIGHT_POLICY: LightPolicy = {
  steps: 6,
  stepMs: { least: 350, most: 500, grain: 10 },
  maxLatencyMs: 400,
  arrivalMs: 200,
  transitionMs: { before: 20, after: 60 },
  minFrames: 12,
  minStepsSeen: 5,
  frontalYawDeg: 15,
  maxClippedShare: 0.25,
  answerGain: 0.05,
  weakGain: 0.004,
  answer: { explained: 0.8, regionExplained: 0.4, regions: 4 },
  weakAnswer: { explained: 0.35, regionExplained: 0.15, regions: 3 },
  regionGainShare: 0.35,
  silentNoise: 0.4,
  maxBackgroundShare: 0.5,
};
