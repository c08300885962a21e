// AES-256 (FIPS 197), encryption only, in batches of eight blocks. Constant time by construction: see aesRounds in
// scripts/generate.mjs.

import { firstRound, lastRound, middleRound, subBytes } from './aes-rounds';

const BATCH_BYTES: usize = 128;

/** Bytes of an expanded key: 15 round keys of 8 planes. */
export const EXPANDED_KEY_BYTES: usize = 15 * 128;

/** Expands a round key into bit planes: each byte of plane k is all ones where bit k of the key's byte is set. */
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
  // Indices from 16 select the second operand.
  words = v128.xor(words, i8x16.shuffle(zero, words, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));
  return v128.xor(words, i8x16.shuffle(zero, words, 0, 0, 0, 0, 0, 0, 0, 0, 16, 17, 18, 19, 20, 21, 22, 23));
}

/** Key expansion (FIPS 197 5.2) of the 32 bytes at `key` into EXPANDED_KEY_BYTES at `to`. */
export function expandKey(key: usize, to: usize): void {
  // Round keys from the second on include the constant that the S-box circuit omits.
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

/** Writes blocks of `nonce` with consecutive big-endian counters in the last word. */
export function storeCounters(nonce: v128, counter: u32, blocks: usize, batches: i32): void {
  const end = blocks + <usize>batches * BATCH_BYTES;
  for (; blocks < end; blocks += 16) {
    v128.store(blocks, i32x4.replace_lane(nonce, 3, bswap<u32>(counter++)));
  }
}

/** Takes `batches` · 8 blocks at `blocks` through all rounds but the last. */
export function startBlocks(keys: usize, blocks: usize, batches: i32): void {
  firstRound(blocks, batches, keys);
  for (let round: usize = 1; round < 14; round++) {
    middleRound(blocks, batches, keys + round * 128);
  }
}

/** Takes blocks from `startBlocks` through the last round and XORs them into `data`. */
export function finishBlocks(keys: usize, blocks: usize, batches: i32, data: usize): void {
  lastRound(blocks, batches, keys + 14 * 128, data);
}
