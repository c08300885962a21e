import { gcm } from '@noble/ciphers/aes.js';
import { type SyncAead, syncAead } from './aead.ts';

/**
 * AES-256-GCM in pure JavaScript, for runtimes without WebAssembly. Its AES looks tables up at secret indices: slower
 * than the others, and not constant-time.
 */
export function createNobleAead(): SyncAead {
  return syncAead(
    'noble',
    (key, nonce, plaintext, aad) => gcm(key, nonce, aad).encrypt(plaintext),
    (key, nonce, ciphertext, aad) => {
      try {
        return gcm(key, nonce, aad).decrypt(ciphertext);
      } catch {
        return null;
      }
    },
  );
}
