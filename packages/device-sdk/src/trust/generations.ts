import type { ListKeys } from '../ports/key-store.ts';
import type { PackStore } from '../ports/pack-store.ts';

/** Above every generation that a store knows, so that a half-written one is never taken for a new one. */
export async function nextGeneration(held: number, packStore: PackStore): Promise<number> {
  return Math.max(held, ...(await packStore.listPacks())) + 1;
}

/** Stores keys and pack of a generation that no state names yet. */
export async function putGeneration(
  packStore: PackStore,
  generation: number,
  keys: ListKeys,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  await keys.keepAs(generation);
  await packStore.writePack(generation, parts);
}
