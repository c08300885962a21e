import { ok } from 'node:assert/strict';
import { loadCore } from '@svc/core';
import { createWasmAead } from '@svc/core/aead';
import { createNodeAead } from '@svc/core/aead-node';
import {
  deriveLookupKey,
  encodePack,
  lookupTag,
  openRecord,
  parsePack,
  recordSize,
  sealCheckRecord,
  sealRecord,
} from '@svc/core/pack';
import { pseudoRandomBytes, pseudoRandomFloats } from '../inputs/random.ts';
import type { BenchCase, SuiteFactory } from '../suite.ts';

const context = { listId: 'lst_bench', epoch: 1, engineId: 'bench/1', dimension: 128 } as const;
const personId = 'TICKET-0042';
const listKey = pseudoRandomBytes(32, 1);

/**
 * A pack with one real record among many that only look like some: what opening costs does not depend on whether the others
 * would open.
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

/** What a verification does to the list: derive the tag, find the record, open it, wipe it. */
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
    salt: pseudoRandomBytes(24, 4),
  });
  const checkRecord = await sealCheckRecord(wasm, { ...sealing, salt: pseudoRandomBytes(24, 5) });
  const lookupKey = deriveLookupKey(listKey);
  const cases: BenchCase[] = [];
  for (const count of counts) {
    const pack = parsePack(await packOf(count, record, checkRecord));
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
    const label = count.toLocaleString('en');
    for (const aead of [wasm, createNodeAead()]) {
      cases.push({
        name: `open one of ${label}, ${aead.name}`,
        run: () => open(aead),
        check: async () => ok(Math.abs(((await open(aead)) ?? Number.NaN) - (template[0] ?? 0)) < 1e-3),
      });
    }
    cases.push({
      name: `somebody not among ${label}`,
      run: () => epoch.find(lookupTag(lookupKey, 'nobody')),
      check: () => ok(epoch.find(lookupTag(lookupKey, 'nobody')) === null && epoch.recordCount === count),
    });
  }
  const [least, , most] = counts.map((count) => `open one of ${count.toLocaleString('en')}, wasm`);
  return {
    title: 'Opening one record',
    about:
      'Derive the tag of the scanned ID, find the record by binary search, derive its key, open it, wipe it, in lists of three sizes. A record is 320 bytes, so the largest pack has 320 MB.',
    cases,
    ratios:
      least && most
        ? [{ name: 'what a thousandfold list costs: the largest list over the smallest', fast: least, slow: most }]
        : [],
  };
};
