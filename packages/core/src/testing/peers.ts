import { createCipheriv, createDecipheriv } from 'node:crypto';
import { type SyncAead, syncAead, tagBytes } from '../aead/aead.ts';

export { networkReference } from './network-reference.ts';

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
