import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPackWriter, type EpochBuckets, recordSize, recordTag } from '@svc/core/pack';
import type { Transaction } from '../../db/connection.ts';
import type { EpochHead, ListHead, ListName, SyncStore } from './store.ts';

/** Below this, a change is hashed anew with the whole list: less than what bucket hashes save. */
const MIN_BUCKETED_RECORDS = 20_000;

/** A list at one version, ready to be sent to any of its devices: what is in it is sealed already. */
export interface Snapshot {
  readonly head: ListHead;
  /** Newest first. */
  readonly epochs: readonly EpochHead[];
  readonly recordCount: number;
  /** The pack. Shared by everybody who is sent it: nobody writes to it. */
  readonly payload: Uint8Array;
  readonly payloadSha256: Buffer;
  readonly stateHash: Uint8Array;
  /**
   * What the state hash of a large list is made of, an epoch each; null for one that is hashed as quickly as a whole.
   */
  readonly buckets: readonly EpochBuckets[] | null;
}

/** Records read and hashed before other requests get their turn: a few milliseconds of work. */
const BATCH_RECORDS = 500;

/**
 * Builds a list's pack from one database snapshot, batch by batch: a list of any size never holds the event loop for
 * longer than a batch takes.
 * @returns null when the list is gone or being deleted
 */
export function buildSnapshot(store: SyncStore, list: ListName): Promise<Snapshot | null> {
  return store.inSnapshot(async (tx) => {
    const head = await store.head(tx, list);
    if (head === null) return null;
    const epochs = await store.epochs(tx, list);
    const counts = await store.countServed(tx, list);
    const counted = epochs.map((epoch) => ({ ...epoch, recordCount: counts.get(epoch.epoch) ?? 0 }));
    const writer = createPackWriter({ listId: list.listId, listVersion: head.version, epochs: counted }, () =>
      createHash('sha256'),
    );
    for (const epoch of counted) {
      if (epoch.recordCount === 0) continue;
      const size = recordSize(epoch.dimension);
      for await (const batch of batchesOf(store, tx, list, epoch)) {
        for (let at = 0; at < batch.length; at += size) writer.add(batch.subarray(at, at + size));
      }
    }
    const { bytes, stateHash, buckets } = writer.finish();
    const recordCount = counted.reduce((sum, epoch) => sum + epoch.recordCount, 0);
    return {
      head,
      epochs,
      recordCount,
      payload: bytes,
      payloadSha256: await sha256InTurns(bytes),
      stateHash,
      buckets: recordCount < MIN_BUCKETED_RECORDS ? null : buckets,
    };
  });
}

/** The epoch's records joined, some at a time, in the order of their tags. */
async function* batchesOf(
  store: SyncStore,
  tx: Transaction,
  list: ListName,
  { epoch, dimension }: EpochHead,
): AsyncGenerator<Uint8Array> {
  const size = recordSize(dimension);
  let after: Buffer | null = null;
  for (;;) {
    const batch = await store.servedRecords(tx, list, epoch, after, BATCH_RECORDS);
    yield batch;
    if (batch.length < BATCH_RECORDS * size) return;
    after = Buffer.from(recordTag(batch.subarray(batch.length - size)));
  }
}

const HASH_TURN_BYTES = 2 ** 20;

async function sha256InTurns(bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += HASH_TURN_BYTES) {
    hash.update(bytes.subarray(at, at + HASH_TURN_BYTES));
    await nextTurn();
  }
  return hash.digest();
}
