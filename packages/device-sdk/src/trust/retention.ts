import { encodePack, type Pack, recordDeleteAfterMs } from '@svc/core/pack';
import { FULL_WIPE_MS } from '@svc/protocol';
import type { EraseReason, TrustState } from './trust-state.ts';

/** Whether everything must go by now, by the list's deadline or by thirty days without a sync. */
export function dueErasure({ list, syncedAtMs, tombstone }: TrustState, nowMs: number): EraseReason | null {
  if (tombstone?.reason === 'no-sync-30-days' || tombstone?.reason === 'device-revoked') return null;
  if (list !== null && list.retentionDeadlineMs !== null && list.retentionDeadlineMs <= nowMs)
    return 'retention-deadline';
  if (syncedAtMs !== null && nowMs - syncedAtMs >= FULL_WIPE_MS) return 'no-sync-30-days';
  return null;
}

/** The device's own key pair goes where the device is over; a suspended account's may come back to its list. */
export function takesDeviceKey(reason: EraseReason): boolean {
  return reason === 'device-revoked' || reason === 'no-sync-30-days';
}

/** When the first record of the pack is due for deletion; Infinity for none. */
export function nextDeleteAfterMs(pack: Pack): number {
  let next = Number.POSITIVE_INFINITY;
  for (const epoch of pack.epochs) {
    for (const record of epoch.records()) next = Math.min(next, recordDeleteAfterMs(record));
  }
  return next;
}

/** The pack without the records that are due by now, encoded. */
export function encodeWithoutDue(pack: Pack, nowMs: number): Uint8Array {
  return encodePack({
    listId: pack.listId,
    listVersion: pack.listVersion,
    epochs: pack.epochs.map(({ epoch, engineId, dimension, checkRecord, records }) => ({
      epoch,
      engineId,
      dimension,
      checkRecord,
      records: [...records()].filter((record) => recordDeleteAfterMs(record) > nowMs),
    })),
  });
}
