import type { Aead, SyncAead } from '../aead/aead.ts';
import { createNobleAead, createWasmAead, createWebCryptoAead } from '../aead/index.ts';
import { createNodeAead } from '../aead/node.ts';
import { loadCore } from '../index.ts';

/** Creates every adapter of the port. */
export const aeads: readonly (readonly [name: string, create: () => Promise<Aead>])[] = [
  ['wasm', async () => createWasmAead(await loadCore())],
  ['wasm without SIMD', async () => createWasmAead(await loadCore({ kind: 'scalar' }))],
  ['node', async () => createNodeAead()],
  ['webcrypto', async () => createWebCryptoAead()],
  ['noble', async () => createNobleAead()],
];

export function isSync(aead: Aead): aead is SyncAead {
  return 'sealSync' in aead && 'openSync' in aead;
}

/** The code of a promise's rejection; fails if it resolves. */
export async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'nothing was thrown';
}
