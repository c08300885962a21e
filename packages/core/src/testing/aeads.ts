import type { Aead, SyncAead } from '../aead/aead.ts';
import { createNobleAead } from '../aead/noble.ts';
import { createWasmAead } from '../aead/wasm.ts';
import { loadCore } from '../index.ts';
import { createNodeAead, createWebCryptoAead } from './peers.ts';

/** Creates the adapters of the port, and the platforms’ implementations that they are compared with. */
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
