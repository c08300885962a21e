import { type DeviceState, FULL_WIPE_MS, LEASE_MS, LEASE_WARNING_MS, SYNC_DUE_MS } from '@svc/protocol';
import type { DeviceRecord } from './store.ts';

type Facts = Pick<DeviceRecord, 'lastSyncAt' | 'revokedAt' | 'copiedAt' | 'wipeTold' | 'expiresAt'>;

/** When the device stops verifying unless it syncs before; null before the first sync. */
export function leaseEndOf({ lastSyncAt, expiresAt }: Pick<Facts, 'lastSyncAt' | 'expiresAt'>): Date | null {
  if (lastSyncAt === null) return null;
  const leaseEnd = new Date(lastSyncAt.getTime() + LEASE_MS);
  return expiresAt !== null && expiresAt < leaseEnd ? expiresAt : leaseEnd;
}

/** Whether the device holds nothing: it was told so, or it deletes everything by its own clock, offline too. */
function hasWiped({ lastSyncAt, wipeTold, expiresAt }: Facts, nowMs: number): boolean {
  if (lastSyncAt === null) return false;
  const isOver = expiresAt !== null && expiresAt.getTime() <= nowMs;
  return wipeTold !== null || isOver || lastSyncAt.getTime() + FULL_WIPE_MS <= nowMs;
}

/** What the service knows of a device at a time. Of several states the most serious: the first that applies below. */
export function deviceStateOf(device: Facts, nowMs: number): DeviceState {
  const { lastSyncAt, revokedAt, copiedAt, expiresAt } = device;
  if (hasWiped(device, nowMs)) return 'wiped';
  if (revokedAt !== null) return lastSyncAt === null ? 'wiped' : 'revoked';
  if (copiedAt !== null) return 'copied';
  // Its token is dead.
  if (expiresAt !== null && expiresAt.getTime() <= nowMs) return 'expired';
  if (lastSyncAt === null) return 'never-synced';
  const ageMs = nowMs - lastSyncAt.getTime();
  if (ageMs >= LEASE_MS) return 'expired';
  if (ageMs >= LEASE_MS - LEASE_WARNING_MS) return 'lease-running-out';
  return ageMs >= SYNC_DUE_MS ? 'due' : 'fresh';
}
