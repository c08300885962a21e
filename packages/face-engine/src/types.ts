import type { FaceCore, PixelImage } from '@svc/core';
import type { EngineRecipe, PassiveCalibration, PassiveModelName } from '@svc/face-models';

/** A position in source pixels, continuous: pixel i covers [i, i+1). */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Axis-aligned box in source pixels; may reach beyond the image. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What a detector takes for a face. Not yet a face: `analyse` decides that. */
export interface Detection {
  readonly box: Box;
  /** Right eye, left eye, nose tip, mouth centre, right and left ear (the person's own right and left). */
  readonly keypoints: readonly Point[];
  /** Detector confidence, 0..1. */
  readonly score: number;
}

/** Head pose, ISO/IEC 19794-5: right-handed rotations about the person's own axes, order yaw · pitch · roll. */
export interface Pose {
  /** Positive to the person's own left, which an unmirrored image shows on its right. */
  readonly yawDeg: number;
  /** Positive downwards. */
  readonly pitchDeg: number;
  /** Positive towards the person's own right shoulder. */
  readonly rollDeg: number;
}

export interface Quality {
  /** Width of the mesh's bounds along the eye line, source pixels. */
  readonly faceWidthPx: number;
  /** Distance of the eye centres in the image, source pixels. */
  readonly interEyePx: number;
  /** Mean luma of the face, 0..1. */
  readonly brightness: number;
  /** Standard deviation of the face's luma, 0..0.5. */
  readonly contrast: number;
  /** Share of the face that is burnt out, 0..1. */
  readonly overexposed: number;
  /** 0..1, one minus the perceptual blur of Crete et al. (2007) on the aligned chip. */
  readonly sharpness: number;
  /** Share of the face inside the frame, times how surely eyes and mouth are in view, 0..1. */
  readonly coverage: number;
}

/** One confirmed face. Holds biometric data: call {@link wipeAnalysis} when done. */
export interface FaceAnalysis {
  /** Axis-aligned bounds of the mesh. */
  readonly box: Box;
  /** Face probability of the mesh model, 0..1. */
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
  /** The aligned face, `Uint8Array[105·105]` of luma: what `measureNoseRelief` looks at. */
  readonly reliefChip: Uint8Array;
}

/** A frame in the core's memory. Owned by the caller: dispose it, which wipes the pixels. */
export interface EngineImage {
  readonly width: number;
  readonly height: number;
  dispose(): void;
}

export type EnrolReason =
  | 'no-face'
  | 'several-faces'
  | 'face-too-small'
  | 'too-dark'
  | 'too-bright'
  | 'blurred'
  | 'turned-away'
  | 'covered';

/** A reference, owned and wiped by the caller, or why there is none. A refusal is a value, not an error. */
export type EnrolResult =
  | { readonly ok: true; readonly reference: Float32Array; readonly analysis: FaceAnalysis }
  | { readonly ok: false; readonly reason: EnrolReason; readonly measured?: number; readonly limit?: number };

export interface EngineChoice {
  /** One of the engine's `recipes`; its own when left out. */
  readonly engineId?: string;
}

export interface EmbedOptions extends EngineChoice {
  /**
   * Average the chip with its mirror image, which is what references are made of. Default true. A probe of the chip
   * alone costs half and finds its reference nearly as well (docs/face-engine.md); its impostor scores are no higher.
   */
  readonly mirror?: boolean;
}

/**
 * Frame → detection → landmarks, pose, quality: what an engine sees before it makes a template. Methods may be called
 * concurrently; they queue for the models.
 */
export interface FaceAnalyser {
  readonly core: FaceCore;
  /**
   * Copies the frame into the core once; dispose it.
   * @throws FaceError `image-invalid`
   */
  open(image: PixelImage): EngineImage;
  /** Faces by the short-range detector; an engine asks the full-range one too where that is not confident. */
  detect(image: EngineImage): Promise<readonly Detection[]>;
  /** Landmarks, pose and quality of a detection; null where it is not surely a face. */
  analyse(image: EngineImage, detection: Detection): Promise<FaceAnalysis | null>;
  /** The same on video, from the previous frame's landmarks, without a detector; null when the track is lost. */
  track(image: EngineImage, previous: FaceAnalysis): Promise<FaceAnalysis | null>;
  /** Frees the models. The runtime stays, it is the caller's. Idempotent. */
  dispose(): void;
}

/**
 * An analyser that makes templates of what it finds: those of one engine where none is named, those of others where
 * their networks are there too.
 */
export interface FaceEngine extends FaceAnalyser {
  /** Names model, recipe and version: only templates of one engine may be compared. */
  readonly engineId: string;
  readonly dimension: number;
  /** Cosine from which two templates count as one person's. */
  readonly matchThreshold: number;
  /** Every engine whose templates can be made here, this one included, with the numbers that hold for it alone. */
  readonly recipes: readonly EngineRecipe[];
  /**
   * Loads the networks of these engines and frees those of others. Others are loaded again when a call names them.
   * @throws FaceError `model-missing` for an engine that is not among `recipes`, `model-mismatch`, `golden-mismatch`,
   *   `runtime-failed`
   */
  prepare(engineIds: readonly string[]): Promise<void>;
  /**
   * `Float32Array[dimension]`, unit L2 norm: the engine's recipe, chip and mirror image averaged where it says so. The
   * caller wipes it.
   * @throws FaceError `model-missing` for an engine that is not among `recipes`
   */
  embed(image: EngineImage, face: FaceAnalysis, options?: EmbedOptions): Promise<Float32Array>;
  /** One face to one reference, or the reason why not. @throws FaceError `image-invalid`, `model-missing` as `embed` */
  enrol(image: PixelImage, choice?: EngineChoice): Promise<EnrolResult>;
}

/**
 * Passive presentation attack detection on one frame (ISO/IEC 30107-3). Port; adapters: presence, MiniFASNet, both
 * together.
 */
export interface PassiveLiveness {
  readonly name: PassiveModelName;
  /** How its scores are read. */
  readonly calibration: PassiveCalibration;
  /**
   * Live probability 0..1 of this frame; null when it cannot be scored: too close, dark, blurred, too little context.
   */
  score(image: EngineImage, face: FaceAnalysis): Promise<number | null>;
  dispose(): void;
}
