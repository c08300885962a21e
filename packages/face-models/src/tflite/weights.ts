/** @throws RangeError beyond the end, which means that two weights don't belong together */
export function at(values: ArrayLike<number>, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError('weights of unequal length');
  return value;
}

/** The number that IEEE 754 binary16 bits stand for; exact. */
export function fromHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/**
 * Constant values of a tensor in the form in which they are stored. A DEQUANTIZE widens bytes and halves inside the
 * model, so that the arithmetic stays that of 32-bit floats.
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
