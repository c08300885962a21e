import type { PassiveCalibration } from './passive-calibration.ts';
import type { PassiveModelName } from './passive-models.ts';

/** Models that the bundle always holds. */
export const baseModelNames = [
  'face-detection-short',
  'face-detection-full',
  'face-mesh',
  'face-embedding',
  'passive-context',
  'passive-texture',
] as const;
/** Models that an operator adds; see `installAddOn`. */
export const addOnModelNames = ['minifasnet-v2', 'minifasnet-v1se', 'face-reidentification-retail-0095'] as const;

/** Add-ons that an operator can install, as `svc models add` names them. */
export const addOnNames = ['face-reidentification-retail-0095', 'minifasnet'] as const;
export type AddOnName = (typeof addOnNames)[number];

export type BaseModelName = (typeof baseModelNames)[number];
export type AddOnModelName = (typeof addOnModelNames)[number];
export type ModelName = BaseModelName | AddOnModelName;

/** One input or output of a model. Layout is NHWC, channels are RGB. */
export interface TensorSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: 'float32';
  /** Domain of the values; for an image, what black and full white map to. */
  readonly range?: readonly [number, number];
}

/** What a model must answer to {@link goldenInput} before a runtime may serve with it. */
export interface GoldenOutput {
  /** Which variation of the golden picture, 0..2³²−1. */
  readonly inputSeed: number;
  /** Height of the head in the golden picture, as a share of the picture's height. */
  readonly faceHeight: number;
  /** Largest absolute error allowed on every value. */
  readonly tolerance: number;
  readonly outputs: readonly GoldenTensor[];
}

export interface GoldenTensor {
  /** Which output of the model. */
  readonly index: number;
  /** Number of elements of the whole output. */
  readonly length: number;
  /** Flat positions whose values are known. */
  readonly positions: readonly number[];
  readonly values: readonly number[];
}

export interface ModelEntry {
  readonly name: ModelName;
  /** File name beside the manifest; it contains the start of the hash, so it may be cached for ever. */
  readonly file: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
  /** SPDX expression. */
  readonly licence: string;
  readonly origin: string;
  readonly golden: GoldenOutput;
}

/** Models that make templates. */
export type EmbeddingModelName = Extract<ModelName, 'face-embedding' | 'face-reidentification-retail-0095'>;

/** How a face is laid onto the square chip that an embedding reads: a similarity, least squares over landmarks. */
export type ChipAlignment =
  /** 33 landmarks of nose, eyes and upper lip onto dlib's mean face. */
  | {
      readonly kind: 'mean-face';
      /** Room around the mean face's unit square, in widths of that square. */
      readonly padding: number;
    }
  /** Eye centres, nose tip and corners of the mouth. */
  | {
      readonly kind: 'five-points';
      /**
       * Where they lie, as shares of the chip's side: the eye, then the corner of the mouth, that an unmirrored picture
       * shows on its left come first, the nose between eyes and mouth.
       */
      readonly points: readonly (readonly [x: number, y: number])[];
    };

/** What a face must have to be enrolled. */
export interface FaceLimits {
  /** Least distance of the eye centres, pixels. */
  readonly interEyePx: number;
  /** Most turn to either side, degrees. */
  readonly yawDeg: number;
  /** Most turn up or down, degrees. */
  readonly pitchDeg: number;
  /** Least mean luma. */
  readonly brightness: number;
  /** Most burnt-out share. */
  readonly overexposed: number;
  /** Least sharpness. */
  readonly sharpness: number;
  /** Least share of the face in the frame and uncovered. */
  readonly coverage: number;
}

/** What makes templates; templates of different engines cannot be compared. */
export interface EngineSpec {
  readonly engineId: string;
  /** Elements of a template. */
  readonly dimension: number;
  /** Cosine from which on two templates count as one person. */
  readonly matchThreshold: number;
}

/**
 * An engine: how it makes a template, and every number that holds for it alone. None of them has a default;
 * docs/models.md tells which command measures each.
 */
export interface EngineRecipe extends EngineSpec {
  /** What the interface calls the engine: `mdl_` and 26 characters. */
  readonly modelId: string;
  readonly model: EmbeddingModelName;
  readonly alignment: ChipAlignment;
  /** Whether a reference is the mean of the chip's vector and its mirror image's. */
  readonly mirror: boolean;
  /** What the cosine of a turned face may be below `matchThreshold`. */
  readonly turnedMargin: number;
  /** What a photo must have to make a reference. */
  readonly enrolmentLimits: FaceLimits;
}

/** `manifest.json` of a model folder. */
export interface ModelManifest {
  readonly format: 1;
  /** Every engine that this edition knows, the preferred one first; an add-on folder's manifest names none. */
  readonly engines?: readonly EngineRecipe[];
  readonly models: Partial<Record<ModelName, ModelEntry>>;
  /** How the scores of passive-liveness models are read: at most one calibration for each. */
  readonly passiveLiveness?: readonly PassiveCalibration[];
  /**
   * The passive-liveness models that serve where none is asked for: the first whose networks are all there. An add-on
   * folder's manifest names none.
   */
  readonly passiveDefaults?: readonly PassiveModelName[];
}
