import type { Connection, Transaction } from '../../db/connection.ts';

/** A check-in device of a list; only its token's hash is stored. */
export interface DeviceRecord {
  readonly accountId: string;
  readonly listId: string;
  readonly deviceId: string;
  readonly tokenSha256: Buffer;
  readonly name: string | null;
  readonly createdAt: Date;
  /** The list's retention deadline; null for an ongoing list. */
  readonly expiresAt: Date | null;
  readonly lastSyncAt: Date | null;
  /** When it was detected that two copies of it sync. */
  readonly copiedAt: Date | null;
}

interface DeviceRow {
  readonly account_id: string;
  readonly list_id: string;
  readonly device_id: string;
  readonly token_sha256: Buffer;
  readonly name: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_sync_at: Date | null;
  readonly copied_at: Date | null;
}

type DeviceKey = Pick<DeviceRecord, 'accountId' | 'listId' | 'deviceId'>;

export interface DeviceStore {
  insert(tx: Transaction, device: DeviceRecord): Promise<void>;
  /** Does not find revoked devices. */
  find(key: DeviceKey): Promise<DeviceRecord | null>;
  /** As `find`, and locks the row until the transaction ends. */
  lock(tx: Transaction, key: DeviceKey): Promise<DeviceRecord | null>;
  rename(tx: Transaction, key: DeviceKey, name: string): Promise<void>;
  /** Devices that are not revoked, newest first, older than `before`. */
  page(accountId: string, listId: string, before: string | undefined, rows: number): Promise<DeviceRecord[]>;
  /**
   * A repeated call keeps the time of the first.
   * @returns null when the list has no such device; `revoked-unused` when it never had a key of the list
   */
  revoke(tx: Transaction, key: DeviceKey, revokedAt: Date): Promise<'revoked' | 'revoked-unused' | 'unchanged' | null>;
}

const toDevice = (row: DeviceRow): DeviceRecord => ({
  accountId: row.account_id,
  listId: row.list_id,
  deviceId: row.device_id,
  tokenSha256: row.token_sha256,
  name: row.name,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastSyncAt: row.last_sync_at,
  copiedAt: row.copied_at,
});

export function createDeviceStore(connection: Connection): DeviceStore {
  const devices = (on: Connection, accountId: string, listId: string) =>
    on('devices').where({ account_id: accountId, list_id: listId });
  return {
    async insert(tx, device) {
      await tx('devices').insert({
        account_id: device.accountId,
        list_id: device.listId,
        device_id: device.deviceId,
        token_sha256: device.tokenSha256,
        name: device.name,
        created_at: device.createdAt,
        expires_at: device.expiresAt,
      });
    },
    async find({ accountId, listId, deviceId }) {
      const query = devices(connection, accountId, listId).where({ device_id: deviceId }).whereNull('revoked_at');
      const row: DeviceRow | undefined = await query.first();
      return row === undefined ? null : toDevice(row);
    },
    async lock(tx, { accountId, listId, deviceId }) {
      const query = devices(tx, accountId, listId).where({ device_id: deviceId }).whereNull('revoked_at');
      const row: DeviceRow | undefined = await query.forNoKeyUpdate().first();
      return row === undefined ? null : toDevice(row);
    },
    async rename(tx, { accountId, listId, deviceId }, name) {
      await devices(tx, accountId, listId).where({ device_id: deviceId }).update({ name });
    },
    async page(accountId, listId, before, rows) {
      const query = devices(connection, accountId, listId).whereNull('revoked_at');
      if (before !== undefined) query.where('device_id', '<', before);
      const found: DeviceRow[] = await query.orderBy('device_id', 'desc').limit(rows);
      return found.map(toDevice);
    },
    async revoke(tx, { accountId, listId, deviceId }, revokedAt) {
      const device = () => devices(tx, accountId, listId).where({ device_id: deviceId });
      const [revoked]: { public_key: Buffer | null }[] = await device()
        .whereNull('revoked_at')
        .update({ revoked_at: revokedAt })
        .returning('public_key');
      if (revoked !== undefined) return revoked.public_key === null ? 'revoked-unused' : 'revoked';
      return (await device().first('device_id')) === undefined ? null : 'unchanged';
    },
  };
}

/** Of all accounts: number of active devices, and of those that may not know what was announced. */
export interface Awareness {
  readonly devices: number;
  readonly unaware: number;
}

interface AwarenessStore {
  /**
   * @param since when all nodes had the announcement
   * @param aliveAfter devices that have not synced since have wiped themselves
   */
  count(since: Date, aliveAfter: Date, now: Date): Promise<Awareness>;
}

/** A device that never sent a counter has an SDK without announcements, or has synced only once. */
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
