import { gcm } from '@noble/ciphers/aes.js';

/** `@noble/ciphers` as its users call it, without our adapter around it. */
export const noble = {
  name: 'noble',
  sealSync: (key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Uint8Array =>
    gcm(key, nonce, aad).encrypt(plaintext),
  openSync: (key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array, aad: Uint8Array): Uint8Array =>
    gcm(key, nonce, aad).decrypt(ciphertext),
};
