import { FULL_WIPE_MS } from '@svc/protocol/sync';
import type { EraseReason, TrustState } from './trust-state.ts';

/** Whether all data must be deleted now, by the list's deadline or after thirty days without a sync. */
export function dueErasure(
  { list, droppedDeadlineMs = null, syncedAtMs, tombstone }: TrustState,
  nowMs: number,
): EraseReason | null {
  if (tombstone?.reason === 'no-sync-30-days' || tombstone?.reason === 'device-revoked') return null;
  const deadlineMs = list === null ? droppedDeadlineMs : list.retentionDeadlineMs;
  if (deadlineMs !== null && deadlineMs <= nowMs) return 'retention-deadline';
  if (syncedAtMs !== null && nowMs - syncedAtMs >= FULL_WIPE_MS) return 'no-sync-30-days';
  return null;
}

/**
 * Whether the device's own key pair is deleted too: when the device is removed. A suspended account's device may return
 * to its list.
 */
export function takesDeviceKey(reason: EraseReason): boolean {
  return reason === 'device-revoked' || reason === 'no-sync-30-days';
}
