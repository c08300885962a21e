import type { RetentionStore } from '../../features/retention/store.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { MemoryRows } from './rows.ts';

type Timed = 'removals' | 'tombstones' | 'devices';

/** {@link RetentionStore} on a database in memory. */
export function createMemoryRetentionStore(database: MemoryDatabase): RetentionStore {
  function deleteOldest<N extends Timed>(
    name: N,
    timeOf: (row: MemoryRows[N]) => Date | null,
    at: Date,
    limit: number,
  ) {
    return database.change((tx) => {
      const table = tx.table(name);
      const old = [...table]
        .flatMap(([key, row]) => {
          const time = timeOf(row);
          return time === null || time > at ? [] : [{ key, time: time.getTime() }];
        })
        .sort((a, b) => a.time - b.time)
        .slice(0, limit);
      for (const { key } of old) table.delete(key);
      return old.length;
    });
  }
  return {
    deleteRemovals: (before, limit) => deleteOldest('removals', (row) => row.removedAt, before, limit),
    deleteTombstones: (expiry, limit) => deleteOldest('tombstones', (row) => row.expiresAt, expiry, limit),
    deleteRevokedDevices: (before, limit) => deleteOldest('devices', (row) => row.revokedAt, before, limit),
  };
}
