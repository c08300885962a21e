import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { FaceError, secretBytes } from '@svc/core';
import { hkdfSha256 } from '@svc/core/pack';
import { sameBytes } from '../bytes.ts';
import type { EpochKey, ListKeys } from '../ports/key-store.ts';

/** Bytes of a list key and of a check-in secret. */
export const LIST_KEY_BYTES = 32;
const EPOCH_BYTES = 4;
const ENTRY_BYTES = EPOCH_BYTES + LIST_KEY_BYTES;
/** In the place of an epoch, which counts from 1. */
const CHECK_IN_SECRET = 0;

/**
 * Encodes the keys of all epochs of a generation and its check-in secret as one secret, so that they cannot be mixed
 * with another's. The caller wipes it.
 */
export function encodeListKeys(
  keys: readonly EpochKey[],
  checkInSecret: Uint8Array | null = null,
): Uint8Array<ArrayBuffer> {
  const entries = checkInSecret === null ? keys : [...keys, { epoch: CHECK_IN_SECRET, key: checkInSecret }];
  const secret = secretBytes(entries.length * ENTRY_BYTES);
  entries.forEach(({ epoch, key }, i) => {
    if (key.length !== LIST_KEY_BYTES) throw new FaceError('invalid-argument', 'a list key or secret has 32 bytes');
    new DataView(secret.buffer).setUint32(i * ENTRY_BYTES, epoch);
    secret.set(key, i * ENTRY_BYTES + EPOCH_BYTES);
  });
  return secret;
}

/**
 * List keys for stores of byte strings.
 * @param secret of {@link encodeListKeys}; owned and wiped by the result
 * @param keep stores a copy of the secret for a generation
 */
export function storedListKeys(
  secret: Uint8Array,
  keep: (generation: number, secret: Uint8Array) => Promise<void>,
): ListKeys {
  const count = Math.floor(secret.length / ENTRY_BYTES);
  const view = new DataView(secret.buffer, secret.byteOffset, secret.byteLength);
  const entries = Array.from({ length: count }, (_, i) => view.getUint32(i * ENTRY_BYTES));
  let wiped = false;
  /** A view of the key or secret; null if there is none. */
  const entry = (epoch: number): Uint8Array | null => {
    if (wiped) throw new FaceError('storage-failed', 'the list keys were wiped');
    const at = entries.indexOf(epoch) * ENTRY_BYTES;
    return at < 0 ? null : secret.subarray(at + EPOCH_BYTES, at + ENTRY_BYTES);
  };
  return {
    epochs: entries.filter((epoch) => epoch !== CHECK_IN_SECRET),
    keyOf(epoch) {
      if (epoch === CHECK_IN_SECRET || !entries.includes(epoch)) return null;
      return async (salt, info, length) => hkdfSha256(entry(epoch) ?? new Uint8Array(), salt, info, length);
    },
    async signCheckIn(message) {
      const key = entry(CHECK_IN_SECRET);
      return key === null ? null : hmac(sha256, key, message);
    },
    keepAs: (generation) => keep(generation, secret),
    wipe() {
      wiped = true;
      secret.fill(0);
    },
  };
}

const PROBE = new TextEncoder().encode('svc/check-in-secret/v1');

/** Whether the generation has this check-in secret; null: none. */
export async function hasCheckInSecret(keys: ListKeys, secret: Uint8Array | null): Promise<boolean> {
  const held = await keys.signCheckIn(PROBE);
  if (held === null || secret === null) return held === secret;
  return sameBytes(held, hmac(sha256, secret, PROBE));
}

export function wipeListKeys(keys: readonly EpochKey[]): void {
  for (const { key } of keys) key.fill(0);
}
