/** All numbers of the light challenge, of all devices; docs/internals/light-challenge.md says what they are for. */
export const STANDARD_LIGHT_POLICY = {
  /** Number of consecutive colours. */
  steps: 7,
  /** Range of a step's duration, milliseconds, inclusive. Above 333 there are fewer than three changes per second. */
  stepMs: { least: 340, most: 440, grain: 10 },
  /** Maximum screen latency: from the request of a colour to the first frame lit by it. */
  maxLatencyMs: 400,
  /** Time to wait for frames after the last colour. */
  arrivalMs: 200,
  /** Frames this close to a change of colour may be lit by both and are not used. */
  transitionMs: { before: 20, after: 60 },
  /** Minimum usable frames and steps with one; otherwise there is no verdict. */
  minFrames: 12,
  minStepsSeen: 6,
  /** Maximum yaw of a face towards the screen, degrees. */
  frontalYawDeg: 15,
  /** A region with a larger share of overexposed pixels is not used in that frame. */
  maxClippedShare: 0.25,
  /**
   * Minimum gain of an answer: irradiance of the all-white screen over that of all other light, measured on the face.
   */
  answerGain: 0.03,
  /** An ordinary all-white screen, and its lux on a face of this width relative to the frame. */
  ordinary: { candela: 14, luxAtShare: 36, faceShare: 0.286 },
  /** Ambient light above which there is no verdict, estimated from the response and the screen: lux. */
  brightLux: 600,
  /**
   * Evidence required before abstaining in such strong light, or for such a weak response: `maxChance` and `errors` as
   * below, for a first sequence; for a second one the maximum of its own chance, or of the product of both. All
   * sequences of an attempt together have a level of 2 %.
   */
  strongLight: { maxChance: 0.01, errors: 1, again: { maxChance: 0.004, maxProduct: 0.002 } },
  /** From here to `answerGain` the screen is visible, but too weak against other light to exclude a reflection. */
  weakGain: 0.004,
  /** Level of the permutation test: maximum share of all orders that explain the change as well as the drawn one. */
  maxChance: 0.002,
  /** Minimum share of the face's change that the drawn sequence explains in an answer, 0 to 1. */
  minExplained: 0.8,
  /** A region responds with at least this share of the whole face's gain. */
  regionGainShare: 0.15,
  /** And with at most this multiple of it; more is a mirror's highlight. */
  maxRegionGain: 5,
  /** Minimum regions that certainly respond, of five. */
  minRegions: 4,
  /** Number of standard errors that make a gain certain. */
  errors: 2.5,
  /** Halfway between lit (0) and mirrored by a pane (1): a share above it by one standard error is likely mirrored. */
  maxGloss: 0.5,
  /** Roughness of the gains below which a face counts as a sheet, up to a gain of the whole face. */
  minRelief: 0.05,
  reliefUpToGain: 2,
  /** Maximum gain of the background relative to the face's: a held-up picture responds as a whole. */
  maxBackgroundShare: 0.5,
} as const;
