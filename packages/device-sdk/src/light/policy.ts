/**
 * Required evidence in strong light. All sequences of an attempt together have a level of 2 %: docs/light-challenge.md.
 */
export interface StrongLightPolicy {
  /** Like {@link LightPolicy.maxChance}, for a first sequence. */
  readonly maxChance: number;
  /** Like {@link LightPolicy.errors}. */
  readonly errors: number;
  /** For a second one: maximum of its own chance, or of the product of both. */
  readonly again: { readonly maxChance: number; readonly maxProduct: number };
}

/** All numbers of the light challenge. docs/light-challenge.md gives the source of each. */
export interface LightPolicy {
  /** Number of consecutive colours. */
  readonly steps: number;
  /** Range of a step's duration, milliseconds, inclusive. Above 333 there are fewer than three changes per second. */
  readonly stepMs: { readonly least: number; readonly most: number; readonly grain: number };
  /** Maximum screen latency: from the request of a colour to the first frame lit by it. */
  readonly maxLatencyMs: number;
  /** Time to wait for frames after the last colour. */
  readonly arrivalMs: number;
  /** Frames this close to a change of colour may be lit by both and are not used. */
  readonly transitionMs: { readonly before: number; readonly after: number };
  /** Minimum usable frames and steps with one; otherwise there is no verdict. */
  readonly minFrames: number;
  readonly minStepsSeen: number;
  /** Maximum yaw of a face towards the screen, degrees. */
  readonly frontalYawDeg: number;
  /** A region with a larger share of overexposed pixels is not used in that frame. */
  readonly maxClippedShare: number;
  /**
   * Minimum gain of an answer: irradiance of the all-white screen over that of all other light, measured on the face.
   */
  readonly answerGain: number;
  /**
   * From here to {@link answerGain} the screen is visible, but too weak against other light to exclude a reflection.
   */
  readonly weakGain: number;
  /** An ordinary all-white screen, and its lux on a face of this width relative to the frame. */
  readonly ordinary: { readonly candela: number; readonly luxAtShare: number; readonly faceShare: number };
  /** Ambient light above which there is no verdict, estimated from the response and the screen: lux. */
  readonly brightLux: number;
  /** Evidence required before abstaining in such strong light, or for such a weak response. */
  readonly strongLight: StrongLightPolicy;
  /** Level of the permutation test: maximum share of all orders that explain the change as well as the drawn one. */
  readonly maxChance: number;
  /** Minimum share of the face's change that the drawn sequence explains in an answer, 0 to 1. */
  readonly minExplained: number;
  /** A region responds with at least this share of the whole face's gain. */
  readonly regionGainShare: number;
  /** And with at most this multiple of it; more is a mirror's highlight. */
  readonly maxRegionGain: number;
  /** Minimum regions that certainly respond, of five. */
  readonly minRegions: number;
  /** Number of standard errors that make a gain certain. */
  readonly errors: number;
  /** Halfway between lit (0) and mirrored by a pane (1): a share above it by one standard error is likely mirrored. */
  readonly maxGloss: number;
  /** Roughness of the gains below which a face counts as a sheet, up to a gain of the whole face. */
  readonly minRelief: number;
  readonly reliefUpToGain: number;
  /** Maximum gain of the background relative to the face's: a held-up picture responds as a whole. */
  readonly maxBackgroundShare: number;
}

/** The policy of all devices. */
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
