// GHASH (NIST SP 800-38D 6.4) without table lookups at secret addresses.
//
// Carry-less multiplication from integer multiplication with holes ("ctmul64" of T. Pornin's BearSSL). Factors are split
// into four words with every fourth bit, so that no sum of products carries into the next bit kept. Only the low halves
// of products are available; the high half is the reversed low half of the bit-reversed factors' product. Eight blocks
// are multiplied by descending powers of H, summed, and reduced once.

// An operand is six words: with y1 the first and y0 the second 8 bytes (big-endian) and ' for bit reversal:
// y0, y1, y1', y0', y0 + y1, y0' + y1' (the last two for Karatsuba's method).
const OPERAND_BYTES: usize = 48;
/** A factor is an operand with each word split into four. */
const FACTOR_BYTES: usize = 192;
const MAX_BATCH = 8;

const M0: u64 = 0x1111111111111111;
const M1: u64 = 0x2222222222222222;
const M2: u64 = 0x4444444444444444;
const M3: u64 = 0x8888888888888888;

// Work space, from an address given by gcm.ts.
const STATE: usize = 0;
const HIGHEST_POWER: usize = STATE + 16;
const OPERANDS: usize = HIGHEST_POWER + 16;
const FACTORS: usize = OPERANDS + <usize>MAX_BATCH * OPERAND_BYTES;
/** Bytes of work space. */
export const GHASH_BYTES: usize = FACTORS + <usize>MAX_BATCH * FACTOR_BYTES;

/** Swaps the bits of `mask` with those `shift` above them. */
// @ts-ignore: decorator
@inline
function swapLanes(x: v128, shift: i32, mask: i8): v128 {
  const bits = i8x16.splat(mask);
  return v128.or(i64x2.shl(v128.and(x, bits), shift), v128.and(i64x2.shr_u(x, shift), bits));
}

/** Reverses the bits of each byte. */
// @ts-ignore: decorator
@inline
function reverseBits(x: v128): v128 {
  return swapLanes(swapLanes(swapLanes(x, 1, 0x55), 2, 0x33), 4, 0x0f);
}

// @ts-ignore: decorator
@inline
function storeOperand(to: usize, block: v128): void {
  const y = i8x16.swizzle(block, i8x16(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  // Reading little-endian already reverses the bytes.
  const r = reverseBits(block);
  v128.store(to, y, 0);
  v128.store(to, r, 16);
  const sums = v128.xor(i64x2.shuffle(y, r, 0, 2), i64x2.shuffle(y, r, 1, 3));
  v128.store(to, sums, 32);
}

/** Sum of the low 64 bits of the carry-less products of `count` words at `ys` with split words at `hs`. */
function sumOfProducts(ys: usize, hs: usize, count: i32): u64 {
  let z0: u64 = 0;
  let z1: u64 = 0;
  let z2: u64 = 0;
  let z3: u64 = 0;
  for (let i = 0; i < count; i++) {
    const y = load<u64>(ys);
    const y0 = y & M0;
    const y1 = y & M1;
    const y2 = y & M2;
    const y3 = y & M3;
    const h0 = load<u64>(hs, 0);
    const h1 = load<u64>(hs, 8);
    const h2 = load<u64>(hs, 16);
    const h3 = load<u64>(hs, 24);
    z0 ^= (y0 * h0) ^ (y1 * h3) ^ (y2 * h2) ^ (y3 * h1);
    z1 ^= (y0 * h1) ^ (y1 * h0) ^ (y2 * h3) ^ (y3 * h2);
    z2 ^= (y0 * h2) ^ (y1 * h1) ^ (y2 * h0) ^ (y3 * h3);
    z3 ^= (y0 * h3) ^ (y1 * h2) ^ (y2 * h1) ^ (y3 * h0);
    ys += OPERAND_BYTES;
    hs += FACTOR_BYTES;
  }
  return (z0 & M0) | (z1 & M1) | (z2 & M2) | (z3 & M3);
}

// @ts-ignore: decorator
@inline
function swapBits(x: u64, shift: u64, mask: u64): u64 {
  return ((x & mask) << shift) | ((x >> shift) & mask);
}

/** Reverses the bits of a word and drops the lowest: the product of reversed factors has 127 bits, not 128. */
function highHalf(x: u64): u64 {
  x = swapBits(x, 1, 0x5555555555555555);
  x = swapBits(x, 2, 0x3333333333333333);
  x = swapBits(x, 4, 0x0f0f0f0f0f0f0f0f);
  return bswap<u64>(x) >> 1;
}

// @ts-ignore: decorator
@inline
function factorAddress(work: usize, power: i32): usize {
  return work + FACTORS + <usize>(MAX_BATCH - power) * FACTOR_BYTES;
}

/** Sum of `count` operands times the factors H^power, H^(power-1) and so on, reduced, as a block at `out`. */
function multiplyBatch(work: usize, count: i32, power: i32, out: usize): void {
  const ys = work + OPERANDS;
  const hs = factorAddress(work, power);
  const z0 = sumOfProducts(ys, hs, count);
  const z1 = sumOfProducts(ys + 8, hs + 32, count);
  const z1h = sumOfProducts(ys + 16, hs + 64, count);
  const z0h = sumOfProducts(ys + 24, hs + 96, count);
  const z2 = sumOfProducts(ys + 32, hs + 128, count) ^ z0 ^ z1;
  const z2h = sumOfProducts(ys + 40, hs + 160, count) ^ z0h ^ z1h;
  let v0 = z0;
  let v1 = highHalf(z0h) ^ z2;
  let v2 = z1 ^ highHalf(z2h);
  let v3 = highHalf(z1h);
  // GCM's bits are reflected, so the product is one bit too low.
  v3 = (v3 << 1) | (v2 >> 63);
  v2 = (v2 << 1) | (v1 >> 63);
  v1 = (v1 << 1) | (v0 >> 63);
  v0 = v0 << 1;
  // Modulo x^128 + x^7 + x^2 + x + 1.
  v2 ^= v0 ^ (v0 >> 1) ^ (v0 >> 2) ^ (v0 >> 7);
  v1 ^= (v0 << 63) ^ (v0 << 62) ^ (v0 << 57);
  v3 ^= v1 ^ (v1 >> 1) ^ (v1 >> 2) ^ (v1 >> 7);
  v2 ^= (v1 << 63) ^ (v1 << 62) ^ (v1 << 57);
  store<u64>(out, bswap<u64>(v3), 0);
  store<u64>(out, bswap<u64>(v2), 8);
}

/** Splits the operand of `block` and stores it as the factor H^power. */
function storeFactor(work: usize, power: i32, block: v128): void {
  const operand = work + OPERANDS;
  storeOperand(operand, block);
  let to = factorAddress(work, power);
  for (let i: usize = 0; i < OPERAND_BYTES; i += 8) {
    const word = load<u64>(operand + i);
    store<u64>(to, word & M0, 0);
    store<u64>(to, word & M1, 8);
    store<u64>(to, word & M2, 16);
    store<u64>(to, word & M3, 24);
    to += 32;
  }
}

/** Starts a hash: takes the hash key from the block at `key` and zeroes the state. */
export function ghashStart(work: usize, key: usize): void {
  const highest = work + HIGHEST_POWER;
  const h = v128.load(key);
  v128.store(highest, h);
  storeFactor(work, 1, h);
  for (let power = 2; power <= MAX_BATCH; power++) {
    storeOperand(work + OPERANDS, v128.load(highest));
    multiplyBatch(work, 1, 1, highest);
    storeFactor(work, power, v128.load(highest));
  }
  v128.store(work + STATE, i8x16.splat(0));
}

/** Adds `blocks` whole blocks at `data` to the hash. */
export function ghash(work: usize, data: usize, blocks: i32): void {
  const state = work + STATE;
  while (blocks > 0) {
    const count = min(blocks, MAX_BATCH);
    let operand = work + OPERANDS;
    storeOperand(operand, v128.xor(v128.load(data), v128.load(state)));
    for (let i = 1; i < count; i++) {
      operand += OPERAND_BYTES;
      storeOperand(operand, v128.load(data + (<usize>i << 4)));
    }
    multiplyBatch(work, count, count, state);
    data += <usize>count << 4;
    blocks -= count;
  }
}

/** Adds one block. */
export function ghashBlock(work: usize, block: v128): void {
  storeOperand(work + OPERANDS, v128.xor(block, v128.load(work + STATE)));
  multiplyBatch(work, 1, 1, work + STATE);
}

/** The hash so far. */
export function ghashDigest(work: usize): v128 {
  return v128.load(work + STATE);
}
