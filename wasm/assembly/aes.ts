// AES-256 (FIPS 197), encryption only, in batches of eight blocks. Constant time by construction: see aesRounds in
// scripts/generate.mjs.

import {
  counterBatches,
  counterFirstRound,
  counterSecondRound,
  firstRound,
  lastRound,
  middleRound,
  subBytes,
} from './aes-rounds';

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

/** Takes `batches` · 8 blocks at `blocks` through all rounds but the last. */
export function startBlocks(keys: usize, blocks: usize, batches: i32): void {
  firstRound(blocks, batches, keys);
  middleRounds(keys, blocks, batches, 1);
}

function middleRounds(keys: usize, blocks: usize, batches: i32, first: usize): void {
  for (let round = first; round < 14; round++) {
    middleRound(blocks, batches, keys + round * 128);
  }
}

/** Takes blocks from `startBlocks` through the last round and XORs them into `data`. */
export function finishBlocks(keys: usize, blocks: usize, batches: i32, data: usize): void {
  lastRound(blocks, batches, keys + 14 * 128, data);
}

// Counter mode saves two rounds. 256 consecutive blocks differ in byte 15 only: after the first round in one column,
// after the second in a way that is linear in that column's four S-box outputs (E. Kaesper, P. Schwabe, "Faster and
// timing-attack resistant AES-GCM", CHES 2009, after D. Bernstein, P. Schwabe, 2008). These four bytes of 32 blocks
// fill eight planes.

const COUNTER_KEY: usize = 0;
const FIRST: usize = COUNTER_KEY + 128;
const ONCE: usize = FIRST + 128;
const TWICE: usize = ONCE + 128;
const CONSTANT_1: usize = TWICE + 128;
const CONSTANT_2: usize = CONSTANT_1 + 128;
/** Bytes of work space of `startCounters`. */
export const COUNTER_BYTES: usize = CONSTANT_2 + 128;

/** Writes blocks of `nonce` with consecutive big-endian counters in the last word. */
export function storeCounters(nonce: v128, counter: u32, blocks: usize, batches: i32): void {
  const end = blocks + <usize>batches * BATCH_BYTES;
  for (; blocks < end; blocks += 16) {
    v128.store(blocks, i32x4.replace_lane(nonce, 3, bswap<u32>(counter++)));
  }
}

/** Prepares the 256 counters around `counter`: derives the constants by computing their first batch in full. */
function startGroup(keys: usize, work: usize, nonce: v128, counter: u32, blocks: usize): void {
  storeCounters(nonce, counter & ~255, blocks, 1);
  firstRound(blocks, 1, keys);
  middleRound(blocks, 1, keys + 128);
  for (let i: usize = 0; i < 128; i += 16) {
    v128.store(work + COUNTER_KEY + i, i8x16.swizzle(v128.load(keys + i), i8x16.splat(15)));
  }
  counterFirstRound(work + COUNTER_KEY, 0, work + FIRST);
  for (let i: usize = 0; i < 128; i += 16) {
    const difference = load<u32>(blocks + i) ^ load<u32>(work + FIRST + i);
    v128.store(work + CONSTANT_1 + i, i32x4.splat(difference));
  }
  middleRound(blocks, 1, keys + 256);
  counterSecondRound(work + FIRST, work + CONSTANT_1, work + ONCE, work + TWICE);
  // XORing the batch's own part into its state leaves the constant.
  counterBatches(work + CONSTANT_2, 1, work + ONCE, work + TWICE, blocks);
}

/**
 * Takes the blocks of `batches` · 8 counters from `counter`, a multiple of 32, through all rounds but the last. Work
 * space is reused between calls; set `fresh` in the first call for a nonce.
 */
export function startCounters(
  keys: usize,
  work: usize,
  nonce: v128,
  counter: u32,
  blocks: usize,
  batches: i32,
  fresh: bool,
): void {
  for (let done = 0; done < batches; done += 4) {
    const to = blocks + <usize>done * BATCH_BYTES;
    const first = counter + (<u32>done << 3);
    if ((first & 255) == 0 || (fresh && done == 0)) startGroup(keys, work, nonce, first, to);
    counterFirstRound(work + COUNTER_KEY, first, work + FIRST);
    counterSecondRound(work + FIRST, work + CONSTANT_1, work + ONCE, work + TWICE);
    counterBatches(to, min(4, batches - done), work + ONCE, work + TWICE, work + CONSTANT_2);
  }
  middleRounds(keys, blocks, batches, 3);
}
