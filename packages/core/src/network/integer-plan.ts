import type {
  AddLayer,
  ConvolutionLayer,
  DepthwiseLayer,
  LogisticLayer,
  MapShape,
  PadLayer,
  PoolLayer,
  ScaleLayer,
  SoftmaxLayer,
  UpsampleLayer,
} from './plan.ts';

/** A map of an integer network. */
export interface IntegerMap extends MapShape {
  /** Integers q of 16 bits that stand for q · scale, |q| ≤ most ≤ 32767; null for floats. */
  readonly integers: { readonly scale: number; readonly most: number } | null;
}

/** Weights in the order of the float layer's filters: q · the scale of the output channel, |q| ≤ 1023. */
export interface IntegerFilters {
  readonly values: Int16Array;
  /** One per output channel. */
  readonly scales: Float32Array;
}

/**
 * Floats to integers: x · scale + offset of the channel; channels that the input lacks are 0. It alone reads the
 * network's input.
 */
export interface QuantiseLayer {
  readonly kind: 'quantise';
  readonly input: number;
  readonly output: number;
  /** One per channel of the input. */
  readonly scales: Float32Array;
  readonly offsets: Float32Array;
}

type WithIntegerFilters<T> = Omit<T, 'filters'> & { readonly filters: IntegerFilters };

export type IntegerConvolutionLayer = WithIntegerFilters<ConvolutionLayer>;
export type IntegerDepthwiseLayer = WithIntegerFilters<DepthwiseLayer>;

/**
 * Any layer of an integer plan, by its `kind`. Biases and slopes are real numbers. A convolution writes integers or
 * floats, a logistic function reads floats and writes integers, softmax reads and writes floats; the others read and write
 * integers, max-pool and pad with the same scale.
 */
export type IntegerLayer =
  | QuantiseLayer
  | IntegerConvolutionLayer
  | IntegerDepthwiseLayer
  | PoolLayer
  | PadLayer
  | AddLayer
  | ScaleLayer
  | LogisticLayer
  | SoftmaxLayer
  | UpsampleLayer;

/**
 * A convolutional network that computes with integers. Maps of integers have a multiple of eight channels, but the
 * output of the quantise layer, which may have four.
 */
export interface IntegerPlan {
  readonly maps: readonly IntegerMap[];
  /** A map of floats. */
  readonly input: number;
  /** At least one: maps of floats, and how many of their first channels are given out. */
  readonly outputs: readonly { readonly map: number; readonly channels: number }[];
  /** Shapes of the results, which the outputs, one after the other, fill. */
  readonly results: readonly (readonly number[])[];
  readonly layers: readonly IntegerLayer[];
}
