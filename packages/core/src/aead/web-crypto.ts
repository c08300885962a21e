import { FaceError } from '../errors.ts';
import { type Aead, assertKeyAndNonce, openFailed, tagBytes } from './aead.ts';

interface GcmParams {
  readonly name: 'AES-GCM';
  readonly iv: Uint8Array;
  readonly additionalData: Uint8Array;
  readonly tagLength: number;
}

/** The part of SubtleCrypto used here, declared because this package compiles without the DOM library. */
interface Subtle {
  importKey(
    format: 'raw',
    key: Uint8Array,
    algorithm: 'AES-GCM',
    extractable: boolean,
    usages: readonly string[],
  ): Promise<object>;
  encrypt(params: GcmParams, key: object, data: Uint8Array): Promise<ArrayBuffer>;
  decrypt(params: GcmParams, key: object, data: Uint8Array): Promise<ArrayBuffer>;
}

function params(nonce: Uint8Array, aad: Uint8Array): GcmParams {
  return { name: 'AES-GCM', iv: nonce, additionalData: aad, tagLength: tagBytes * 8 };
}

/**
 * AES-GCM by WebCrypto. Its copy of the key lies outside JavaScript and cannot be wiped.
 * @throws FaceError `runtime-failed` without SubtleCrypto (in browsers: outside a secure context)
 */
export function createWebCryptoAead(): Aead {
  const subtle = (globalThis as { crypto?: { subtle?: Subtle } }).crypto?.subtle;
  if (subtle === undefined) throw new FaceError('runtime-failed', 'this engine has no SubtleCrypto');
  return {
    name: 'webcrypto',
    async seal(key, nonce, plaintext, aad) {
      assertKeyAndNonce(key, nonce);
      const handle = await subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt']);
      return new Uint8Array(await subtle.encrypt(params(nonce, aad), handle, plaintext));
    },
    async open(key, nonce, ciphertext, aad) {
      assertKeyAndNonce(key, nonce);
      if (ciphertext.length < tagBytes) throw openFailed();
      const handle = await subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
      try {
        return new Uint8Array(await subtle.decrypt(params(nonce, aad), handle, ciphertext));
      } catch {
        throw openFailed();
      }
    },
  };
}
