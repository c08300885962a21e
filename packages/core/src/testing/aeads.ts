import type { SyncAead } from '../aead/aead.ts';
import { createNobleAead } from '../aead/noble.ts';
import { createWasmAead } from '../aead/wasm.ts';
import { loadCore } from '../index.ts';

/** Creates the adapters of the port. */
export const aeads: readonly (readonly [name: string, create: () => Promise<SyncAead>])[] = [
  ['wasm', async () => createWasmAead(await loadCore())],
  ['wasm without SIMD', async () => createWasmAead(await loadCore({ kind: 'scalar' }))],
  ['noble', async () => createNobleAead()],
];

/** A copy with one bit flipped. */
export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const out = bytes.slice();
  out[bit >> 3] = (out[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return out;
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
