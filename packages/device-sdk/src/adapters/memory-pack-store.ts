import { concatBytes } from '../bytes.ts';
import type { PackReader, PackStore } from '../ports/pack-store.ts';

/** Creates a pack store that ends with the process. */
export function createMemoryPackStore(): PackStore {
  const packs = new Map<number, Uint8Array>();
  const pages = new Map<number, Uint8Array>();
  let state: Uint8Array | null = null;
  return {
    readState: async () => state?.slice() ?? null,
    writeState: async (next) => {
      state = Uint8Array.from(next);
    },
    writePack: async (generation, parts) => {
      const kept: Uint8Array[] = [];
      // Not `slice`, which returns a view for a Buffer.
      for await (const part of parts) kept.push(Uint8Array.from(part));
      packs.set(generation, concatBytes(...kept));
    },
    openPack: async (generation) => {
      const pack = packs.get(generation);
      return pack === undefined ? null : readerOf(pack);
    },
    deletePack: async (generation) => {
      packs.delete(generation);
    },
    listPacks: async () => [...packs.keys()],
    readPage: async (page) => pages.get(page)?.slice() ?? null,
    writePage: async (page, content) => void pages.set(page, Uint8Array.from(content)),
    deletePage: async (page) => void pages.delete(page),
    listPages: async () => [...pages.keys()],
  };
}

function readerOf(pack: Uint8Array): PackReader {
  let open = true;
  return {
    byteLength: pack.length,
    read: async (offset, length) => {
      if (!open || offset + length > pack.length) throw new Error('no such range');
      return pack.slice(offset, offset + length);
    },
    close: async () => {
      open = false;
    },
  };
}
