/** Shape of a map of 32-bit floats: rows of pixels, channels innermost. A vector is a map of one pixel. */
export interface MapShape {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

/** Rows and columns of zeros around a map. */
export type Border = readonly [top: number, bottom: number, left: number, right: number];

/** Applied to negative values: unchanged, zero, or multiplied by the channel's slope (PReLU). */
export type Activation = 'none' | 'relu' | Float32Array;

interface MapLayer {
  /** Index of a map in the plan. */
  readonly input: number;
  readonly output: number;
}

/** A layer that moves a window over the map `input`. */
interface WindowLayer extends MapLayer {
  readonly size: readonly [height: number, width: number];
  readonly stride: number;
}

/** A convolution over all channels. */
export interface ConvolutionLayer extends WindowLayer {
  readonly kind: 'convolution';
  readonly border: Border;
  /** `[outputs][height][width][channels]` */
  readonly filters: Float32Array;
  readonly bias: Float32Array;
  /** A map of the output's shape that is added before the activation. */
  readonly residual: number | null;
  readonly activation: Activation;
}

/** A depthwise convolution. */
export interface DepthwiseLayer extends WindowLayer {
  readonly kind: 'depthwise';
  readonly border: Border;
  /** `[height][width][channels]` */
  readonly filters: Float32Array;
  readonly bias: Float32Array;
  readonly activation: Activation;
}

/** Pooling over windows that lie wholly in the map. */
export interface PoolLayer extends WindowLayer {
  readonly kind: 'max-pool' | 'average-pool';
}

/** Pads with zeros below, to the right and in added channels, up to the output's shape. */
export interface PadLayer extends MapLayer {
  readonly kind: 'pad';
}

/** The sum of two maps of equal shape. */
export interface AddLayer {
  readonly kind: 'add';
  readonly inputs: readonly [number, number];
  readonly output: number;
  readonly activation: Activation;
}

/** Multiplies the input by one gate per channel and adds a map. */
export interface ScaleLayer extends MapLayer {
  readonly kind: 'scale';
  /** A map of one pixel. */
  readonly gates: number;
  readonly residual: number | null;
}

/** Multiplies the input by a constant and adds a constant, one of each per channel. */
export interface AffineLayer extends MapLayer {
  readonly kind: 'affine';
  readonly scales: Float32Array;
  readonly offsets: Float32Array;
  readonly activation: Activation;
}

/** 1 / (1 + exp(−x)) */
export interface LogisticLayer extends MapLayer {
  readonly kind: 'logistic';
}

/** exp(x) of each of a vector's first numbers, divided by the sum of all. */
export interface SoftmaxLayer extends MapLayer {
  readonly kind: 'softmax';
  readonly classes: number;
}

/** Doubles height and width: bilinear, with half-pixel centres and edges repeated. */
export interface UpsampleLayer extends MapLayer {
  readonly kind: 'upsample';
}

/** Any layer of a plan, by its `kind`. */
export type NetworkLayer =
  | ConvolutionLayer
  | DepthwiseLayer
  | PoolLayer
  | PadLayer
  | AddLayer
  | ScaleLayer
  | AffineLayer
  | LogisticLayer
  | SoftmaxLayer
  | UpsampleLayer;

/**
 * A convolutional network with one input. A layer reads the input or the output of an earlier layer, and writes its own
 * map.
 */
export interface NetworkPlan {
  readonly maps: readonly MapShape[];
  readonly input: number;
  /** At least one. */
  readonly outputs: readonly number[];
  readonly layers: readonly NetworkLayer[];
}
