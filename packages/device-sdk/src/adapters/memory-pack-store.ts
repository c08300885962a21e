import type { PackStore } from '../ports/pack-store.ts';

/** Packs that end with the process. */
export function createMemoryPackStore(): PackStore {
  const packs = new Map<number, Uint8Array>();
  let state: Uint8Array | null = null;
  return {
    readState: async () => state?.slice() ?? null,
    writeState: async (next) => {
      state = Uint8Array.from(next);
    },
    putPack: async (generation, pack) => {
      // Not `slice`, which of a Buffer is a view.
      packs.set(generation, Uint8Array.from(pack));
    },
    readPack: async (generation) => packs.get(generation)?.slice() ?? null,
    deletePack: async (generation) => {
      packs.delete(generation);
    },
    packGenerations: async () => [...packs.keys()],
  };
}
