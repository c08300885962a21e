/**
 * Constant values of a tensor in the form in which they are stored. A DEQUANTIZE widens bytes and halves inside the model, so that the
 * arithmetic stays that of 32-bit floats.
 */
export type Weights =
  | { readonly type: 'float32'; readonly values: Float32Array }
  /** IEEE 754 binary16, as bits. */
  | { readonly type: 'float16'; readonly values: Uint16Array }
  | {
      readonly type: 'int8';
      readonly values: Int8Array;
      /** real = scale · (value − zeroPoint); one pair for the tensor, or one for each index of `axis`. */
      readonly scales: Float32Array;
      readonly zeroPoints: BigInt64Array;
      readonly axis: number;
    };

/** 32-bit weights from numbers of any precision. */
export const float32 = (values: ArrayLike<number>): Weights => ({ type: 'float32', values: Float32Array.from(values) });
