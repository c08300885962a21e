import { FULL_WIPE_MS } from '@svc/protocol/sync';
import type { EraseReason, TrustState } from './trust-state.ts';

/** When all data must be deleted, by the trusted clock: at the list's deadline, and thirty days after a sync. */
function erasures({ list, droppedDeadlineMs = null, syncedAtMs, tombstone }: TrustState) {
  if (tombstone !== null && takesDeviceKey(tombstone.reason)) return [];
  const deadlineMs = list === null ? droppedDeadlineMs : list.retentionDeadlineMs;
  return [
    ...(deadlineMs === null ? [] : [{ reason: 'retention-deadline' as const, atMs: deadlineMs }]),
    ...(syncedAtMs === null ? [] : [{ reason: 'no-sync-30-days' as const, atMs: syncedAtMs + FULL_WIPE_MS }]),
  ];
}

/** Whether all data must be deleted now. */
export function dueErasure(state: TrustState, nowMs: number): EraseReason | null {
  return erasures(state).find(({ atMs }) => atMs <= nowMs)?.reason ?? null;
}

/** Trusted time of the next deletion of all data; null if none is to come. */
export function nextErasureAtMs(state: TrustState): number | null {
  const times = erasures(state).map(({ atMs }) => atMs);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * Whether the device's own key pair is deleted too: when the device is removed. A suspended account's device may return
 * to its list.
 */
export function takesDeviceKey(reason: EraseReason): boolean {
  return reason === 'device-revoked' || reason === 'no-sync-30-days';
}
