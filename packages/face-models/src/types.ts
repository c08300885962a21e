import type { PassiveCalibration } from './passive-calibration.ts';
import type { PassiveModelName } from './passive-models.ts';

/** Models that the bundle always holds. */
export const baseModelNames = [
  'face-detection-short',
  'face-detection-full',
  'face-mesh',
  'face-embedding',
  'face-embedding-faceres',
  'passive-context',
  'passive-texture',
] as const;
/** Models that an operator adds; see `installMiniFasNet`. */
export const addOnModelNames = ['minifasnet-v2', 'minifasnet-v1se'] as const;

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

/** What one network adds to a template: its vector on the aligned chip, made a unit vector and then √weight long. */
export interface EmbeddingPart {
  readonly model: BaseModelName;
  /** Elements of the template that are this part's; parts follow one another. */
  readonly dimension: number;
  /** Room around the mean face's unit square on the network's chip, in widths of that square. */
  readonly padding: number;
  /** Whether a reference is the mean of the chip's vector and its mirror image's. */
  readonly mirror: boolean;
  /** Share of this part's cosine in the comparison score, above 0; an engine's add up to 1. */
  readonly weight: number;
}

/** What makes templates; templates of different engines cannot be compared. */
export interface EngineSpec {
  readonly engineId: string;
  /** Elements of a template. */
  readonly dimension: number;
  /** Cosine from which on two templates count as one person. */
  readonly matchThreshold: number;
}

/** An engine and how it makes a template. */
export interface EngineRecipe extends EngineSpec {
  /** At least one, in the template's order; their dimensions add up to the template's. */
  readonly parts: readonly EmbeddingPart[];
}

/** `manifest.json` of a model folder. */
export interface ModelManifest {
  readonly format: 1;
  /** The engine where none is asked for. */
  readonly engine: EngineSpec;
  /** Every engine that these models can be, the default included; an add-on folder's manifest names none. */
  readonly engines?: readonly EngineRecipe[];
  readonly models: Partial<Record<ModelName, ModelEntry>>;
  /** How the scores of passive-liveness models are read: at most one calibration for each. */
  readonly passiveLiveness?: readonly PassiveCalibration[];
  /**
   * The passive-liveness models that serve where none is asked for: the first whose networks are all there. An add-on folder's manifest
   * names none.
   */
  readonly passiveDefaults?: readonly PassiveModelName[];
}
