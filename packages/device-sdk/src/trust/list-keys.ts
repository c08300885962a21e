import { secretBytes, secretCopy } from '@svc/core';
import type { KeyStore } from '../ports/key-store.ts';

/** Bytes of a list key. */
export const LIST_KEY_BYTES = 32;
const EPOCH_BYTES = 4;
const ENTRY_BYTES = EPOCH_BYTES + LIST_KEY_BYTES;

export interface EpochKey {
  readonly epoch: number;
  /** 32 bytes; whoever holds the object wipes it. */
  readonly key: Uint8Array;
}

/** The one secret of a generation: the keys of all its epochs, so that pack and keys can't be mixed. */
export const listKeysName = (generation: number): string => `list-keys.${generation}`;

export async function putListKeys(keyStore: KeyStore, generation: number, keys: readonly EpochKey[]): Promise<void> {
  const secret = secretBytes(keys.length * ENTRY_BYTES);
  keys.forEach(({ epoch, key }, i) => {
    new DataView(secret.buffer).setUint32(i * ENTRY_BYTES, epoch);
    secret.set(key, i * ENTRY_BYTES + EPOCH_BYTES);
  });
  try {
    await keyStore.putSecret(listKeysName(generation), secret);
  } finally {
    secret.fill(0);
  }
}

/** The caller wipes them with {@link wipeListKeys}; null when they are gone. */
export async function getListKeys(keyStore: KeyStore, generation: number): Promise<readonly EpochKey[] | null> {
  const secret = await keyStore.getSecret(listKeysName(generation));
  if (secret === null) return null;
  const view = new DataView(secret.buffer, secret.byteOffset, secret.byteLength);
  const keys: EpochKey[] = [];
  for (let at = 0; at + ENTRY_BYTES <= secret.length; at += ENTRY_BYTES) {
    keys.push({ epoch: view.getUint32(at), key: secretCopy(secret.subarray(at + EPOCH_BYTES, at + ENTRY_BYTES)) });
  }
  secret.fill(0);
  return keys;
}

export function wipeListKeys(keys: readonly EpochKey[]): void {
  for (const { key } of keys) key.fill(0);
}
