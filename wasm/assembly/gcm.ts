// AES-256-GCM (NIST SP 800-38D) with 96-bit nonces and 128-bit tags, in place.
//
// No address and no branch depends on a key, on plaintext or on anything made of them, save one: the verdict on the tag
// at the end of gcmOpen, which the caller learns anyway. Work space is wiped before each return.

import { counterBatch, expandKey, EXPANDED_KEY_BYTES } from './aes';
import { encryptBatch } from './aes-rounds';
import { folds, ghash, ghashBlock, ghashDigest, ghashStart, GHASH_LONG_BYTES, GHASH_SHORT_BYTES } from './ghash';

const STREAM_BYTES: usize = 128;

// The first batch carries what every message needs: the zero block, which becomes the hash key, counter 1, which masks
// the tag, and the key stream of counters 2 to 7.
const KEYS = memory.data(<i32>(EXPANDED_KEY_BYTES + 2 * STREAM_BYTES + GHASH_LONG_BYTES), 16);
const FIRST_BATCH = KEYS + EXPANDED_KEY_BYTES;
const STREAM = FIRST_BATCH + STREAM_BYTES;
const HASH = STREAM + STREAM_BYTES;
const TAG_MASK = FIRST_BATCH + 16;
const FIRST_STREAM = FIRST_BATCH + 32;
const FIRST_STREAM_BYTES: usize = 96;

function wipe(aadLength: i32, length: i32): void {
  const long = folds(blocksOf(aadLength)) || folds(blocksOf(length));
  memory.fill(KEYS, 0, HASH - KEYS + (long ? GHASH_LONG_BYTES : GHASH_SHORT_BYTES));
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

function begin(key: usize, nonce: v128): void {
  expandKey(key, KEYS);
  v128.store(FIRST_BATCH, i8x16.splat(0));
  for (let i = 1; i < 8; i++) {
    v128.store(FIRST_BATCH + (<usize>i << 4), i32x4.replace_lane(nonce, 3, bswap<u32>(i)));
  }
  encryptBatch(KEYS, FIRST_BATCH);
  ghashStart(HASH, FIRST_BATCH);
}

/** Adds the key stream to `length` bytes at `data` and, in whole batches, to what follows them. */
function addStream(nonce: v128, data: usize, length: i32): void {
  for (let i: usize = 0; i < FIRST_STREAM_BYTES; i += 16) {
    v128.store(data + i, v128.xor(v128.load(data + i), v128.load(FIRST_STREAM + i)));
  }
  data += FIRST_STREAM_BYTES;
  let counter: u32 = 8;
  for (let left = length - <i32>FIRST_STREAM_BYTES; left > 0; left -= <i32>STREAM_BYTES) {
    counterBatch(KEYS, nonce, counter, STREAM);
    for (let i: usize = 0; i < STREAM_BYTES; i += 16) {
      v128.store(data + i, v128.xor(v128.load(data + i), v128.load(STREAM + i)));
    }
    data += STREAM_BYTES;
    counter += 8;
  }
}

/** Hashes a string whose last block is filled up with zeros. */
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
 * Encrypts `length` bytes at `data` in place and writes the 16-byte tag at `tag`. `aad` has room up to the next multiple
 * of 16, `data` has room for `length + 128` bytes; what they hold beyond their lengths is overwritten.
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
  begin(key, iv);
  addStream(iv, data, length);
  v128.store(tag, tagOf(aad, aadLength, data, length));
  wipe(aadLength, length);
}

/**
 * Decrypts in place if the tag at `tag` is right: status 0. Otherwise status 1, and nothing was decrypted. Room as for
 * gcmSeal.
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
  begin(key, iv);
  // All sixteen bytes are compared at once.
  const status = <i32>v128.any_true(v128.xor(tagOf(aad, aadLength, data, length), v128.load(tag)));
  if (status == 0) addStream(iv, data, length);
  wipe(aadLength, length);
  return status;
}
