// AES-256-GCM (NIST SP 800-38D) with 96-bit nonces and 128-bit tags, in place.
//
// No address and no branch depends on a key, on plaintext or on values derived from them, with one exception: the
// result of the tag check in gcmOpen, which the caller learns anyway. Work space is wiped before each return.

import { expandKey, EXPANDED_KEY_BYTES, finishBlocks, startBlocks, storeCounters } from './aes';
import { ghash, ghashBlock, GHASH_BYTES, ghashDigest, ghashStart } from './ghash';

const BATCH_BYTES: usize = 128;
/** Batches per round before the next round begins: enough to fill a processor's pipeline. */
const SWEEP = 8;

const WORK_BYTES = EXPANDED_KEY_BYTES + BATCH_BYTES + <usize>SWEEP * BATCH_BYTES + GHASH_BYTES;
const KEYS = memory.data(<i32>WORK_BYTES, 16);
// The first batch holds what every message needs: the zero block (the hash key), counter 1 (which masks the tag), and
// the key stream of counters 2 to 7.
const FIRST_BATCH = KEYS + EXPANDED_KEY_BYTES;
const TAG_MASK = FIRST_BATCH + 16;
const FIRST_STREAM = FIRST_BATCH + 32;
const FIRST_STREAM_BYTES: usize = 96;
const BLOCKS = FIRST_BATCH + BATCH_BYTES;
const HASH = BLOCKS + <usize>SWEEP * BATCH_BYTES;

function wipe(): void {
  memory.fill(KEYS, 0, WORK_BYTES);
}

// @ts-ignore: decorator
@inline
function blocksOf(length: i32): i32 {
  return (length + 15) >> 4;
}

// @ts-ignore: decorator
@inline
function loadNonce(nonce: usize): v128 {
  return i32x4.replace_lane(v128.load64_zero(nonce), 2, load<i32>(nonce, 8));
}

/**
 * Expands the key, computes the first batch, and starts the other batches of the first sweep that `length` bytes need.
 */
function begin(key: usize, nonce: v128, length: i32): void {
  expandKey(key, KEYS);
  const batches = min(SWEEP, 1 + batchesOf(length));
  storeCounters(nonce, 0, BLOCKS, batches);
  v128.store(BLOCKS, i8x16.splat(0));
  startBlocks(KEYS, BLOCKS, batches);
  memory.fill(FIRST_BATCH, 0, BATCH_BYTES);
  finishBlocks(KEYS, BLOCKS, 1, FIRST_BATCH);
  ghashStart(HASH, FIRST_BATCH);
}

/** Batches for `length` bytes, without the first batch. */
// @ts-ignore: decorator
@inline
function batchesOf(length: i32): i32 {
  return max(0, (length + 31) >> 7);
}

/**
 * XORs the key stream, whose first sweep `begin` started, into `length` bytes at `data`, rounded up to whole batches.
 */
function addStream(nonce: v128, data: usize, length: i32): void {
  for (let i: usize = 0; i < FIRST_STREAM_BYTES; i += 16) {
    v128.store(data + i, v128.xor(v128.load(data + i), v128.load(FIRST_STREAM + i)));
  }
  data += FIRST_STREAM_BYTES;
  const batches = batchesOf(length);
  let done = min(SWEEP - 1, batches);
  finishBlocks(KEYS, BLOCKS + BATCH_BYTES, done, data);
  while (done < batches) {
    const count = min(SWEEP, batches - done);
    storeCounters(nonce, <u32>(done + 1) << 3, BLOCKS, count);
    startBlocks(KEYS, BLOCKS, count);
    finishBlocks(KEYS, BLOCKS, count, data + <usize>done * BATCH_BYTES);
    done += count;
  }
}

/** Hashes a string, its last block padded with zeros. */
function hashPadded(data: usize, length: i32): void {
  memory.fill(data + <usize>length, 0, <usize>(blocksOf(length) << 4) - <usize>length);
  ghash(HASH, data, blocksOf(length));
}

function tagOf(aad: usize, aadLength: i32, data: usize, length: i32): v128 {
  hashPadded(aad, aadLength);
  hashPadded(data, length);
  const lengths = i64x2.splat(bswap<i64>(<i64>aadLength << 3));
  ghashBlock(HASH, i64x2.replace_lane(lengths, 1, bswap<i64>(<i64>length << 3)));
  return v128.xor(ghashDigest(HASH), v128.load(TAG_MASK));
}

/**
 * Encrypts `length` bytes at `data` in place and writes the 16-byte tag at `tag`. Buffers: `aad` up to the next
 * multiple of 16, `data` `length + 128` bytes; bytes beyond their lengths are overwritten.
 */
export function gcmSeal(
  key: usize,
  nonce: usize,
  aad: usize,
  aadLength: i32,
  data: usize,
  length: i32,
  tag: usize,
): void {
  const iv = loadNonce(nonce);
  begin(key, iv, length);
  addStream(iv, data, length);
  v128.store(tag, tagOf(aad, aadLength, data, length));
  wipe();
}

/**
 * Decrypts in place if the tag at `tag` is right: status 0. Otherwise status 1, and nothing is decrypted. Buffers as
 * for gcmSeal.
 */
export function gcmOpen(
  key: usize,
  nonce: usize,
  aad: usize,
  aadLength: i32,
  data: usize,
  length: i32,
  tag: usize,
): i32 {
  const iv = loadNonce(nonce);
  begin(key, iv, length);
  // All sixteen bytes are compared at once.
  const status = <i32>v128.any_true(v128.xor(tagOf(aad, aadLength, data, length), v128.load(tag)));
  if (status == 0) addStream(iv, data, length);
  wipe();
  return status;
}
