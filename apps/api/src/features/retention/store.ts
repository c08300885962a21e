import { changeDueRows } from '../../db/by-account.ts';
import type { Connection } from '../../db/connection.ts';

/** Each deletes rows older than a time, oldest first, and returns their number. */
export type RetentionStore = ReturnType<typeof createRetentionStore>;

const REMOVALS = changeDueRows({
  table: 'face_removals',
  key: { list_id: 'text', epoch: 'integer', tag: 'bytea' },
  due: 'removed_at <= :before',
  order: 'removed_at',
  change: 'DELETE FROM face_removals',
});
const TOMBSTONES = changeDueRows({
  table: 'wipe_tombstones',
  key: { token_sha256: 'bytea' },
  due: 'expires_at <= :expiry',
  order: 'expires_at',
  change: 'DELETE FROM wipe_tombstones',
});
const DEVICES = changeDueRows({
  table: 'devices',
  key: { list_id: 'text', device_id: 'text' },
  due: 'revoked_at <= :before',
  order: 'revoked_at',
  change: 'DELETE FROM devices',
});

/** Those of events are kept with their list. */
const ARRIVALS = changeDueRows({
  table: 'device_arrivals',
  key: { list_id: 'text', device_id: 'text', starts_at: 'timestamptz' },
  due: 'starts_at <= :before',
  find: `SELECT account_id, list_id, device_id, starts_at FROM device_arrivals JOIN lists USING (account_id, list_id)
    WHERE starts_at <= :before AND event_id IS NULL LIMIT :limit`,
  change: 'DELETE FROM device_arrivals',
});

const ADMISSIONS = changeDueRows({
  table: 'admissions',
  key: { list_id: 'text', tag: 'bytea', device_id: 'text' },
  due: 'delete_after <= :now',
  order: 'delete_after',
  change: 'DELETE FROM admissions',
});

export function createRetentionStore(connection: Connection) {
  return {
    /** Recorded removals of faces. */
    deleteRemovals: (before: Date) => REMOVALS(connection, { before }),
    /** Shared admissions of ongoing lists that no longer count, and that somebody was erased; an event's go with its list. */
    deleteAdmissions: (now: Date) => ADMISSIONS(connection, { now }),
    /** Tombstones of devices that expire at or before. */
    deleteTombstones: (expiry: Date) => TOMBSTONES(connection, { expiry }),
    /** Counts of ongoing lists. */
    deleteArrivals: (before: Date) => ARRIVALS(connection, { before }),
    /** Devices revoked before a time. */
    deleteRevokedDevices: (before: Date) => DEVICES(connection, { before }),
  };
}
