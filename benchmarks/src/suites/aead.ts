import { deepStrictEqual, throws } from 'node:assert/strict';
import { FaceError, loadCore } from '@svc/core';
import { createNobleAead, createWasmAead, type SyncAead } from '@svc/core/aead';
import { createNodeAead } from '@svc/core/aead-node';
import { pseudoRandomBytes } from '../inputs/random.ts';
import type { BenchCase, SuiteFactory } from '../suite.ts';

const sizes = [
  ['544 B', 544],
  ['64 KiB', 1 << 16],
  ['1 MiB', 1 << 20],
] as const;

/** AES-256-GCM through the one port that all adapters implement. */
export const createSuite: SuiteFactory = async () => {
  const key = pseudoRandomBytes(32, 1);
  const nonce = pseudoRandomBytes(12, 2);
  const aad = pseudoRandomBytes(48, 3);
  const reference = createNodeAead();
  const adapters: readonly SyncAead[] = [createWasmAead(await loadCore()), createNobleAead(), reference];
  const cases = sizes.flatMap(([label, bytes]): BenchCase[] => {
    const plaintext = pseudoRandomBytes(bytes, 4);
    const sealed = reference.sealSync(key, nonce, plaintext, aad);
    const forged = sealed.slice();
    forged[0] = (forged[0] ?? 0) ^ 1;
    return adapters.flatMap((adapter): BenchCase[] => [
      {
        name: `${adapter.name} seal ${label}`,
        bytes,
        run: () => adapter.sealSync(key, nonce, plaintext, aad),
        check: () => deepStrictEqual(Buffer.from(adapter.sealSync(key, nonce, plaintext, aad)), Buffer.from(sealed)),
      },
      {
        name: `${adapter.name} open ${label}`,
        bytes,
        run: () => adapter.openSync(key, nonce, sealed, aad),
        check: () => {
          deepStrictEqual(Buffer.from(adapter.openSync(key, nonce, sealed, aad)), Buffer.from(plaintext));
          throws(
            () => adapter.openSync(key, nonce, forged, aad),
            (error) => FaceError.is(error) && error.code === 'open-failed',
          );
        },
      },
    ]);
  });
  return {
    title: 'AES-256-GCM',
    about:
      'Through the `Aead` port, 48 bytes of associated data, results returned as fresh arrays. 544 B is a sealed record of a 256-dimensional engine.',
    cases,
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
