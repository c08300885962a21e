import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EpochBuckets, packParts, recordSize, recordTag } from '@svc/core/pack';
import type { Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import {
  type FilledBuckets,
  rereadBuckets,
  sameEpochs,
  splitIntoBuckets,
  stateHashOf,
  touchedBuckets,
} from './list-state.ts';
import type { EpochHead, ListHead, SyncStore } from './store.ts';

/** Smaller lists are hashed completely on a change, which costs less than keeping bucket hashes. */
const MIN_BUCKETED_RECORDS = 4_000;
/** Packs of smaller lists are one part: too short a time in memory for sharing. */
const MIN_SHARED_RECORDS = 20_000;
/** With more changes the whole list is read. */
const MAX_CHANGES = 20_000;

/** A pack's bytes in parts. Shared by all answers, and by the packs of later versions: read-only. */
export type PackParts = readonly Uint8Array[];

/** A list at one version, for any of its devices; its records are sealed already. */
export interface Snapshot {
  readonly head: ListHead;
  /** Newest first. */
  readonly epochs: readonly EpochHead[];
  readonly recordCount: number;
  readonly payload: PackParts;
  readonly packBytes: number;
  readonly packSha256: Buffer;
  readonly stateHash: Uint8Array;
  /** The bucket hashes of a large list, per epoch; null for a list that is small enough to hash completely. */
  readonly buckets: readonly EpochBuckets[] | null;
}

/** Records read and hashed per turn of the event loop: a few milliseconds of work. */
const BATCH_RECORDS = 500;

/**
 * Builds a list's pack from one database snapshot in batches, so that a list of any size blocks the event loop for one
 * batch at most.
 * @param base an earlier version of a large list, whose unchanged buckets are taken over: neither read nor stored again
 * @returns null when the list was deleted or is being deleted
 */
export function buildSnapshot(store: SyncStore, list: ListKey, base: Snapshot | null = null): Promise<Snapshot | null> {
  return store.inSnapshot(async (tx) => {
    const head = await store.head(tx, list);
    if (head === null) return null;
    const epochs = await store.epochs(tx, list);
    const kept = base === null ? null : await changedBuckets(store, tx, list, { base, head, epochs });
    if (kept !== null) return joined(list, head, epochs, kept);
    const buckets: FilledBuckets[] = [];
    for (const epoch of epochs) buckets.push(await splitIntoBuckets(batchesOf(store, tx, list, epoch), epoch));
    return joined(list, head, epochs, buckets);
  });
}

const bucketsOf = (recordCount: number, buckets: readonly EpochBuckets[]): Snapshot['buckets'] =>
  recordCount < MIN_BUCKETED_RECORDS ? null : buckets.map(({ hashes, counts }) => ({ hashes, counts }));

/** Parts of a large list's payload before its first epoch, and of each epoch before its buckets. */
const HEADS = 1;

/** The buckets of `base`, read anew where records changed; null when the list is to be read completely. */
async function changedBuckets(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  o: { readonly base: Snapshot; readonly head: ListHead; readonly epochs: readonly EpochHead[] },
): Promise<FilledBuckets[] | null> {
  const { buckets, payload, head, epochs } = o.base;
  if (buckets === null || payload.length === 1 || head.version > o.head.version || !sameEpochs(epochs, o.epochs))
    return null;
  const changed = await store.changedFaces(tx, list, head.version, MAX_CHANGES);
  if (changed.length === MAX_CHANGES) return null;
  const before = buckets.map((epoch, i) => {
    const { length } = epoch.counts;
    const from = HEADS + i * (HEADS + length) + HEADS;
    return { ...epoch, records: payload.slice(from, from + length) };
  });
  return rereadBuckets(store, tx, list, { epochs, before, touched: touchedBuckets(changed) });
}

/** The pack of a list: one part per head and per bucket of a large one, else a single part. */
async function joined(
  list: ListKey,
  head: ListHead,
  epochs: readonly EpochHead[],
  filled: readonly FilledBuckets[],
): Promise<Snapshot> {
  const counted = epochs.map((epoch, i) => {
    const { counts, records } = filled[i] ?? { counts: new Uint32Array(), records: null };
    const recordCount = counts.reduce((sum, count) => sum + count, 0);
    return { ...epoch, recordCount, batches: () => inOrder(records ?? []) };
  });
  const parts: Uint8Array[] = [];
  for await (const part of packParts({ listId: list.listId, listVersion: head.version, epochs: counted })) {
    parts.push(part);
  }
  const recordCount = counted.reduce((sum, epoch) => sum + epoch.recordCount, 0);
  const payload = recordCount < MIN_SHARED_RECORDS ? [Buffer.concat(parts)] : parts;
  return {
    head,
    epochs,
    recordCount,
    payload,
    packBytes: payload.reduce((sum, part) => sum + part.length, 0),
    packSha256: await sha256InTurns(payload),
    stateHash: stateHashOf(list, epochs, filled),
    buckets: bucketsOf(recordCount, filled),
  };
}

async function* inOrder(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

/** The epoch's concatenated records, in batches, ordered by tag. */
async function* batchesOf(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  { epoch, dimension }: EpochHead,
): AsyncGenerator<Uint8Array> {
  const size = recordSize(dimension);
  let after: Buffer | null = null;
  for (;;) {
    const batch = await store.servedRecords(tx, list, epoch, { after, through: null }, BATCH_RECORDS);
    yield batch;
    if (batch.length < BATCH_RECORDS * size) return;
    after = Buffer.from(recordTag(batch.subarray(batch.length - size)));
  }
}

const HASH_TURN_BYTES = 2 ** 20;

async function sha256InTurns(parts: PackParts): Promise<Buffer> {
  const hash = createHash('sha256');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += HASH_TURN_BYTES) {
      hash.update(part.subarray(at, at + HASH_TURN_BYTES));
      await nextTurn();
    }
  }
  return hash.digest();
}
