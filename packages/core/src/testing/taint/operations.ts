// The instructions' arithmetic, without taint.

import { simd } from './module.ts';

export type Scalar = number | bigint | Uint8Array;

const bit = (condition: boolean): number => (condition ? 1 : 0);
const i64 = (value: bigint): bigint => BigInt.asIntN(64, value);
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);

type Binary<T> = (a: T, b: T) => T | number;

/** Instructions on two i32. */
export const onInt32: ReadonlyMap<number, Binary<number>> = new Map<number, Binary<number>>([
  [0x46, (a, b) => bit(a === b)],
  [0x47, (a, b) => bit(a !== b)],
  [0x48, (a, b) => bit(a < b)],
  [0x49, (a, b) => bit(a >>> 0 < b >>> 0)],
  [0x4a, (a, b) => bit(a > b)],
  [0x4b, (a, b) => bit(a >>> 0 > b >>> 0)],
  [0x4c, (a, b) => bit(a <= b)],
  [0x4d, (a, b) => bit(a >>> 0 <= b >>> 0)],
  [0x4e, (a, b) => bit(a >= b)],
  [0x4f, (a, b) => bit(a >>> 0 >= b >>> 0)],
  [0x6a, (a, b) => (a + b) | 0],
  [0x6b, (a, b) => (a - b) | 0],
  [0x6c, (a, b) => Math.imul(a, b)],
  [0x6d, (a, b) => (a / b) | 0],
  [0x6e, (a, b) => ((a >>> 0) / (b >>> 0)) | 0],
  [0x6f, (a, b) => (a % b) | 0],
  [0x70, (a, b) => ((a >>> 0) % (b >>> 0)) | 0],
  [0x71, (a, b) => a & b],
  [0x72, (a, b) => a | b],
  [0x73, (a, b) => a ^ b],
  [0x74, (a, b) => a << b],
  [0x75, (a, b) => a >> b],
  [0x76, (a, b) => (a >>> b) | 0],
  [0x77, (a, b) => (b & 31 ? (a << (b & 31)) | (a >>> (32 - (b & 31))) : a)],
  [0x78, (a, b) => (b & 31 ? (a >>> (b & 31)) | (a << (32 - (b & 31))) : a)],
]);

/** Instructions on two i64. */
export const onInt64: ReadonlyMap<number, Binary<bigint>> = new Map<number, Binary<bigint>>([
  [0x51, (a, b) => bit(a === b)],
  [0x52, (a, b) => bit(a !== b)],
  [0x7c, (a, b) => i64(a + b)],
  [0x7d, (a, b) => i64(a - b)],
  [0x7e, (a, b) => i64(a * b)],
  [0x83, (a, b) => a & b],
  [0x84, (a, b) => a | b],
  [0x85, (a, b) => a ^ b],
  [0x86, (a, b) => i64(a << (b & 63n))],
  [0x87, (a, b) => a >> (b & 63n)],
  [0x88, (a, b) => i64(u64(a) >> (b & 63n))],
  [0x89, (a, b) => i64((u64(a) << (b & 63n)) | (u64(a) >> ((64n - b) & 63n)))],
  [0x8a, (a, b) => i64((u64(a) >> (b & 63n)) | (u64(a) << ((64n - b) & 63n)))],
]);

/** Instructions on one scalar. */
export const onScalar: ReadonlyMap<number, (a: number | bigint) => number | bigint> = new Map<
  number,
  (a: number | bigint) => number | bigint
>([
  [0x45, (a) => bit(a === 0)],
  [0x50, (a) => bit(a === 0n)],
  [0xa7, (a) => Number(BigInt.asIntN(32, BigInt(a)))],
  [0xac, (a) => BigInt(a)],
  [0xad, (a) => BigInt.asUintN(32, BigInt(a))],
]);

/** A word of `bytes` bytes, repeated. */
export function splat(value: number | bigint, bytes: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => Number((BigInt(value) >> BigInt((i % bytes) * 8)) & 0xffn));
}

export function replaceLane(vector: Uint8Array, lane: number, value: number | bigint, bytes: number): Uint8Array {
  const out = vector.slice();
  out.set(splat(value, bytes).subarray(0, bytes), lane * bytes);
  return out;
}

const map2 =
  (f: (a: number, b: number) => number) =>
  (a: Uint8Array, b: Uint8Array): Uint8Array =>
    a.map((value, i) => f(value, b[i] ?? 0));

/** Instructions on two v128. */
export const onVectors: ReadonlyMap<number, (a: Uint8Array, b: Uint8Array) => Uint8Array> = new Map([
  [simd(14), (a, b) => b.map((index) => a[index] ?? 0)],
  [simd(78), map2((a, b) => a & b)],
  [simd(79), map2((a, b) => a & ~b)],
  [simd(80), map2((a, b) => a | b)],
  [simd(81), map2((a, b) => a ^ b)],
]);

export function shuffle(a: Uint8Array, b: Uint8Array, indices: Uint8Array): Uint8Array {
  return indices.map((index) => (index < 16 ? a[index] : b[index - 16]) ?? 0);
}

/** Shifts each lane of `bytes` bytes. */
function shiftLanes(vector: Uint8Array, bytes: 1 | 2 | 8, shift: (lane: bigint) => bigint): Uint8Array {
  const out = new Uint8Array(16);
  for (let at = 0; at < 16; at += bytes) {
    let lane = 0n;
    for (let i = bytes - 1; i >= 0; i--) lane = (lane << 8n) | BigInt(vector[at + i] ?? 0);
    out.set(splat(shift(lane), bytes).subarray(0, bytes), at);
  }
  return out;
}

const left = (bytes: 1 | 2 | 8) => (vector: Uint8Array, by: number) =>
  shiftLanes(vector, bytes, (lane) => lane << BigInt(by % (bytes * 8)));
const right = (bytes: 1 | 2 | 8) => (vector: Uint8Array, by: number) =>
  shiftLanes(vector, bytes, (lane) => lane >> BigInt(by % (bytes * 8)));

/** Shifts of a v128 by an i32. */
export const onVectorAndShift: ReadonlyMap<number, (vector: Uint8Array, by: number) => Uint8Array> = new Map([
  [simd(107), left(1)],
  [simd(109), right(1)],
  [simd(139), left(2)],
  [simd(141), right(2)],
  [simd(203), left(8)],
  [simd(205), right(8)],
]);

/** Instructions on one v128. */
export const onVector: ReadonlyMap<number, (a: Uint8Array) => Uint8Array | number> = new Map<
  number,
  (a: Uint8Array) => Uint8Array | number
>([
  [simd(77), (a) => a.map((value) => ~value)],
  [simd(83), (a) => bit(a.some((value) => value !== 0))],
  [simd(97), (a) => a.map((value) => -value)],
]);

/** Bytes per lane of the splat and replace_lane instructions. */
export const splatBytes: ReadonlyMap<number, number> = new Map([
  [simd(15), 1],
  [simd(16), 2],
  [simd(17), 4],
  [simd(18), 8],
]);
export const replaceBytes: ReadonlyMap<number, number> = new Map([
  [simd(23), 1],
  [simd(26), 2],
  [simd(28), 4],
  [simd(30), 8],
]);

interface Access {
  readonly bytes: number;
  readonly read: (bytes: Uint8Array) => Scalar;
}

function little(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
const asInt32 = (bytes: Uint8Array): number => Number(BigInt.asIntN(32, little(bytes)));
const asInt64 = (bytes: Uint8Array): bigint => i64(little(bytes));

export const loads: ReadonlyMap<number, Access> = new Map<number, Access>([
  [0x28, { bytes: 4, read: asInt32 }],
  [0x29, { bytes: 8, read: asInt64 }],
  [0x2d, { bytes: 1, read: asInt32 }],
  [0x2f, { bytes: 2, read: asInt32 }],
  [simd(0), { bytes: 16, read: (bytes) => bytes }],
  [simd(9), { bytes: 4, read: (bytes) => splat(little(bytes), 4) }],
  [
    simd(93),
    {
      bytes: 8,
      read: (bytes) => {
        const vector = new Uint8Array(16);
        vector.set(bytes);
        return vector;
      },
    },
  ],
]);

/** Bytes that a store writes. */
export const stores: ReadonlyMap<number, number> = new Map([
  [0x36, 4],
  [0x37, 8],
  [0x3a, 1],
  [0x3b, 2],
  [simd(11), 16],
]);

export function toBytes(value: Scalar, bytes: number): Uint8Array {
  return value instanceof Uint8Array ? value : splat(value, bytes).slice(0, bytes);
}
