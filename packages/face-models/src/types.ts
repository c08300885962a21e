import type { PassiveCalibration } from './passive-model.ts';

/** Models that every bundle contains. */
export const baseModelNames = ['face-detection-short', 'face-detection-full', 'face-mesh', 'face-embedding'] as const;
/** Models that an operator adds; see `installAddOn`. */
export const addOnModelNames = ['minifasnet-v2', 'minifasnet-v1se', 'face-reidentification-retail-0095'] as const;

/** Add-ons that an operator can install, by their names in `svc models add`. */
export const addOnNames = ['face-reidentification-retail-0095', 'minifasnet'] as const;
/** Name of an add-on. */
export type AddOnName = (typeof addOnNames)[number];

/** Name of a base model. */
export type BaseModelName = (typeof baseModelNames)[number];
/** Name of an add-on model. */
export type AddOnModelName = (typeof addOnModelNames)[number];
/** Name of any model. */
export type ModelName = BaseModelName | AddOnModelName;

/** One input or output of a model. Layout is NHWC, channels are RGB. */
export interface TensorSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: 'float32';
  /** Value range; for an image, the values of black and white. */
  readonly range?: readonly [number, number];
}

/** What {@link goldenInput} draws. */
export interface GoldenPicture {
  /** Seed of the picture's variation, 0 to 2³² − 1. */
  readonly inputSeed: number;
  /** Height of the head, relative to the picture's height. */
  readonly faceHeight: number;
}

/** Expected outputs of a model for {@link goldenInput}; a runtime must reproduce them before it is used. */
export type GoldenOutput = GoldenDigest | GoldenValues;

/** Of integers, which give the same bits everywhere. */
export interface GoldenDigest extends GoldenPicture {
  /** Of all outputs, in their order, as little-endian 32-bit floats; lower-case hexadecimal. */
  readonly sha256: string;
}

/** Of floats: some of their values. */
export interface GoldenValues extends GoldenPicture {
  /** Maximum absolute error of every value. */
  readonly tolerance: number;
  readonly outputs: readonly GoldenTensor[];
}

/** Golden values of one output. */
export interface GoldenTensor {
  /** Index of the model's output. */
  readonly index: number;
  /** Number of elements of the whole output. */
  readonly length: number;
  /** Flat indices of the known values. */
  readonly positions: readonly number[];
  readonly values: readonly number[];
}

/** A model in the manifest. */
export interface ModelEntry {
  readonly name: ModelName;
  /** File name beside the manifest; contains the start of the hash, so it may be cached permanently. */
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

/** How a face is aligned to the square chip of an embedding: a similarity, least squares over landmarks. */
export type ChipAlignment =
  /** 33 landmarks of nose, eyes and upper lip, aligned to dlib's mean face. */
  | {
      readonly kind: 'mean-face';
      /** Padding around the mean face's unit square, in widths of that square. */
      readonly padding: number;
    }
  /** Eye centres, nose tip and mouth corners. */
  | {
      readonly kind: 'five-points';
      /**
       * Their positions relative to the chip's side, in the order: eye at the left of an unmirrored picture, other eye,
       * nose tip, mouth corner at the left, other corner.
       */
      readonly points: readonly (readonly [x: number, y: number])[];
    };

/** Quality limits of enrolment. */
export interface FaceLimits {
  /** Minimum distance of the eye centres, pixels. */
  readonly interEyePx: number;
  /** Maximum yaw to either side, degrees. */
  readonly yawDeg: number;
  /** Maximum pitch up or down, degrees. */
  readonly pitchDeg: number;
  /** Minimum mean luma, 0 to 1. */
  readonly brightness: number;
  /** Maximum overexposed share, 0 to 1. */
  readonly overexposed: number;
  /** Minimum sharpness, 0 to 1. */
  readonly sharpness: number;
  /** Minimum share of the face in the frame and uncovered, 0 to 1. */
  readonly coverage: number;
}

/** Identity of an engine; templates of different engines cannot be compared, but those of its versions. */
export interface EngineSpec {
  readonly engineId: string;
  /** Elements per template. */
  readonly dimension: number;
  /** Minimum cosine of a match. */
  readonly matchThreshold: number;
}

/**
 * An engine: how it makes a template, and every number that holds for it alone. None has a default;
 * docs/internals/models.md names the command that measures each.
 */
export interface EngineRecipe extends EngineSpec {
  /** The engine's id in the interface: `mdl_` and 26 characters. */
  readonly modelId: string;
  /**
   * Versions that this engine goes on for, newest first. The threshold is the minimum cosine of this engine's template
   * with one of the version.
   */
  readonly former: readonly Pick<EngineRecipe, 'engineId' | 'modelId' | 'matchThreshold'>[];
  readonly model: EmbeddingModelName;
  readonly alignment: ChipAlignment;
  /** Whether a reference averages the chip's vector with its mirror image's. */
  readonly mirror: boolean;
  /** How far below `matchThreshold` the cosine of a turned face may be. */
  readonly turnedMargin: number;
  /** Quality limits of a photo for a reference. */
  readonly enrolmentLimits: FaceLimits;
}

/** An engine, or a former version of one. */
export type EngineVersion = Omit<EngineRecipe, 'former'>;

/** `manifest.json` of a model folder. */
export interface ModelManifest {
  readonly format: 1;
  /** Every engine of this version, the preferred one first; absent from an add-on's manifest. */
  readonly engines?: readonly EngineRecipe[];
  readonly models: Partial<Record<ModelName, ModelEntry>>;
  /** How the scores of the passive model are read; it comes with the model's networks. */
  readonly passiveLiveness?: PassiveCalibration;
}
