import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPackWriter, type EpochBuckets, recordSize, recordTag } from '@svc/core/pack';
import type { Transaction } from '../../db/connection.ts';
import type { EpochHead, ListHead, ListName, SyncStore } from './store.ts';

/** Smaller lists are hashed completely on a change, which costs less than keeping bucket hashes. */
const MIN_BUCKETED_RECORDS = 20_000;

/** A list at one version, for any of its devices; its records are sealed already. */
export interface Snapshot {
  readonly head: ListHead;
  /** Newest first. */
  readonly epochs: readonly EpochHead[];
  readonly recordCount: number;
  /** The pack. Shared by all answers: read-only. */
  readonly payload: Uint8Array;
  readonly payloadSha256: Buffer;
  readonly stateHash: Uint8Array;
  /** The bucket hashes of a large list, per epoch; null for a list that is small enough to hash completely. */
  readonly buckets: readonly EpochBuckets[] | null;
}

/** Records read and hashed per turn of the event loop: a few milliseconds of work. */
const BATCH_RECORDS = 500;

/**
 * Builds a list's pack from one database snapshot in batches, so that a list of any size blocks the event loop for one
 * batch at most.
 * @returns null when the list was deleted or is being deleted
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

/** The epoch's concatenated records, in batches, ordered by tag. */
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
