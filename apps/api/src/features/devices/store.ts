import type { WipeReason } from '@svc/protocol';
import type { Connection, Transaction } from '../../db/connection.ts';

/** A check-in device of a list; its token is known by its hash alone. */
export interface DeviceRecord {
  readonly accountId: string;
  readonly listId: string;
  readonly deviceId: string;
  readonly tokenSha256: Buffer;
  readonly name: string | null;
  readonly createdAt: Date;
  /** The list's retention deadline; null on an ongoing list. */
  readonly expiresAt: Date | null;
  readonly lastSyncAt: Date | null;
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
}

/** A device's list as far as devices go. */
export interface DeviceList {
  readonly retentionDeadline: Date | null;
}

export interface DeviceStore {
  /** The caller's list, unless it is being deleted; kept from being deleted until the transaction ends. */
  holdList(tx: Transaction, accountId: string, listId: string): Promise<DeviceList | null>;
  listExists(accountId: string, listId: string): Promise<boolean>;
  insert(tx: Transaction, device: DeviceRecord): Promise<void>;
  /** Devices that are not revoked, newest first, those made before the one named. */
  page(accountId: string, listId: string, before: string | undefined, rows: number): Promise<DeviceRecord[]>;
  /** The first revocation's time stays. @returns false when the list has no such device */
  revoke(accountId: string, listId: string, deviceId: string, revokedAt: Date): Promise<boolean>;
  /**
   * Keeps the token hashes of a list that is about to lose its rows, so that its devices can still be told to wipe.
   * A device that was revoked before keeps that reason.
   */
  tombstoneList(
    tx: Transaction,
    list: { readonly accountId: string; readonly listId: string },
    reason: WipeReason,
    times: { readonly createdAt: Date; readonly expiresAt: Date },
  ): Promise<void>;
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
});

const TOMBSTONE_LIST = `
INSERT INTO wipe_tombstones (account_id, token_sha256, list_id, device_id, key_thumbprint, reason, created_at, expires_at)
SELECT account_id, token_sha256, list_id, device_id, key_thumbprint,
       CASE WHEN revoked_at IS NULL THEN :reason ELSE 'device-revoked' END, :createdAt, :expiresAt
FROM devices WHERE account_id = :accountId AND list_id = :listId
ON CONFLICT (account_id, token_sha256) DO NOTHING`;

export function createDeviceStore(connection: Connection): DeviceStore {
  const devices = (on: Connection, accountId: string, listId: string) =>
    on('devices').where({ account_id: accountId, list_id: listId });
  const lists = (on: Connection, accountId: string, listId: string) =>
    on('lists').where({ account_id: accountId, list_id: listId }).whereNull('deleting_at');
  return {
    async holdList(tx, accountId, listId) {
      const row: { retention_deadline: Date | null } | undefined = await lists(tx, accountId, listId)
        .forShare()
        .first('retention_deadline');
      return row === undefined ? null : { retentionDeadline: row.retention_deadline };
    },
    async listExists(accountId, listId) {
      return (await lists(connection, accountId, listId).first('list_id')) !== undefined;
    },
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
    async page(accountId, listId, before, rows) {
      const query = devices(connection, accountId, listId).whereNull('revoked_at');
      if (before !== undefined) query.where('device_id', '<', before);
      const found: DeviceRow[] = await query.orderBy('device_id', 'desc').limit(rows);
      return found.map(toDevice);
    },
    async revoke(accountId, listId, deviceId, revokedAt) {
      const revoked = await devices(connection, accountId, listId)
        .where({ device_id: deviceId })
        .update({ revoked_at: connection.raw('coalesce(revoked_at, ?)', [revokedAt]) });
      return revoked === 1;
    },
    async tombstoneList(tx, { accountId, listId }, reason, { createdAt, expiresAt }) {
      await tx.raw(TOMBSTONE_LIST, { accountId, listId, reason, createdAt, expiresAt });
    },
  };
}
