/** Constants of a tensor, DEQUANTIZE applied; null for what is computed. */
export type GraphConstant = Float32Array | Int32Array | null;

export interface GraphTensor {
  readonly shape: readonly number[];
  readonly constant: GraphConstant;
}

interface Operator {
  /** Indices of tensors. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
}

interface WindowOperator extends Operator {
  readonly padding: 'same' | 'valid';
  /** Pixels, down and across. */
  readonly strides: readonly [number, number];
  readonly activation: 'none' | 'relu';
}

/**
 * Inputs of `conv2d` and `fully-connected` are map, filters (outputs first) and bias; of `depthwise-conv2d` likewise, with filters
 * `[1, height, width, channels]`; of `pad` map and amounts; of `prelu` map and slopes.
 */
export type GraphOperator =
  | (WindowOperator & { readonly kind: 'conv2d' | 'depthwise-conv2d' })
  | (WindowOperator & { readonly kind: 'average-pool' | 'max-pool'; readonly size: readonly [number, number] })
  | (Operator & { readonly kind: 'fully-connected'; readonly activation: 'none' | 'relu' })
  | (Operator & { readonly kind: 'add' | 'mul'; readonly activation: 'none' | 'relu' })
  | (Operator & { readonly kind: 'pad' | 'prelu' | 'logistic' | 'softmax' });

/** A `.tflite` file's first subgraph, in the order of execution. */
export interface TfliteGraph {
  readonly tensors: readonly GraphTensor[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly operators: readonly GraphOperator[];
}
