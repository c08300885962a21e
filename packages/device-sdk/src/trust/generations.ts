import type { EpochKey, ListKeys } from '../ports/key-store.ts';
import type { PackStore } from '../ports/pack-store.ts';
import type { Stores } from './erase.ts';

/** Above every generation that a store knows, so that a half-written one is never taken for a new one. */
export async function nextGeneration(held: number, packStore: PackStore): Promise<number> {
  return Math.max(held, ...(await packStore.listPacks())) + 1;
}

/** Stores keys and pack of a generation that no state names yet. */
export async function putGeneration(
  { keyStore, packStore }: Stores,
  generation: number,
  keys: { readonly epochs: readonly EpochKey[]; readonly checkInSecret: Uint8Array | null } | ListKeys,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  if ('keepAs' in keys) await keys.keepAs(generation);
  else await keyStore.putListKeys(generation, keys.epochs, keys.checkInSecret);
  await packStore.writePack(generation, parts);
}
