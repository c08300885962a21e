import { deepStrictEqual, throws } from 'node:assert/strict';
import { gcm } from '@noble/ciphers/aes.js';
import { loadCore } from '@svc/core';
import { createWasmAead, type SyncAead } from '@svc/core/aead';
import { createNodeAead } from '@svc/core/testing/peers';
import { pseudoRandomBytes } from '../inputs/random.ts';
import type { BenchCase, SuiteFactory } from '../suite.ts';

/** `@noble/ciphers` without our adapter. */
const noble = {
  name: 'noble',
  sealSync: (key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, aad: Uint8Array): Uint8Array =>
    gcm(key, nonce, aad).encrypt(plaintext),
  openSync: (key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array, aad: Uint8Array): Uint8Array =>
    gcm(key, nonce, aad).decrypt(ciphertext),
};

const sizes = [
  ['544 B', 544],
  ['64 KiB', 1 << 16],
  ['1 MiB', 1 << 20],
] as const;

type Cipher = Pick<SyncAead, 'name' | 'sealSync' | 'openSync'>;

/** AES-256-GCM: our adapters through their port, the peer through its own API. */
export const createSuite: SuiteFactory = async () => {
  const key = pseudoRandomBytes(32, 1);
  const nonce = pseudoRandomBytes(12, 2);
  const aad = pseudoRandomBytes(48, 3);
  const reference = createNodeAead();
  const ciphers: readonly Cipher[] = [createWasmAead(await loadCore()), noble, reference];
  const cases = sizes.flatMap(([label, bytes]): BenchCase[] => {
    const plaintext = pseudoRandomBytes(bytes, 4);
    const sealed = reference.sealSync(key, nonce, plaintext, aad);
    const forged = sealed.slice();
    forged[0] = (forged[0] ?? 0) ^ 1;
    return ciphers.flatMap((cipher): BenchCase[] => [
      {
        name: `${cipher.name} seal ${label}`,
        bytes,
        run: () => cipher.sealSync(key, nonce, plaintext, aad),
        check: () => deepStrictEqual(Buffer.from(cipher.sealSync(key, nonce, plaintext, aad)), Buffer.from(sealed)),
      },
      {
        name: `${cipher.name} open ${label}`,
        bytes,
        run: () => cipher.openSync(key, nonce, sealed, aad),
        check: () => {
          deepStrictEqual(Buffer.from(cipher.openSync(key, nonce, sealed, aad)), Buffer.from(plaintext));
          throws(() => cipher.openSync(key, nonce, forged, aad));
        },
      },
    ]);
  });
  return {
    title: 'AES-256-GCM',
    about:
      'Ours through the `Aead` port, @noble/ciphers called directly; 48 bytes of associated data, results returned as fresh arrays. 544 B is a sealed record of a 256-dimensional engine.',
    cases,
    batchMs: 150,
    ratios: sizes.flatMap(([label]) =>
      (['seal', 'open'] as const).flatMap((operation) => [
        {
          name: `${operation} ${label}: wasm over @noble/ciphers`,
          fast: `wasm ${operation} ${label}`,
          slow: `noble ${operation} ${label}`,
          atLeast: 5,
        },
        {
          name: `${operation} ${label}: node:crypto over wasm`,
          fast: `node ${operation} ${label}`,
          slow: `wasm ${operation} ${label}`,
        },
      ]),
    ),
  };
};
