import { createHash } from 'node:crypto';
import { type EpochBuckets, recordSize, recordTag, stateHashOfBuckets } from '@svc/core/pack';
import type { Transaction } from '../../db/connection.ts';
import type { ListState, StateAt } from './caches.ts';
import type { ChangedFace, EpochHead, ListHead, ListName, SyncStore } from './store.ts';

/** Records per query of a bucket; those beyond its end are read in vain. */
const BATCH_RECORDS = 500;
const BUCKETS = 256;
const HASH_BYTES = 32;

const sameEpochs = (a: readonly EpochHead[], b: readonly EpochHead[]): boolean =>
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
  list: ListName,
  o: {
    readonly base: StateAt;
    readonly epochs: readonly EpochHead[];
    readonly changed: readonly ChangedFace[];
  },
): Promise<ListState | null> {
  const { state } = o.base;
  const { buckets } = state;
  if (buckets === null || !sameEpochs(state.epochs, o.epochs)) return null;
  const touched = new Set(o.changed.map(({ epoch, tag }) => epoch * BUCKETS + (tag[0] ?? 0)));
  if (touched.size * (state.recordCount / BUCKETS + BATCH_RECORDS) >= state.recordCount) return null;
  let { recordCount, packBytes } = state;
  const updated: EpochBuckets[] = [];
  for (const [i, { epoch, dimension }] of o.epochs.entries()) {
    const [hashes, counts] = [buckets[i]?.hashes.slice(), buckets[i]?.counts.slice()];
    if (hashes === undefined || counts === undefined) return null;
    const size = recordSize(dimension);
    for (const place of touched) {
      if (Math.floor(place / BUCKETS) !== epoch) continue;
      const bucket = place % BUCKETS;
      const { hash, count } = await hashBucket(store, tx, list, { epoch, size, bucket });
      const more = count - (counts[bucket] ?? 0);
      recordCount += more;
      packBytes += more * size;
      counts[bucket] = count;
      hashes.set(hash, bucket * HASH_BYTES);
    }
    updated.push({ hashes, counts });
  }
  const hashed = o.epochs.map((epoch, i) => ({ ...epoch, hashes: updated[i]?.hashes ?? new Uint8Array() }));
  const stateHash = stateHashOfBuckets(list.listId, hashed, () => createHash('sha256'));
  return { recordCount, packBytes, stateHash, epochs: o.epochs, buckets: updated };
}

async function hashBucket(
  store: SyncStore,
  tx: Transaction,
  list: ListName,
  { epoch, size, bucket }: { readonly epoch: number; readonly size: number; readonly bucket: number },
): Promise<{ readonly hash: Buffer; readonly count: number }> {
  const hash = createHash('sha256');
  let count = 0;
  // After the highest possible tag of the previous bucket.
  let after = bucket === 0 ? null : Buffer.alloc(16, 0xff).fill(bucket - 1, 0, 1);
  for (;;) {
    const batch = await store.servedRecords(tx, list, epoch, after, BATCH_RECORDS);
    let end = 0;
    while (end < batch.length && batch[end] === bucket) end += size;
    hash.update(batch.subarray(0, end));
    count += end / size;
    if (end < BATCH_RECORDS * size) return { hash: hash.digest(), count };
    after = Buffer.from(recordTag(batch.subarray(end - size)));
  }
}

/** The list's state at `head` when it is known or cheap to compute; null otherwise. */
export async function stateOf(
  store: SyncStore,
  tx: Transaction,
  list: ListName,
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
