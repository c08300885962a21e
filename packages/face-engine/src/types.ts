import type { FaceCore, PixelImage } from '@svc/core';
import type { EngineRecipe, PassiveCalibration, PassiveModelName } from '@svc/face-models';

/** A position in source pixels, continuous: pixel i covers [i, i+1). */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Axis-aligned box in source pixels; may extend beyond the image. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A detector's candidate for a face; `analyse` confirms it. */
export interface Detection {
  readonly box: Box;
  /** Right eye, left eye, nose tip, mouth centre, right and left ear (the person's own right and left). */
  readonly keypoints: readonly Point[];
  /** Detector confidence, 0 to 1. */
  readonly score: number;
}

/**
 * Head pose, ISO/IEC 19794-5: right-handed rotations about the person's own axes, in the order yaw · pitch · roll.
 * Degrees.
 */
export interface Pose {
  /** Positive to the person's own left, which is the right of an unmirrored image. */
  readonly yawDeg: number;
  /** Positive downwards. */
  readonly pitchDeg: number;
  /** Positive towards the person's own right shoulder. */
  readonly rollDeg: number;
}

/** Quality measures of one face. */
export interface Quality {
  /** Width of the mesh's bounds along the eye line, source pixels. */
  readonly faceWidthPx: number;
  /** Distance of the eye centres in the image, source pixels. */
  readonly interEyePx: number;
  /** Mean luma of the face, 0 to 1. */
  readonly brightness: number;
  /** Standard deviation of the face's luma, 0 to 0.5. */
  readonly contrast: number;
  /** Share of the face that is overexposed, 0 to 1. */
  readonly overexposed: number;
  /** One minus the perceptual blur of Crete et al. (2007) on the aligned chip, 0 to 1. */
  readonly sharpness: number;
  /** How complete the face is, 0 to 1: share inside the frame times the certainty that eyes and mouth are uncovered. */
  readonly coverage: number;
}

/** One confirmed face. Holds biometric data: call {@link wipeAnalysis} when done. */
export interface FaceAnalysis {
  /** Axis-aligned bounds of the mesh. */
  readonly box: Box;
  /** Face probability of the mesh model, 0 to 1. */
  readonly faceFlag: number;
  /** `Float32Array[468·3]`: x, y in source pixels, z in the same unit, negative towards the camera. */
  readonly landmarks: Float32Array;
  readonly pose: Pose;
  readonly quality: Quality;
  /**
   * Sideways offset of the nose tip from the affine fit of mesh points 33, 263, 61, 291, over the inter-eye distance; ≥
   * 0.
   */
  readonly parallax: number;
  /** The aligned face, `Uint8Array[105·105]` of luma, for `measureNoseRelief`. */
  readonly reliefChip: Uint8Array;
}

/** A frame in wasm memory. Owned by the caller; `dispose` wipes the pixels. */
export interface EngineImage {
  readonly width: number;
  readonly height: number;
  dispose(): void;
}

/** Why a picture cannot be enrolled. */
export type EnrolReason =
  | 'no-face'
  | 'several-faces'
  | 'face-too-small'
  | 'too-dark'
  | 'too-bright'
  | 'blurred'
  | 'turned-away'
  | 'covered';

/** A reference, owned and wiped by the caller, or the reason for refusal. A refusal is a value, not an error. */
export type EnrolResult =
  | { readonly ok: true; readonly reference: Float32Array; readonly analysis: FaceAnalysis }
  | { readonly ok: false; readonly reason: EnrolReason; readonly measured?: number; readonly limit?: number };

/** Which engine makes the template. */
export interface EngineChoice {
  /** One of the engine's `recipes`, or a former version of one. Default: its own. */
  readonly engineId?: string;
}

/** Options of {@link FaceEngine.embed}. */
export interface EmbedOptions extends EngineChoice {
  /**
   * Average the chip with its mirror image, as references require. Default true. A probe without the mirror costs half
   * and matches nearly as well (docs/internals/face-engine.md); its impostor scores are no higher.
   */
  readonly mirror?: boolean;
}

/**
 * Frame → detection → landmarks, pose, quality: an engine's steps before the template. Methods may be called
 * concurrently; they queue for the models.
 */
export interface FaceAnalyser {
  readonly core: FaceCore;
  /**
   * Copies the frame into wasm memory once; the caller disposes it.
   * @throws FaceError `image-invalid`
   */
  open(image: PixelImage): EngineImage;
  /** Faces by the short-range detector; an engine also asks the full-range one if the former is not confident. */
  detect(image: EngineImage): Promise<readonly Detection[]>;
  /** Landmarks, pose and quality of a detection; null if it is not confirmed as a face. The caller wipes the result. */
  analyse(image: EngineImage, detection: Detection): Promise<FaceAnalysis | null>;
  /** Like `analyse`, on video, from the previous frame's landmarks without a detector; null if the track is lost. */
  track(image: EngineImage, previous: FaceAnalysis): Promise<FaceAnalysis | null>;
  /** Frees the models but not the runtime, which the caller owns. Idempotent. */
  dispose(): void;
}

/** An analyser that also makes templates: of its own engine by default, and of others whose networks are installed. */
export interface FaceEngine extends FaceAnalyser {
  /** Identifies model, recipe and version; only templates of one engine and of its former versions can be compared. */
  readonly engineId: string;
  readonly dimension: number;
  /** Minimum cosine of a match. */
  readonly matchThreshold: number;
  /** All engines whose templates can be made here, this one included, each with its own thresholds. */
  readonly recipes: readonly EngineRecipe[];
  /**
   * Loads the networks of these engines and frees the others, which are loaded again on demand.
   * @throws FaceError `model-missing` for an engine outside `recipes`, `model-mismatch`, `golden-mismatch`,
   *   `runtime-failed`
   */
  prepare(engineIds: readonly string[]): Promise<void>;
  /**
   * Makes a template by the engine's recipe, which may average chip and mirror image.
   * @returns `Float32Array[dimension]`, unit L2 norm; wiped by the caller
   * @throws FaceError `model-missing` for an engine outside `recipes`
   */
  embed(image: EngineImage, face: FaceAnalysis, options?: EmbedOptions): Promise<Float32Array>;
  /**
   * Enrols the one face of a picture, or returns the reason for refusal. @throws FaceError `image-invalid`,
   * `model-missing` as `embed`
   */
  enrol(image: PixelImage, choice?: EngineChoice): Promise<EnrolResult>;
}

/** Passive presentation attack detection on one frame (ISO/IEC 30107-3). */
export interface PassiveLiveness {
  readonly name: PassiveModelName;
  /** How to interpret its scores. */
  readonly calibration: PassiveCalibration;
  /** What this frame shows; null if it cannot be scored: too close, dark, blurred, or too little context. */
  score(image: EngineImage, face: FaceAnalysis): Promise<PassiveScore | null>;
  dispose(): void;
}

/** Passive check of one frame. */
export interface PassiveScore {
  /** Mean live probability of the networks, 0 to 1. */
  readonly score: number;
  /**
   * Probability that it is live by both networks and the room together, 0 to 1, for devices that nobody watches.
   * Null if the calibration has no evidence.
   */
  readonly evidence: number | null;
}
