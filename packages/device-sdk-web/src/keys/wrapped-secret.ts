import { secretCopy } from '@svc/core';
import type { WrappedSecret } from '../database/device-database.ts';
import { storageFailure } from '../database/storage-failure.ts';

/** Seals a secret under a key made for it alone (AES-256-GCM, the name as AAD), so that both go in one deletion. */
export async function wrapSecret(name: string, secret: Uint8Array): Promise<WrappedSecret> {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const copy = secretCopy(secret);
  try {
    return { key, nonce, ciphertext: new Uint8Array(await crypto.subtle.encrypt(parameters(name, nonce), key, copy)) };
  } finally {
    copy.fill(0);
  }
}

/** @returns the secret, which the caller wipes. @throws FaceError `storage-failed` when it is not as it was kept */
export async function unwrapSecret(name: string, { key, nonce, ciphertext }: WrappedSecret): Promise<Uint8Array> {
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters(name, nonce), key, ciphertext));
  } catch (cause) {
    throw storageFailure(cause);
  }
}

const parameters = (name: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(name),
});
