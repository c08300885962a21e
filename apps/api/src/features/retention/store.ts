import type { Connection } from '../../db/connection.ts';

/** Each deletes rows older than a time, oldest first and at most `limit`, and returns their number. */
export interface RetentionStore {
  /** Recorded removals of faces. */
  deleteRemovals(before: Date, limit: number): Promise<number>;
  /** Tombstones of devices that expire at or before. */
  deleteTombstones(expiry: Date, limit: number): Promise<number>;
  /** Devices revoked before a time. */
  deleteRevokedDevices(before: Date, limit: number): Promise<number>;
}

/** By key instead of ctid, which a distributed PostgreSQL does not support. */
const deleteOldest = (table: string, time: string, key: readonly string[]) => `
DELETE FROM ${table} t USING (SELECT ${key.join(', ')} FROM ${table} WHERE ${time} <= ? ORDER BY ${time} LIMIT ?) old
WHERE ${key.map((column) => `t.${column} = old.${column}`).join(' AND ')}`;

const REMOVALS = deleteOldest('face_removals', 'removed_at', ['account_id', 'list_id', 'epoch', 'tag']);
const TOMBSTONES = deleteOldest('wipe_tombstones', 'expires_at', ['account_id', 'token_sha256']);
const DEVICES = deleteOldest('devices', 'revoked_at', ['account_id', 'list_id', 'device_id']);

export function createRetentionStore(connection: Connection): RetentionStore {
  const run = async (sql: string, before: Date, limit: number) =>
    (await connection.raw<{ rowCount: number }>(sql, [before, limit])).rowCount;
  return {
    deleteRemovals: (before, limit) => run(REMOVALS, before, limit),
    deleteTombstones: (expiry, limit) => run(TOMBSTONES, expiry, limit),
    deleteRevokedDevices: (before, limit) => run(DEVICES, before, limit),
  };
}
