import { FaceError } from '@svc/core';
import type { Aead } from '@svc/core/aead';
import { type DeriveFromListKey, isPersonId, lookupTagOf, openRecord, recordDeleteAfterMs } from '@svc/core/pack';
import type { KeyStore } from '../storage/key-store.ts';
import { openWith } from '../storage/list-keys.ts';
import type { HeldPack } from '../storage/pack-store.ts';
import type { Lookup } from './admission.ts';
import type { ListEpoch } from './trust-state.ts';

/** A sealed record and its context for opening, without the key. */
export interface FoundRecord {
  readonly personId: string;
  readonly epoch: ListEpoch;
  readonly listId: string;
  readonly generation: number;
  readonly record: Uint8Array;
}

export interface Finding {
  readonly lookup: Lookup;
  readonly found: FoundRecord | null;
}

/**
 * Looks a person up, newest epoch first, and returns the first record of one of these engines. `scannedId` may be any
 * scanner output.
 * @throws FaceError `pack-invalid` if the store has changed
 */
export async function findRecord(
  scannedId: unknown,
  engineIds: readonly string[],
  held: HeldPack | null,
  keyStore: KeyStore,
): Promise<Finding> {
  if (held === null) return { lookup: { kind: 'no-list' }, found: null };
  if (typeof scannedId !== 'string' || !isPersonId(scannedId)) return { lookup: { kind: 'invalid-id' }, found: null };
  const keys = await keyStore.listKeys(held.list.generation);
  if (keys === null) return { lookup: { kind: 'no-list' }, found: null };
  let lookup: Lookup = { kind: 'absent' };
  try {
    for (const epoch of held.list.epochs) {
      const key = keys.keyOf(epoch.epoch);
      if (key === null) continue;
      const tag = await lookupTagOf(key, scannedId);
      const record = await held.index.find(epoch.epoch, tag, held.reader);
      if (record === null) continue;
      if (!engineIds.includes(epoch.engineId)) {
        lookup = { kind: 'other-engine' };
        continue;
      }
      const { generation } = held.list;
      return {
        lookup: { kind: 'found', deleteAfterMs: recordDeleteAfterMs(record) },
        found: { personId: scannedId, epoch, listId: held.index.listId, generation, record },
      };
    }
    return { lookup, found: null };
  } finally {
    keys.wipe();
  }
}

const noKey: DeriveFromListKey = () => Promise.reject(new FaceError('open-failed', 'the list key is gone'));

/**
 * @returns Float32Array[dimension], which the caller wipes
 * @throws FaceError `open-failed`, also if the key is gone; errors of the store
 */
export async function unsealRecord(found: FoundRecord, keyStore: KeyStore, aead: Aead): Promise<Float32Array> {
  const { personId, listId, record, generation } = found;
  const { epoch, engineId, dimension } = found.epoch;
  const keys = await keyStore.listKeys(generation);
  const context = { personId, record, listId, epoch, engineId, dimension };
  try {
    return await openWith(keys?.keyOf(epoch) ?? noKey, (listKey) => openRecord(aead, { listKey, ...context }));
  } finally {
    keys?.wipe();
  }
}
