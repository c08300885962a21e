import { sha256 } from '@noble/hashes/sha2.js';
import { secretBytes } from './bytes.ts';

// HMAC and HKDF of @noble/hashes leave the padded key in memory that cannot be wiped (see `secretBytes`), so only its
// hash is used.
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

function hashInto(out: Uint8Array, ...parts: readonly Uint8Array[]): void {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  hash.digestInto(out);
  hash.destroy();
}

/**
 * HMAC-SHA-256 (RFC 2104, RFC 4231) of the joined parts.
 * @param key of any length; only read
 * @returns 32 bytes; the caller wipes them if they are secret
 */
export function hmacSha256(key: Uint8Array, ...message: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const block = secretBytes(BLOCK_BYTES);
  const mac = secretBytes(HASH_BYTES);
  if (key.length > BLOCK_BYTES) hashInto(block.subarray(0, HASH_BYTES), key);
  else block.set(key);
  for (let i = 0; i < BLOCK_BYTES; i++) block[i] = (block[i] ?? 0) ^ INNER_PAD;
  hashInto(mac, block, ...message);
  for (let i = 0; i < BLOCK_BYTES; i++) block[i] = (block[i] ?? 0) ^ INNER_PAD ^ OUTER_PAD;
  hashInto(mac, block, mac);
  block.fill(0);
  return mac;
}

/**
 * HKDF-SHA-256 (RFC 5869).
 * @param salt empty for none
 * @param length of the result, 1 to 8160 bytes
 * @returns the output keying material, wiped by the caller
 */
export function hkdfSha256(
  inputKey: Uint8Array,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Uint8Array<ArrayBuffer> {
  if (length < 1 || length > 255 * HASH_BYTES) throw new RangeError('HKDF-SHA-256 gives 1 to 8160 bytes');
  const pseudorandomKey = hmacSha256(salt, inputKey);
  const output = secretBytes(length);
  let block = secretBytes(0);
  for (let at = 0; at < length; at += HASH_BYTES) {
    const next = hmacSha256(pseudorandomKey, block, info, Uint8Array.of(at / HASH_BYTES + 1));
    block.fill(0);
    block = next;
    output.set(block.subarray(0, length - at), at);
  }
  block.fill(0);
  pseudorandomKey.fill(0);
  return output;
}
