import type { PackStore } from '@svc/device-sdk';
import type { PackReader } from '@svc/device-sdk/adapters';
import { fromBase64Url, MAX_CHUNK_BYTES, toBase64Url } from '@svc/device-sdk-native';
import { type AskStore, shellStoreFailed } from './shell-stores.ts';

/** Packs, state and pages in the app's own files. Packs pass in chunks; no whole pack is held for it. */
export function createShellPackStore(ask: AskStore): PackStore {
  return {
    readState: async () => bytesOrNull((await ask('packStore.readState', {})).state),
    writeState: async (state) => void (await ask('packStore.writeState', { state: toBase64Url(state) })),
    async writePack(generation, parts) {
      const { upload } = await ask('packStore.beginPack', { generation });
      try {
        let offset = 0;
        for await (const chunk of inChunks(parts)) {
          await ask('packStore.appendPack', { upload, offset, chunk: toBase64Url(chunk) });
          offset += chunk.length;
        }
        await ask('packStore.commitPack', { upload });
      } catch (error) {
        ask('packStore.abandonPack', { upload }).catch(() => undefined);
        throw error;
      }
    },
    openPack: async (generation) => {
      const { pack } = await ask('packStore.openPack', { generation });
      return pack === null ? null : packReader(ask, pack);
    },
    deletePack: async (generation) => void (await ask('packStore.deletePack', { generation })),
    listPacks: async () => (await ask('packStore.listPacks', {})).generations,
    readPage: async (page) => bytesOrNull((await ask('packStore.readPage', { page })).content),
    writePage: async (page, content) =>
      void (await ask('packStore.writePage', { page, content: toBase64Url(content) })),
    deletePage: async (page) => void (await ask('packStore.deletePage', { page })),
    listPages: async () => (await ask('packStore.listPages', {})).pages,
  };
}

const bytesOrNull = (text: string | null) => (text === null ? null : fromBase64Url(text));

/** The same bytes in chunks of {@link MAX_CHUNK_BYTES}, the last one shorter, in one buffer that is used again. */
async function* inChunks(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(MAX_CHUNK_BYTES);
  let filled = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + MAX_CHUNK_BYTES - filled);
      chunk.set(taken, filled);
      filled += taken.length;
      at += taken.length;
      if (filled === MAX_CHUNK_BYTES) {
        yield chunk;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

function packReader(ask: AskStore, { handle, byteLength }: { handle: number; byteLength: number }): PackReader {
  let isClosed = false;
  return {
    byteLength,
    async read(offset, length) {
      if (isClosed || offset + length > byteLength) throw shellStoreFailed();
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; at += MAX_CHUNK_BYTES) {
        const range = { handle, offset: offset + at, length: Math.min(MAX_CHUNK_BYTES, length - at) };
        const part = fromBase64Url((await ask('packStore.readPack', range)).bytes);
        if (part.length !== range.length) throw shellStoreFailed();
        bytes.set(part, at);
      }
      return bytes;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await ask('packStore.closePack', { handle });
    },
  };
}
