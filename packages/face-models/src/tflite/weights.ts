/** @throws RangeError beyond the end: the two weights do not belong together */
export function at(values: ArrayLike<number>, i: number): number {
  const value = values[i];
  if (value === undefined) throw new RangeError('weights of unequal length');
  return value;
}

/** The number that IEEE 754 binary16 bits represent; exact. */
export function fromHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/**
 * Constant values of a tensor in their stored form. A DEQUANTIZE widens bytes and halves inside the model, so that
 * arithmetic uses 32-bit floats.
 */
export type Weights =
  | { readonly type: 'float32'; readonly values: Float32Array }
  /** Bits of IEEE 754 binary16. */
  | { readonly type: 'float16'; readonly values: Uint16Array }
  | {
      readonly type: 'int8';
      readonly values: Int8Array;
      /** real = scale · (value − zeroPoint); one pair per tensor, or one per index of `axis`. */
      readonly scales: Float32Array;
      readonly zeroPoints: BigInt64Array;
      readonly axis: number;
    };

/** 32-bit weights from numbers of any precision. */
export const float32 = (values: ArrayLike<number>): Weights => ({ type: 'float32', values: Float32Array.from(values) });
