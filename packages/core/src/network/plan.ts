/** Shape of a map of 32-bit floats: rows of pixels, channels innermost. A vector is a map of one pixel. */
export interface MapShape {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
}

/** A window that moves over the map `input`; maps are named by their index in the plan. */
interface WindowLayer {
  readonly input: number;
  readonly output: number;
  readonly size: readonly [height: number, width: number];
  readonly stride: number;
}

export interface ConvolutionLayer extends WindowLayer {
  readonly kind: 'convolution';
  readonly padding: 'same' | 'valid';
  /** `[outputs][height][width][channels]` */
  readonly filters: Float32Array;
  readonly bias: Float32Array;
  /** A map of the output's shape to add before the rectifier. */
  readonly residual: number | null;
  readonly relu: boolean;
}

/** Windows that lie wholly in the map. */
export interface PoolLayer extends WindowLayer {
  readonly kind: 'max-pool' | 'average-pool';
}

/** Zeros below, to the right and in further channels, up to the output's shape. */
export interface PadLayer {
  readonly kind: 'pad';
  readonly input: number;
  readonly output: number;
}

export interface AddLayer {
  readonly kind: 'add';
  readonly inputs: readonly [number, number];
  readonly output: number;
  readonly relu: boolean;
}

export type NetworkLayer = ConvolutionLayer | PoolLayer | PadLayer | AddLayer;

/** A convolutional network with one input and one output. A layer reads the input or what a layer before it wrote; each writes a map of its own. */
export interface NetworkPlan {
  readonly maps: readonly MapShape[];
  readonly input: number;
  readonly output: number;
  readonly layers: readonly NetworkLayer[];
}
