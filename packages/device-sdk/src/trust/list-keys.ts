import { FaceError, secretBytes } from '@svc/core';
import { hkdfSha256 } from '@svc/core/pack';
import type { EpochKey, ListKeys } from '../ports/key-store.ts';

/** Bytes of a list key. */
export const LIST_KEY_BYTES = 32;
const EPOCH_BYTES = 4;
const ENTRY_BYTES = EPOCH_BYTES + LIST_KEY_BYTES;

/**
 * Encodes the keys of all epochs of a generation as one secret, so that they cannot be mixed with another's. The caller
 * wipes it.
 */
export function encodeListKeys(keys: readonly EpochKey[]): Uint8Array<ArrayBuffer> {
  const secret = secretBytes(keys.length * ENTRY_BYTES);
  keys.forEach(({ epoch, key }, i) => {
    if (key.length !== LIST_KEY_BYTES) throw new FaceError('invalid-argument', 'a list key has 32 bytes');
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
  const entries = Math.floor(secret.length / ENTRY_BYTES);
  const view = new DataView(secret.buffer, secret.byteOffset, secret.byteLength);
  const epochs = Array.from({ length: entries }, (_, i) => view.getUint32(i * ENTRY_BYTES));
  let wiped = false;
  return {
    epochs,
    keyOf(epoch) {
      const at = epochs.indexOf(epoch) * ENTRY_BYTES;
      if (at < 0) return null;
      return async (salt, info, length) => {
        if (wiped) throw new FaceError('storage-failed', 'the list keys were wiped');
        return hkdfSha256(secret.subarray(at + EPOCH_BYTES, at + ENTRY_BYTES), salt, info, length);
      };
    },
    keepAs: (generation) => keep(generation, secret),
    wipe() {
      wiped = true;
      secret.fill(0);
    },
  };
}

export function wipeListKeys(keys: readonly EpochKey[]): void {
  for (const { key } of keys) key.fill(0);
}
