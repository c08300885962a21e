import { ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCore } from '@svc/core';
import { createWasmAead } from '@svc/core/aead';
import {
  deriveLookupKey,
  encodePack,
  indexPack,
  lookupTag,
  memorySource,
  openRecord,
  packParts,
  parsePack,
  readPackContent,
  recordSize,
  sealCheckRecord,
  sealRecord,
} from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import type { PackReader } from '@svc/device-sdk/adapters';
import { createFilePackStore } from '@svc/device-sdk-node';
import { pseudoRandomBytes, pseudoRandomFloats } from '../inputs/random.ts';
import type { BenchCase, SuiteFactory } from '../suite.ts';

const context = { listId: 'lst_bench', epoch: 1, engineId: 'bench/1', dimension: 128 } as const;
const personId = 'TICKET-0042';
const listKey = pseudoRandomBytes(32, 1);

/**
 * A pack with one real record among many random ones: the cost of opening does not depend on whether the others would
 * open.
 */
async function packOf(count: number, record: Uint8Array, checkRecord: Uint8Array): Promise<Uint8Array> {
  const size = recordSize(context.dimension);
  const noise = pseudoRandomBytes((count - 1) * size, 2);
  const records = Array.from({ length: count - 1 }, (_, i) => {
    const like = noise.subarray(i * size, (i + 1) * size);
    // A deadline is at most 2^53 - 1; these have none.
    like.fill(0, 16, 24);
    return like;
  });
  const { epoch, engineId, dimension } = context;
  return encodePack({
    listId: context.listId,
    listVersion: 1,
    epochs: [{ epoch, engineId, dimension, checkRecord, records: [...records, record] }],
  });
}

/** Number of reads from a pack in its store. */
interface Reads {
  pieces: number;
  bytes: number;
  /** Size of one read. */
  largest: number;
}

/** The reader, with counters. */
function watched(reader: PackReader): { readonly reader: PackReader; readonly reads: Reads } {
  const reads: Reads = { pieces: 0, bytes: 0, largest: 0 };
  return {
    reads,
    reader: {
      byteLength: reader.byteLength,
      read: (offset, length) => {
        reads.pieces += 1;
        reads.bytes += length;
        reads.largest = Math.max(reads.largest, length);
        return reader.read(offset, length);
      },
      close: () => reader.close(),
    },
  };
}

/** Maximum number of records that a lookup may read, and of bytes in memory while a pack is indexed. */
const mostRecordsRead = 16;
const mostBytesAtOnce = 2 ** 20;

const label = (count: number) => count.toLocaleString('en');
const fromFile = (count: number) => `${label(count)}: from a file`;

/** A verification's access to the list: derive the tag, find the record, open it, wipe it. */
export const createSuite: SuiteFactory = async (scale) => {
  const counts = scale === 'full' ? [1_000, 100_000, 1_000_000] : [100, 1_000, 10_000];
  const wasm = createWasmAead(await loadCore());
  const sealing = { ...context, listKey };
  const template = pseudoRandomFloats(context.dimension, 3);
  const record = await sealRecord(wasm, {
    ...sealing,
    personId,
    deleteAfterMs: 4_102_444_800_000,
    template,
  });
  const checkRecord = await sealCheckRecord(wasm, sealing);
  const lookupKey = deriveLookupKey(listKey);
  const cases: BenchCase[] = [];
  const read = new Map<number, { readonly lookup: number; readonly indexing: Reads & { readonly stored: number } }>();
  const directory = await mkdtemp(join(tmpdir(), 'svc-bench-pack-'));
  const store = await createFilePackStore(directory);
  const close: (() => Promise<void>)[] = [() => rm(directory, { recursive: true })];
  for (const count of counts) {
    const bytes = await packOf(count, record, checkRecord);
    const pack = parsePack(bytes);
    const [epoch] = pack.epochs;
    if (!epoch) throw new Error('the pack has one epoch');
    const open = async (aead: typeof wasm) => {
      const found = epoch.find(lookupTag(lookupKey, personId));
      if (!found) return null;
      const opened = await openRecord(aead, { ...sealing, personId, record: found });
      const first = opened[0] ?? Number.NaN;
      opened.fill(0);
      return first;
    };
    for (const aead of [wasm, createNodeAead()]) {
      cases.push({
        name: `${label(count)}: ${aead.name}`,
        run: () => open(aead),
        check: async () => ok(Math.abs(((await open(aead)) ?? Number.NaN) - (template[0] ?? 0)) < 1e-3),
      });
    }
    await store.writePack(count, packParts(await readPackContent(memorySource(bytes))));
    const stored = await store.openPack(count);
    if (stored === null) throw new Error('the store keeps the pack');
    close.unshift(() => stored.close());
    const { reader, reads } = watched(stored);
    const indexed = await indexPack(await readPackContent(reader), {
      stateHash: false,
      sha256: () => createHash('sha256'),
    });
    ok(reads.bytes <= 2 * stored.byteLength && reads.largest <= mostBytesAtOnce, 'a pack is indexed piece by piece');
    const indexing = { ...reads, stored: stored.byteLength };
    const openStored = async () => {
      const found = await indexed.find(context.epoch, lookupTag(lookupKey, personId), reader);
      if (found === null) return null;
      const opened = await openRecord(wasm, { ...sealing, personId, record: found });
      const first = opened[0] ?? Number.NaN;
      opened.fill(0);
      return first;
    };
    cases.push({
      name: fromFile(count),
      run: openStored,
      check: async () => {
        Object.assign(reads, { pieces: 0, bytes: 0 });
        ok(Math.abs(((await openStored()) ?? Number.NaN) - (template[0] ?? 0)) < 1e-3);
        ok(reads.pieces === 1 && reads.bytes <= mostRecordsRead * recordSize(context.dimension));
        read.set(count, { lookup: reads.bytes, indexing });
      },
    });
    cases.push({
      name: `${label(count)}: unknown ID`,
      run: () => epoch.find(lookupTag(lookupKey, 'nobody')),
      check: () => ok(epoch.find(lookupTag(lookupKey, 'nobody')) === null && epoch.recordCount === count),
    });
  }
  const [least = 0, , most = 0] = counts;
  const inMemory = (count: number) => `${label(count)}: wasm`;
  return {
    title: 'Opening one record',
    about:
      'Each row is a list with this many records. Each case finds the record of a scanned ID, opens it and wipes the result; “unknown ID” finds none. “wasm” and “node” are the ciphers of the core and of Node, with the list in memory. “From a file” keeps only an index in memory, as a device does.',
    cases,
    ratios: [
      {
        name: `wasm: ${label(least)} over ${label(most)}`,
        fast: inMemory(least),
        slow: inMemory(most),
      },
      {
        // Inverted, so that it can be a minimum: a list a thousand times as long costs at most half as much again.
        name: `from a file: ${label(most)} over ${label(least)}`,
        fast: fromFile(most),
        slow: fromFile(least),
        atLeast: 0.67,
      },
    ],
    figures: [
      {
        name: 'bytes that a lookup reads from the largest file',
        text: () => {
          const { lookup = 0, indexing } = read.get(most) ?? {};
          return `${label(lookup)} of ${label(indexing?.stored ?? 0)}`;
        },
      },
      {
        name: 'bytes read at a time when that file is opened',
        text: () => `at most ${label(read.get(most)?.indexing.largest ?? 0)}; each byte is read once`,
      },
    ],
    close: async () => {
      for (const action of close) await action();
    },
  };
};
