// AES-256 (FIPS 197), encryption only, eight blocks at a time. Constant time by construction: see aes-rounds.ts.

import { encryptBatch, subBytes } from './aes-rounds';

/** Bytes of an expanded key: 15 round keys of 8 planes. */
export const EXPANDED_KEY_BYTES: usize = 15 * 128;

/** Spreads a round key over bit planes: each byte of plane k is all ones where bit k of the key's byte is set. */
function storePlanes(to: usize, roundKey: v128): void {
  const bit = i8x16.splat(1);
  for (let plane = 0; plane < 8; plane++) {
    v128.store(to, i8x16.neg(v128.and(roundKey, bit)));
    roundKey = i16x8.shr_u(roundKey, 1);
    to += 16;
  }
}

/** Running XOR over the four words. */
// @ts-ignore: decorator
@inline
function accumulateWords(words: v128): v128 {
  const zero = i8x16.splat(0);
  // Bytes 16 and up name the second operand.
  words = v128.xor(words, i8x16.shuffle(zero, words, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return v128.xor(words, i8x16.shuffle(zero, words, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23));
}

/** Key expansion (FIPS 197 5.2) of the 32 bytes at `key` into EXPANDED_KEY_BYTES at `to`. */
export function expandKey(key: usize, to: usize): void {
  // From the second on, round keys carry the constant that the S-box circuit leaves out.
  const affine = i8x16.splat(0x63);
  let even = v128.load(key);
  let odd = v128.load(key, 16);
  storePlanes(to, even);
  storePlanes(to + 128, v128.xor(odd, affine));
  to += 256;
  for (let i = 0; ; i++) {
    const rotated = i8x16.shuffle(odd, odd, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12);
    const constant = i32x4.splat(1 << i);
    even = v128.xor(accumulateWords(even), v128.xor(subBytes(rotated), constant));
    storePlanes(to, v128.xor(even, affine));
    if (i == 6) break;
    const last = i8x16.shuffle(even, even, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
    odd = v128.xor(accumulateWords(odd), subBytes(last));
    storePlanes(to + 128, v128.xor(odd, affine));
    to += 256;
  }
}

/**
 * Encrypts in counter mode (SP 800-38A 6.5) 8 blocks: counter blocks are `nonce` with the 32-bit big-endian numbers
 * `counter` to `counter + 7` in their last word. The key stream is left at `stream`.
 */
export function counterBatch(keys: usize, nonce: v128, counter: u32, stream: usize): void {
  for (let i: u32 = 0; i < 8; i++) {
    v128.store(stream + (<usize>i << 4), i32x4.replace_lane(nonce, 3, bswap<u32>(counter + i)));
  }
  encryptBatch(keys, stream);
}
