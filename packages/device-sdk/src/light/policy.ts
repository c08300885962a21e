/**
 * How well an order must be seen in strong light. All sequences of an attempt together come to a level of 2 %:
 * docs/light-challenge.md.
 */
export interface StrongLightPolicy {
  /** As {@link LightPolicy.maxChance}, of a first sequence. */
  readonly maxChance: number;
  /** As {@link LightPolicy.errors}. */
  readonly errors: number;
  /** Of a second one: up to this chance by itself, or up to this product of both chances. */
  readonly again: { readonly maxChance: number; readonly maxProduct: number };
}

/** Every number of the light challenge. docs/light-challenge.md tells where each comes from. */
export interface LightPolicy {
  /** Colours shown one after the other. */
  readonly steps: number;
  /**
   * How long a step may last, milliseconds, both ends included. Above 333 there are fewer than three changes a second.
   */
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
  /**
   * Irradiance of the all-white screen over that of everything else, as the face tells it, from which an answer counts.
   */
  readonly answerGain: number;
  /**
   * Below {@link answerGain} and from here on the screen is seen, yet too weak beside the other light to be told from a
   * reflection.
   */
  readonly weakGain: number;
  /** An ordinary screen, all white, and the lux that it gives a face of this width over the frame's. */
  readonly ordinary: { readonly candela: number; readonly luxAtShare: number; readonly faceShare: number };
  /** Above this much other light, by the answer and the screen, nothing is told: lux. */
  readonly brightLux: number;
  /** In light that strong, or beside an answer that weak: what is to be seen before nothing is told. */
  readonly strongLight: StrongLightPolicy;
  /**
   * Orders of colours that explain the change as well as the drawn one, as a share of all, up to which it counts as
   * seen: the level of the test.
   */
  readonly maxChance: number;
  /** Share of the face's change that the drawn sequence explains in an answer, 0..1. */
  readonly minExplained: number;
  /** A region answers with at least this share of the whole face's gain. */
  readonly regionGainShare: number;
  /** And with at most this many times that: more is a mirror's spot. */
  readonly maxRegionGain: number;
  /** Regions that surely answer, of five. */
  readonly minRegions: number;
  /** Standard errors that make a gain sure. */
  readonly errors: number;
  /**
   * Halfway between what is lit (0) and what a pane mirrors (1): what lies above by one standard error is likely
   * mirrored.
   */
  readonly maxGloss: number;
  /** Roughness of the gains below which a face is a sheet, up to a gain of the whole face. */
  readonly minRelief: number;
  readonly reliefUpToGain: number;
  /** The background may answer with at most this share of the face's gain: what is held up answers as a whole. */
  readonly maxBackgroundShare: number;
}

/** The one policy that devices run. */
export const STANDARD_LIGHT_POLICY: LightPolicy = {
  steps: 7,
  stepMs: { least: 340, most: 440, grain: 10 },
  maxLatencyMs: 400,
  arrivalMs: 200,
  transitionMs: { before: 20, after: 60 },
  minFrames: 12,
  minStepsSeen: 6,
  frontalYawDeg: 15,
  maxClippedShare: 0.25,
  answerGain: 0.03,
  ordinary: { candela: 14, luxAtShare: 36, faceShare: 0.286 },
  brightLux: 600,
  strongLight: { maxChance: 0.01, errors: 1, again: { maxChance: 0.004, maxProduct: 0.002 } },
  weakGain: 0.004,
  maxChance: 0.002,
  minExplained: 0.8,
  regionGainShare: 0.15,
  maxRegionGain: 5,
  minRegions: 4,
  errors: 2.5,
  maxGloss: 0.5,
  minRelief: 0.05,
  reliefUpToGain: 2,
  maxBackgroundShare: 0.5,
};
