import type { Connection } from '../../db/connection.ts';

/** Of all accounts: devices that still sync, and those of them that may not know what was announced. */
export interface Awareness {
  readonly devices: number;
  readonly unaware: number;
}

export interface AwarenessStore {
  /**
   * @param since by then every node told of it
   * @param aliveAfter who has not synced after it has wiped
   */
  count(since: Date, aliveAfter: Date, now: Date): Promise<Awareness>;
}

/** A device that has never shown a number is of an edition that follows no announcement, or has synced once only. */
const COUNT = `
SELECT count(*)::int AS devices,
  count(*) FILTER (WHERE last_sync_at <= :since OR sync_counter_shown = 0)::int AS unaware
FROM devices
WHERE revoked_at IS NULL AND last_sync_at > :aliveAfter AND (expires_at IS NULL OR expires_at > :now)`;

export function createAwarenessStore(connection: Connection): AwarenessStore {
  return {
    async count(since, aliveAfter, now) {
      const { rows } = await connection.raw<{ rows: Awareness[] }>(COUNT, { since, aliveAfter, now });
      return rows[0] ?? { devices: 0, unaware: 0 };
    },
  };
}
