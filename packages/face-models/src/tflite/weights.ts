/**
 * Constant values of a tensor in the form in which they are stored; what is not 32-bit is widened by a DEQUANTIZE when the
 * model is loaded or run, so that the arithmetic stays that of 32-bit floats.
 */
export type Weights =
  | { readonly type: 'float32'; readonly values: Float32Array }
  /** IEEE 754 binary16. */
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

/** 16-bit weights, each rounded to the nearest, ties to even. */
export function float16(values: ArrayLike<number>): Weights {
  return {
    type: 'float16',
    values: Uint16Array.from({ length: values.length }, (_, i) => toFloat16Bits(values[i] ?? 0)),
  };
}

const word = new DataView(new ArrayBuffer(4));

/** Bits of the binary16 nearest to a number (IEEE 754-2019, 4.3.1). Too large becomes infinite, NaN stays NaN. */
export function toFloat16Bits(value: number): number {
  word.setFloat32(0, value);
  const bits = word.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = Math.abs(Math.fround(value));
  if (Number.isNaN(value)) return sign | 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 2 ** -14) return sign | roundHalfToEven(magnitude * 2 ** 24);
  const exponent = ((bits >>> 23) & 0xff) - 127;
  // A mantissa that rounds up to 2 carries into the exponent by itself.
  return sign | (((exponent + 15) << 10) + roundHalfToEven((magnitude / 2 ** exponent - 1) * 1024));
}

function roundHalfToEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
