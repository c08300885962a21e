import { createHash } from 'node:crypto';
import { type EpochBuckets, recordSize, recordTag, stateHashOfBuckets } from '@svc/core/pack';
import type { Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import type { ListState, StateAt } from './caches.ts';
import type { ChangedFace, EpochHead, ListHead, SyncStore } from './store.ts';

/** Records per query of a bucket. */
const BATCH_RECORDS = 500;
/** Records that could be read in the time of a query of its own. */
const QUERY_RECORDS = 50;
const BUCKETS = 256;
const HASH_BYTES = 32;

/** Whether two lists of epochs are the same, with the same check records. */
export const sameEpochs = (a: readonly EpochHead[], b: readonly EpochHead[]): boolean =>
  a.length === b.length &&
  a.every((epoch, i) => {
    const other = b[i];
    return other?.epoch === epoch.epoch && epoch.checkRecord.equals(other.checkRecord);
  });

/**
 * Computes a list's state from an earlier one by reading only buckets with changed tags.
 * @param changed all changes since `base`
 * @returns null when reading the whole list is cheaper, or the epochs differ
 */
export async function updateState(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  o: {
    readonly base: StateAt;
    readonly epochs: readonly EpochHead[];
    readonly changed: readonly ChangedFace[];
  },
): Promise<ListState | null> {
  const { state } = o.base;
  const { buckets } = state;
  if (buckets === null || !sameEpochs(state.epochs, o.epochs)) return null;
  const touched = touchedBuckets(o.changed);
  if (touched.size * (state.recordCount / BUCKETS + QUERY_RECORDS) >= state.recordCount) return null;
  const before = buckets.map((epoch) => ({ ...epoch, records: null }));
  const updated = await rereadBuckets(store, tx, list, { epochs: o.epochs, before, touched });
  let { recordCount, packBytes } = state;
  for (const [i, { dimension }] of o.epochs.entries()) {
    const more = total(updated[i]?.counts) - total(buckets[i]?.counts);
    recordCount += more;
    packBytes += more * recordSize(dimension);
  }
  const stateHash = stateHashOf(list, o.epochs, updated);
  const content = { epochs: o.epochs, buckets: updated.map(withoutRecords) };
  return { recordCount, packBytes, stateHash, packSha256: null, ...content };
}

const total = (counts: Uint32Array = new Uint32Array()): number => counts.reduce((sum, count) => sum + count, 0);
const withoutRecords = ({ hashes, counts }: EpochBuckets): EpochBuckets => ({ hashes, counts });

/** An epoch's buckets, with their records where these are kept. */
export interface FilledBuckets extends EpochBuckets {
  /** The records of each bucket, joined; null when only hashes are kept. */
  readonly records: readonly Uint8Array[] | null;
}

const placeOf = (epoch: number, bucket: number): number => epoch * BUCKETS + bucket;

/** The buckets of these tags, over all epochs. */
export const touchedBuckets = (changed: readonly ChangedFace[]): ReadonlySet<number> =>
  new Set(changed.map(({ epoch, tag }) => placeOf(epoch, tag[0] ?? 0)));

export const stateHashOf = (
  list: ListKey,
  epochs: readonly EpochHead[],
  buckets: readonly EpochBuckets[],
): Uint8Array => {
  const hashed = epochs.map((epoch, i) => ({ ...epoch, hashes: buckets[i]?.hashes ?? new Uint8Array() }));
  return stateHashOfBuckets(list.listId, hashed, () => createHash('sha256'));
};

/** Copies of `before`, one per epoch, in which the touched buckets are read anew. */
export async function rereadBuckets(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  o: {
    readonly epochs: readonly EpochHead[];
    readonly before: readonly FilledBuckets[];
    readonly touched: ReadonlySet<number>;
  },
): Promise<FilledBuckets[]> {
  const updated: FilledBuckets[] = [];
  for (const [i, { epoch, dimension }] of o.epochs.entries()) {
    const before = o.before[i];
    if (before === undefined) throw new Error('an epoch without buckets');
    const [hashes, counts, records] = [before.hashes.slice(), before.counts.slice(), before.records?.slice() ?? null];
    const size = recordSize(dimension);
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      if (!o.touched.has(placeOf(epoch, bucket))) continue;
      const read = await readBucket(store, tx, list, { epoch, size, bucket });
      const bytes = records === null ? null : Buffer.concat(read);
      const hash = createHash('sha256');
      for (const part of read) hash.update(part);
      hashes.set(hash.digest(), bucket * HASH_BYTES);
      counts[bucket] = read.reduce((sum, part) => sum + part.length, 0) / size;
      if (records !== null && bytes !== null) records[bucket] = bytes;
    }
    updated.push({ hashes, counts, records });
  }
  return updated;
}

/** A bucket's records, in batches. */
async function readBucket(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  { epoch, size, bucket }: { readonly epoch: number; readonly size: number; readonly bucket: number },
): Promise<Buffer[]> {
  const read: Buffer[] = [];
  const lastOf = (of: number) => Buffer.alloc(16, 0xff).fill(of, 0, 1);
  let after = bucket === 0 ? null : lastOf(bucket - 1);
  for (;;) {
    const batch = await store.servedRecords(tx, list, epoch, { after, through: lastOf(bucket) }, BATCH_RECORDS);
    read.push(batch);
    if (batch.length < BATCH_RECORDS * size) return read;
    after = Buffer.from(recordTag(batch.subarray(batch.length - size)));
  }
}

/** Of an empty bucket: of a small list most are. */
const EMPTY_HASH = createHash('sha256').digest();

/** Sorts an epoch's records, which come in order, into buckets. */
export async function splitIntoBuckets(
  batches: AsyncIterable<Uint8Array>,
  { dimension }: Pick<EpochHead, 'dimension'>,
): Promise<FilledBuckets> {
  const size = recordSize(dimension);
  const hashes = new Uint8Array(BUCKETS * HASH_BYTES);
  const counts = new Uint32Array(BUCKETS);
  const records: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  const closeUpTo = (bucket: number) => {
    while (records.length < bucket) {
      const bytes = Buffer.concat(parts);
      parts = [];
      hashes.set(
        bytes.length === 0 ? EMPTY_HASH : createHash('sha256').update(bytes).digest(),
        records.length * HASH_BYTES,
      );
      counts[records.length] = bytes.length / size;
      records.push(bytes);
    }
  };
  for await (const batch of batches) {
    if (batch.length % size !== 0) throw new Error('a sealed record has the wrong length');
    for (let from = 0; from < batch.length; ) {
      const bucket = batch[from] ?? 0;
      closeUpTo(bucket);
      let to = from;
      while (to < batch.length && batch[to] === bucket) to += size;
      parts.push(batch.subarray(from, to));
      from = to;
    }
  }
  closeUpTo(BUCKETS);
  return { hashes, counts, records };
}

/** The list's state at `head` when it is known or cheap to compute; null otherwise. */
export async function stateOf(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  o: {
    readonly head: ListHead;
    readonly known: StateAt | null;
    readonly epochs: readonly EpochHead[];
    readonly limit: number;
  },
): Promise<ListState | null> {
  const { head, known, epochs, limit } = o;
  if (known === null || known.version > head.version) return null;
  if (known.version === head.version) return known.state;
  if (known.state.buckets === null) return null;
  const changed = await store.changedFaces(tx, list, known.version, limit);
  return changed.length === limit ? null : updateState(store, tx, list, { base: known, epochs, changed });
}
