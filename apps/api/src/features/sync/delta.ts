import { createHash } from 'node:crypto';
import { encodeDelta, recordSize } from '@svc/core/pack';
import type { Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import type { ListState, StateAt } from './caches.ts';
import { stateOf } from './list-state.ts';
import type { ChangedFace, EpochHead, ListHead, SyncStore } from './store.ts';

/** The changes from one version of a list to a later one. Shared by all answers: read-only. */
export interface Delta {
  readonly head: ListHead;
  readonly state: ListState;
  readonly payload: Uint8Array;
  readonly payloadSha256: Buffer;
}

/** With more changes the whole pack is sent, as an answer has to fit in memory. */
const MAX_CHANGES = 20_000;
const BATCH_TAGS = 500;

/**
 * Builds the changes after version `since` from one database snapshot.
 * @param known the newest known state of the list
 * @returns null when a whole pack is to be sent: it is smaller, the state needs the whole list, or nothing changed
 */
export function buildDelta(
  store: SyncStore,
  list: ListKey,
  since: number,
  known: StateAt | null,
): Promise<Delta | null> {
  return store.inSnapshot(async (tx) => {
    const head = await store.head(tx, list);
    if (head === null || head.version <= since) return null;
    const changed = await store.changedFaces(tx, list, since, MAX_CHANGES);
    if (changed.length === MAX_CHANGES) return null;
    const epochs = await store.epochs(tx, list);
    const state = await stateOf(store, tx, list, { head, known, epochs, limit: MAX_CHANGES });
    if (state === null || leastBytes(changed, epochs) >= state.packBytes) return null;
    const counts = await countsOf(store, tx, list, state);
    const payload = encodeDelta({
      listId: list.listId,
      fromVersion: since,
      toVersion: head.version,
      epochs: await Promise.all(
        epochs.map(async (epoch) => ({
          ...epoch,
          recordCount: counts.get(epoch.epoch) ?? 0,
          ...(await changesOf(store, tx, list, epoch, changed)),
        })),
      ),
    });
    if (payload.length >= state.packBytes) return null;
    return { head, state, payload, payloadSha256: createHash('sha256').update(payload).digest() };
  });
}

/** Size of the changes without headers. */
function leastBytes(changed: readonly ChangedFace[], epochs: readonly EpochHead[]): number {
  const sizes = new Map(epochs.map(({ epoch, dimension }) => [epoch, recordSize(dimension)]));
  return changed.reduce((sum, { epoch, tag, isServed }) => sum + (isServed ? (sizes.get(epoch) ?? 0) : tag.length), 0);
}

/** Number of records in each epoch, from the buckets if there are any, else counted. */
async function countsOf(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  { epochs, buckets }: ListState,
): Promise<ReadonlyMap<number, number>> {
  if (buckets === null) return store.countServed(tx, list);
  return new Map(epochs.map(({ epoch }, i) => [epoch, buckets[i]?.counts.reduce((sum, count) => sum + count, 0) ?? 0]));
}

async function changesOf(
  store: SyncStore,
  tx: Transaction,
  list: ListKey,
  { epoch, dimension }: EpochHead,
  changed: readonly ChangedFace[],
): Promise<{ readonly upserts: readonly Uint8Array[]; readonly removals: readonly Uint8Array[] }> {
  const own = changed.filter((face) => face.epoch === epoch);
  const served = own.filter(({ isServed }) => isServed).map(({ tag }) => tag);
  const size = recordSize(dimension);
  const upserts: Uint8Array[] = [];
  for (let from = 0; from < served.length; from += BATCH_TAGS) {
    const records = await store.recordsOf(tx, list, epoch, served.slice(from, from + BATCH_TAGS));
    for (let at = 0; at < records.length; at += size) upserts.push(records.subarray(at, at + size));
  }
  return { upserts, removals: own.filter(({ isServed }) => !isServed).map(({ tag }) => tag) };
}
