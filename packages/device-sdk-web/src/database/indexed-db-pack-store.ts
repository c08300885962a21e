import { FaceError } from '@svc/core';
import type { PackStore } from '@svc/device-sdk';
import type { PackReader } from '@svc/device-sdk/adapters';
import type { DeviceDatabase, PackHeader } from './device-database.ts';

/** Chunks per transaction. Fewer are slower, since each transaction waits for the disk; more need more memory. */
const CHUNKS_A_WRITE = 16;

/**
 * The state record, the sealed packs and the pages of the log of admissions in IndexedDB. A pack is stored in chunks under its own name and exists once its
 * header is written, in the transaction that removes the pack it replaces. Removes the remains of an interrupted write.
 * @throws FaceError `storage-failed`
 */
export async function createIndexedDbPackStore(database: DeviceDatabase): Promise<PackStore> {
  await removeOrphans(database);
  return {
    readState: async () => (await database.read(['state'], (tx) => tx.objectStore('state').get('state'))) ?? null,
    writeState: (state) => {
      // A copy with its own memory: a view would be stored with its whole buffer.
      const copy = Uint8Array.from(state);
      return database.write(['state'], async (tx) => void (await tx.objectStore('state').put(copy, 'state')));
    },
    writePack: (generation, parts) => writePack(database, generation, parts),
    openPack: async (generation) => {
      const header = await database.read(['packs'], (tx) => tx.objectStore('packs').get(generation));
      return header === undefined ? null : readerOf(database, header);
    },
    deletePack: (generation) =>
      database.write(['packs', 'chunks'], async (tx) => {
        const header = await tx.objectStore('packs').get(generation);
        if (header === undefined) return;
        await tx.objectStore('packs').delete(generation);
        await tx.objectStore('chunks').delete(chunksOf(header.chunksId));
      }),
    listPacks: () => database.read(['packs'], (tx) => tx.objectStore('packs').getAllKeys()),
    readPage: async (page) => (await database.read(['pages'], (tx) => tx.objectStore('pages').get(page))) ?? null,
    writePage: (page, content) => {
      const copy = Uint8Array.from(content);
      return database.write(['pages'], async (tx) => void (await tx.objectStore('pages').put(copy, page)));
    },
    deletePage: (page) => database.write(['pages'], (tx) => tx.objectStore('pages').delete(page)),
    listPages: () => database.read(['pages'], (tx) => tx.objectStore('pages').getAllKeys()),
  };
}

async function writePack(
  database: DeviceDatabase,
  generation: number,
  parts: AsyncIterable<Uint8Array>,
): Promise<void> {
  // Browsers before 2022 have no randomUUID.
  const chunksId = crypto.getRandomValues(new Uint32Array(4)).join('-');
  let chunks = 0;
  let byteLength = 0;
  try {
    for await (const batch of inBatches(parts, CHUNKS_A_WRITE)) {
      await database.write(['chunks'], async (tx) => {
        await Promise.all(batch.map((chunk, i) => tx.objectStore('chunks').put(chunk, [chunksId, chunks + i])));
      });
      chunks += batch.length;
      for (const chunk of batch) byteLength += chunk.length;
    }
    await database.write(['packs', 'chunks'], async (tx) => {
      const replaced = await tx.objectStore('packs').get(generation);
      await tx.objectStore('packs').put({ chunksId, byteLength }, generation);
      if (replaced !== undefined) await tx.objectStore('chunks').delete(chunksOf(replaced.chunksId));
    });
  } catch (error) {
    // If this fails too, the next start does it.
    await database
      .write(['chunks'], (tx) => tx.objectStore('chunks').delete(chunksOf(chunksId)))
      .catch(() => undefined);
    throw error;
  }
}

function readerOf(database: DeviceDatabase, { chunksId, byteLength }: PackHeader): PackReader {
  let closed = false;
  return {
    byteLength,
    async read(offset, length) {
      if (closed || offset + length > byteLength) throw new FaceError('storage-failed', 'no such range of the pack');
      const bytes = new Uint8Array(length);
      if (length === 0) return bytes;
      const first = Math.floor(offset / CHUNK_BYTES);
      const last = Math.floor((offset + length - 1) / CHUNK_BYTES);
      const range = IDBKeyRange.bound([chunksId, first], [chunksId, last]);
      const chunks = await database.read(['chunks'], (tx) => tx.objectStore('chunks').getAll(range));
      if (chunks.length !== last - first + 1) throw new FaceError('storage-failed', 'a part of the pack is missing');
      chunks.forEach((chunk, i) => {
        const at = (first + i) * CHUNK_BYTES;
        const from = Math.max(0, offset - at);
        bytes.set(chunk.subarray(from, Math.min(chunk.length, offset + length - at)), Math.max(0, at - offset));
      });
      return bytes;
    },
    close: async () => {
      closed = true;
    },
  };
}

const chunksOf = (chunksId: string): IDBKeyRange =>
  IDBKeyRange.bound([chunksId, 0], [chunksId, Number.POSITIVE_INFINITY]);

async function removeOrphans(database: DeviceDatabase): Promise<void> {
  await database.write(['packs', 'chunks'], async (tx) => {
    const known = new Set((await tx.objectStore('packs').getAll()).map(({ chunksId }) => chunksId));
    const chunks = tx.objectStore('chunks');
    // Skips from the first chunk of one pack to the first of the next.
    let cursor = await chunks.openKeyCursor();
    while (cursor !== null) {
      const [chunksId] = cursor.key;
      const all = chunksOf(chunksId);
      if (!known.has(chunksId)) await chunks.delete(all);
      cursor = await chunks.openKeyCursor(IDBKeyRange.lowerBound(all.upper, true));
    }
  });
}

/** Reading one record reads one or two chunks: small enough to be quick, large enough that a pack has few rows. */
export const CHUNK_BYTES = 65_536;

/** Copies bytes into chunks of {@link CHUNK_BYTES} (the last may be shorter), at most `chunksABatch` at a time. */
export async function* inBatches(
  parts: AsyncIterable<Uint8Array>,
  chunksABatch: number,
): AsyncGenerator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let chunk = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + CHUNK_BYTES - filled);
      chunk.set(taken, filled);
      at += taken.length;
      filled += taken.length;
      if (filled < CHUNK_BYTES) continue;
      batch.push(chunk);
      chunk = new Uint8Array(CHUNK_BYTES);
      filled = 0;
      if (batch.length < chunksABatch) continue;
      yield batch;
      batch = [];
    }
  }
  if (filled > 0) batch.push(chunk.slice(0, filled));
  if (batch.length > 0) yield batch;
}
