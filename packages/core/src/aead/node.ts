import { createCipheriv, createDecipheriv } from 'node:crypto';
import { type SyncAead, syncAead, tagBytes } from './aead.ts';

const algorithm = 'aes-256-gcm';
// Without this, node:crypto also accepts tags of 4 and 8 bytes.
const options = { authTagLength: tagBytes } as const;

function copyOf(bytes: Buffer): Uint8Array {
  // A small Buffer is a view of a shared pool.
  const copy = new Uint8Array(bytes);
  bytes.fill(0);
  return copy;
}

/** AES-256-GCM by node:crypto (OpenSSL). */
export function createNodeAead(): SyncAead {
  return syncAead(
    'node',
    (key, nonce, plaintext, aad) => {
      const cipher = createCipheriv(algorithm, key, nonce, options).setAAD(aad);
      const sealed = new Uint8Array(plaintext.length + tagBytes);
      sealed.set(cipher.update(plaintext));
      cipher.final();
      sealed.set(cipher.getAuthTag(), plaintext.length);
      return sealed;
    },
    (key, nonce, ciphertext, aad) => {
      const end = ciphertext.length - tagBytes;
      const decipher = createDecipheriv(algorithm, key, nonce, options).setAAD(aad);
      decipher.setAuthTag(ciphertext.subarray(end));
      // Node decrypts before it checks the tag; the output is wiped here if the tag is wrong.
      const plaintext = copyOf(decipher.update(ciphertext.subarray(0, end)));
      try {
        decipher.final();
        return plaintext;
      } catch {
        plaintext.fill(0);
        return null;
      }
    },
  );
}
