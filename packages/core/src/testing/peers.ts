import { createCipheriv, createDecipheriv, webcrypto } from 'node:crypto';
import { type Aead, assertKeyAndNonce, openFailed, type SyncAead, syncAead, tagBytes } from '../aead/aead.ts';

// Without this, node:crypto also accepts tags of 4 and 8 bytes.
const options = { authTagLength: tagBytes } as const;

/** AES-256-GCM by node:crypto (OpenSSL), for tests and benchmarks to compare with. Wipes nothing. */
export function createNodeAead(): SyncAead {
  return syncAead(
    'node',
    (key, nonce, plaintext, aad) => {
      const cipher = createCipheriv('aes-256-gcm', key, nonce, options).setAAD(aad);
      return Uint8Array.from(Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]));
    },
    (key, nonce, ciphertext, aad) => {
      const end = ciphertext.length - tagBytes;
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, options).setAAD(aad);
      decipher.setAuthTag(ciphertext.subarray(end));
      const plaintext = decipher.update(ciphertext.subarray(0, end));
      try {
        decipher.final();
        return Uint8Array.from(plaintext);
      } catch {
        return null;
      }
    },
  );
}

/** AES-256-GCM by WebCrypto, for tests and benchmarks to compare with. */
export function createWebCryptoAead(): Aead {
  const { subtle } = webcrypto;
  const params = (iv: Uint8Array, additionalData: Uint8Array) => ({ name: 'AES-GCM', iv, additionalData });
  const imported = (key: Uint8Array, usage: 'encrypt' | 'decrypt') =>
    subtle.importKey('raw', key, 'AES-GCM', false, [usage]);
  return {
    name: 'webcrypto',
    async seal(key, nonce, plaintext, aad) {
      assertKeyAndNonce(key, nonce);
      return new Uint8Array(await subtle.encrypt(params(nonce, aad), await imported(key, 'encrypt'), plaintext));
    },
    async open(key, nonce, ciphertext, aad) {
      assertKeyAndNonce(key, nonce);
      const handle = await imported(key, 'decrypt');
      try {
        return new Uint8Array(await subtle.decrypt(params(nonce, aad), handle, ciphertext));
      } catch {
        throw openFailed();
      }
    },
  };
}
