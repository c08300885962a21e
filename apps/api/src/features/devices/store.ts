import type { Attendance, Metadata, WipeReason } from '@svc/protocol';
import { columnsOf, rowsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

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
  readonly revokedAt: Date | null;
  /**
   * Why it was last told to wipe, or `device-unsuited`: refused, as too old to be told so. Null when it synced since.
   */
  readonly wipeTold: WipeReason | 'device-unsuited' | null;
  /** The copy of the list that it was last sent; null before its first sync, and for one of an earlier version. */
  readonly pack: DevicePack | null;
  /** As its last sync told; null if that told none. */
  readonly sdkVersion: string | null;
  readonly engineIds: readonly string[];
  readonly attendances: readonly Attendance[];
  readonly metadata: Metadata;
}

export interface DevicePack {
  readonly version: number;
  readonly people: number;
  /** Whether the request of its last sync told this version. */
  readonly isConfirmed: boolean;
}

/** What a device has before its first sync. */
export const NEVER_SYNCED = {
  lastSyncAt: null,
  copiedAt: null,
  revokedAt: null,
  wipeTold: null,
  pack: null,
  sdkVersion: null,
  engineIds: [],
  attendances: [],
} as const satisfies Partial<DeviceRecord>;

type DeviceRow = Omit<DeviceRecord, 'pack'> & {
  readonly packVersion: number | null;
  readonly packPeople: number | null;
  readonly packHeldVersion: number | null;
};

const COLUMNS = columnsOf<DeviceRow>()(
  ['accountId', 'listId', 'deviceId', 'tokenSha256', 'name', 'createdAt', 'expiresAt', 'lastSyncAt', 'copiedAt'],
  ['revokedAt', 'wipeTold', 'packVersion', 'packPeople', 'packHeldVersion', 'sdkVersion', 'engineIds', 'attendances'],
  ['metadata'],
);

type DeviceKey = Pick<DeviceRecord, 'accountId' | 'listId' | 'deviceId'>;

export type DeviceStore = ReturnType<typeof createDeviceStore>;

const toDevice = ({
  packVersion: version,
  packPeople: people,
  packHeldVersion,
  ...device
}: DeviceRow): DeviceRecord => ({
  ...device,
  pack: version === null || people === null ? null : { version, people, isConfirmed: packHeldVersion === version },
});

const devicesOf = (on: Connection, accountId: string, listId: string) =>
  on('devices').where({ account_id: accountId, list_id: listId });

export function createDeviceStore(connection: Connection) {
  return {
    async insert(tx: Transaction, device: DeviceRecord): Promise<void> {
      const { accountId, listId, deviceId, tokenSha256, name, createdAt, expiresAt, metadata } = device;
      const row = { accountId, listId, deviceId, tokenSha256, name, createdAt, expiresAt, metadata };
      await tx('devices').insert(toRow(row));
    },
    /** Of a list, without revoked ones. */
    count: async (tx: Transaction, { accountId, listId }: ListKey): Promise<number> =>
      (await devicesOf(tx, accountId, listId).whereNull('revoked_at').pluck('device_id')).length,
    /** Does not find revoked devices. */
    async find({ accountId, listId, deviceId }: DeviceKey): Promise<DeviceRecord | null> {
      const query = devicesOf(connection, accountId, listId).where({ device_id: deviceId }).whereNull('revoked_at');
      const row: DeviceRow | undefined = await query.first(COLUMNS);
      return row === undefined ? null : toDevice(row);
    },
    /** As `find`, and locks the row until the transaction ends. */
    async lock(tx: Transaction, { accountId, listId, deviceId }: DeviceKey): Promise<DeviceRecord | null> {
      const query = devicesOf(tx, accountId, listId).where({ device_id: deviceId }).whereNull('revoked_at');
      const row: DeviceRow | undefined = await query.forNoKeyUpdate().first(COLUMNS);
      return row === undefined ? null : toDevice(row);
    },
    /** The caller holds the row's lock. */
    async update(tx: Transaction, { accountId, listId, deviceId, name, metadata }: DeviceRecord): Promise<void> {
      await devicesOf(tx, accountId, listId).where({ device_id: deviceId }).update(toRow({ name, metadata }));
    },
    /**
     * Newest first, older than `before`.
     * @param only those that are revoked instead of those that are not; those with all of this metadata
     */
    async page(
      { accountId, listId }: Pick<DeviceRecord, 'accountId' | 'listId'>,
      only: { readonly revoked: boolean; readonly metadata: Metadata | undefined },
      before: string | undefined,
      rows: number,
    ): Promise<DeviceRecord[]> {
      const query = devicesOf(connection, accountId, listId);
      if (only.metadata !== undefined) query.whereRaw('metadata @> ?', [JSON.stringify(only.metadata)]);
      if (only.revoked) query.whereNotNull('revoked_at');
      else query.whereNull('revoked_at');
      if (before !== undefined) query.where('device_id', '<', before);
      const found: DeviceRow[] = await query.orderBy('device_id', 'desc').limit(rows).select(COLUMNS);
      return found.map(toDevice);
    },
    /**
     * A repeated call keeps the time of the first.
     * @returns null when the list has no such device; `revoked-unused` when it never had a key of the list
     */
    async revoke(
      tx: Transaction,
      { accountId, listId, deviceId }: DeviceKey,
      revokedAt: Date,
    ): Promise<'revoked' | 'revoked-unused' | 'unchanged' | null> {
      const device = () => devicesOf(tx, accountId, listId).where({ device_id: deviceId });
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

/** A device that never sent a counter has an SDK without announcements, or has synced only once. */
const COUNT = `
/* all accounts */ SELECT count(*)::int AS devices,
  count(*) FILTER (WHERE last_sync_at <= :since OR sync_counter_shown = 0)::int AS unaware
FROM devices
WHERE revoked_at IS NULL AND last_sync_at > :aliveAfter AND (expires_at IS NULL OR expires_at > :now)`;

export function createAwarenessStore(connection: Connection) {
  return {
    /**
     * @param since when all nodes had the announcement
     * @param aliveAfter devices that have not synced since have wiped themselves
     */
    count: async (since: Date, aliveAfter: Date, now: Date): Promise<Awareness> =>
      (await rowsOf<Awareness>(connection, COUNT, { since, aliveAfter, now }))[0] ?? { devices: 0, unaware: 0 },
  };
}
