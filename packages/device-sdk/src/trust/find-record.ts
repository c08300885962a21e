import type { Aead } from '@svc/core/aead';
import { deriveLookupKey, isPersonId, lookupTag, openRecord, recordDeleteAfterMs } from '@svc/core/pack';
import type { KeyStore } from '../ports/key-store.ts';
import type { Lookup } from './admission.ts';
import type { HeldPack } from './held-pack.ts';
import { getListKeys, wipeListKeys } from './list-keys.ts';
import type { ListEpoch } from './trust-state.ts';

/** A sealed record and what opens it beside the key. */
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
 * Looks a person up in the newest epoch first, and takes the first whose engine is one of these. `scannedId` may be anything a scanner
 * gives.
 * @throws FaceError `pack-invalid` when the store no longer holds what was written to it
 */
export async function findRecord(
  scannedId: unknown,
  engineIds: readonly string[],
  held: HeldPack | null,
  keyStore: KeyStore,
): Promise<Finding> {
  if (held === null) return { lookup: { kind: 'no-list' }, found: null };
  if (typeof scannedId !== 'string' || !isPersonId(scannedId)) return { lookup: { kind: 'invalid-id' }, found: null };
  const keys = await getListKeys(keyStore, held.list.generation);
  if (keys === null) return { lookup: { kind: 'no-list' }, found: null };
  let lookup: Lookup = { kind: 'absent' };
  try {
    for (const epoch of held.list.epochs) {
      const key = keys.find((candidate) => candidate.epoch === epoch.epoch)?.key;
      if (key === undefined) continue;
      const lookupKey = deriveLookupKey(key);
      const tag = lookupTag(lookupKey, scannedId);
      lookupKey.fill(0);
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
    wipeListKeys(keys);
  }
}

/** @returns Float32Array[dimension], which the caller wipes. @throws FaceError `open-failed`, also when the key is gone */
export async function unsealRecord(found: FoundRecord, keyStore: KeyStore, aead: Aead): Promise<Float32Array> {
  const { personId, listId, record, generation } = found;
  const { epoch, engineId, dimension } = found.epoch;
  const keys = (await getListKeys(keyStore, generation)) ?? [];
  const none = new Uint8Array(32);
  try {
    const listKey = keys.find((candidate) => candidate.epoch === epoch)?.key ?? none;
    return await openRecord(aead, { listKey, personId, record, listId, epoch, engineId, dimension });
  } finally {
    wipeListKeys(keys);
  }
}
