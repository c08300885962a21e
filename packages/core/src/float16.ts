import { FaceError } from './errors.ts';

const word = new DataView(new ArrayBuffer(4));

/** Nearest binary16 of a binary32, ties to even (IEEE 754-2019 4.3.1); beyond 65504 it becomes infinity. */
function toHalfBits(value: number): number {
  word.setFloat32(0, value);
  const bits = word.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction === 0 ? 0 : 0x200 | (fraction >>> 13));
  const halfExponent = exponent - 112;
  if (halfExponent >= 31) return sign | 0x7c00;
  if (halfExponent <= -11) return sign;
  // A carry out of the fraction increments the exponent, as rounding up requires.
  const shift = halfExponent <= 0 ? 14 - halfExponent : 13;
  const significand = halfExponent <= 0 ? fraction | 0x800000 : fraction | (halfExponent << 23);
  const kept = Math.floor(significand / 2 ** shift);
  const rest = significand - kept * 2 ** shift;
  const half = 2 ** (shift - 1);
  return sign | (kept + (rest > half || (rest === half && (kept & 1) === 1) ? 1 : 0));
}

function fromHalfBits(bits: number): number {
  const sign = (bits & 0x8000) << 16;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return (sign === 0 ? 1 : -1) * fraction * 2 ** -24;
  const wide = exponent === 31 ? 0xff : exponent + 112;
  word.setUint32(0, (sign | (wide << 23) | (fraction << 13)) >>> 0);
  return word.getFloat32(0);
}

/** Encodes as IEEE 754 binary16, little-endian, rounded to nearest even: 2 bytes per element. */
export function encodeFloat16(values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(values.length * 2);
  for (let i = 0; i < values.length; i++) {
    const bits = toHalfBits(values[i] ?? 0);
    bytes[i * 2] = bits & 0xff;
    bytes[i * 2 + 1] = bits >>> 8;
  }
  word.setUint32(0, 0);
  return bytes;
}

/**
 * Inverse of `encodeFloat16`, exact.
 * @throws FaceError `invalid-argument` if the length is odd
 */
export function decodeFloat16(bytes: Uint8Array): Float32Array {
  if (bytes.length % 2 !== 0) throw new FaceError('invalid-argument', 'half floats take two bytes each');
  const values = new Float32Array(bytes.length / 2);
  for (let i = 0; i < values.length; i++) {
    values[i] = fromHalfBits((bytes[i * 2] ?? 0) | ((bytes[i * 2 + 1] ?? 0) << 8));
  }
  word.setUint32(0, 0);
  return values;
}
