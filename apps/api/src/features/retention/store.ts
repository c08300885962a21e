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

export function createRetentionStore(connection: Connection) {
  return {
    /** Recorded removals of faces. */
    deleteRemovals: (before: Date) => REMOVALS(connection, { before }),
    /** Tombstones of devices that expire at or before. */
    deleteTombstones: (expiry: Date) => TOMBSTONES(connection, { expiry }),
    /** Devices revoked before a time. */
    deleteRevokedDevices: (before: Date) => DEVICES(connection, { before }),
  };
}
