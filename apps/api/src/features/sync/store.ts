import type {
  AccountMode,
  ArrivalsPolicy,
  Attendance,
  HeadTurnAlternative,
  ReEntryPolicy,
  ReEntryScope,
  WipeReason,
} from '@svc/protocol';
import { eachAccount } from '../../db/by-account.ts';
import { columnsIn, columnsOf, nested, rowsOf, selected } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { EpochRecord, ListKey } from '../lists/store.ts';
import type { DeviceMoment } from './notices.ts';

/** A device found by its token, with everything that could have ended it. */
export interface DeviceStanding {
  readonly accountId: string;
  readonly listId: string;
  readonly deviceId: string;
  readonly name: string | null;
  /** The pinned key; null before the first sync. */
  readonly publicKey: Buffer | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly suspendedAt: Date | null;
  readonly deletingAt: Date | null;
  /** When it last got a `keep` answer completely, as far as is known; null before the first. */
  readonly lastSyncAt: Date | null;
  /** When its last answer, which has `syncCounter`, told a link; null if that told none. */
  readonly linkedAt: Date | null;
  readonly syncCounter: number;
  /** The list at the same moment. */
  readonly list: ListHead;
  /** Whether a served face is due: within a day for an ongoing list, now for a list with a deadline. */
  readonly isAnyDue: boolean;
  /**
   * The list's newest epoch at the same moment, 0 for none. If the device is revoked later, it must not get a later
   * one.
   */
  readonly newestEpoch: number;
}

/** A sync, and the counter that the device sent: that of the last answer it stored; null for none. */
export interface CountedSync extends DeviceMoment {
  readonly shown: number | null;
  readonly isLinked: boolean;
}

/** A sync that was answered completely, with what its request told of the device. */
export interface DeviceSync extends DeviceMoment {
  /** The copy that the device has after the answer. */
  readonly pack: { readonly version: number; readonly people: number };
  /** The version that it held when it asked. */
  readonly heldVersion: number;
  readonly software: DeviceSoftware;
}

/** A device's software, as its sync request tells. */
export interface DeviceSoftware {
  readonly sdkVersion: string | null;
  readonly engineIds: readonly string[];
  /** What it can serve; empty for an older device, which tells nothing. */
  readonly attendances: readonly Attendance[];
}

/** The remains of a device whose list was deleted. */
interface Tombstone {
  readonly accountId: string;
  readonly listId: string;
  readonly deviceId: string;
  readonly reason: WipeReason;
  readonly expiresAt: Date;
}

export interface ListHead {
  readonly listId: string;
  readonly version: number;
  readonly ongoing: boolean;
  readonly enrollmentClosed: boolean;
  readonly headTurnAlternative: HeadTurnAlternative;
  readonly retentionDeadline: Date | null;
  readonly name: string;
  readonly accountName: string;
  /** Null for an ongoing list. */
  readonly eventName: string | null;
  readonly reEntry: ReEntryPolicy;
  readonly reEntryScope: ReEntryScope;
  readonly attendance: Attendance;
  readonly arrivals: ArrivalsPolicy;
  /** Of the account. */
  readonly mode: AccountMode;
  /** Where devices send check-ins, the secret sealed with the account's key; null for nowhere, and before there is one. */
  readonly checkIn: { readonly url: string; readonly secretSealed: Buffer } | null;
}

export type EpochHead = EpochRecord & { readonly checkRecord: Buffer };

/** A sync and the device's previous one. */
export interface LateSync extends DeviceMoment {
  readonly before: Date;
}

/** A signed wipe sent to a device. */
export interface DeviceWipe extends DeviceMoment {
  readonly reason: WipeReason;
}

/** A changed record: replaced or removed. */
export interface ChangedFace {
  readonly epoch: number;
  readonly tag: Buffer;
  readonly version: number;
  readonly isServed: boolean;
}

/** Tags from after one to another; null: from the first, to the last. */
export interface TagRange {
  readonly after: Buffer | null;
  readonly through: Buffer | null;
}

/** When a face is due, on ongoing lists and on lists with a deadline. */
export type DueTimes = Readonly<Record<'ongoing' | 'dated', Date>>;

export type SyncStore = ReturnType<typeof createSyncStore>;

type DeviceName = ListKey & { readonly deviceId: string };

type ListRow = Omit<ListHead, 'ongoing' | 'enrollmentClosed' | 'checkIn'> & {
  readonly eventId: string | null;
  readonly enrollmentClosedAt: Date | null;
  readonly checkInUrl: string | null;
  readonly checkInSecretSealed: Buffer | null;
};

type StandingRow = Omit<DeviceStanding, 'list'> & { readonly tokenSha256: Buffer; readonly list: ListRow };
type ElsewhereInStanding = 'list' | 'suspendedAt' | 'deletingAt' | 'isAnyDue' | 'newestEpoch';

const NAME_COLUMNS = columnsOf<DeviceName>()(['accountId', 'listId', 'deviceId']);
const EPOCH_COLUMNS = columnsOf<EpochHead>()(['epoch', 'engineId', 'dimension', 'matchThreshold', 'checkRecord']);
const LIST_COLUMNS = columnsOf<Omit<ListRow, 'version' | 'accountName' | 'eventName' | 'mode'>>()(
  ['listId', 'eventId', 'name', 'enrollmentClosedAt', 'headTurnAlternative', 'retentionDeadline'],
  ['reEntry', 'reEntryScope', 'attendance', 'arrivals', 'checkInUrl', 'checkInSecretSealed'],
);
const HEAD_COLUMNS = {
  ...columnsIn('l', LIST_COLUMNS, 'list'),
  'list.version': 'l.list_version',
  'list.accountName': 'a.name',
  'list.mode': 'a.mode',
  'list.eventName': 'v.name',
};
const DEVICE_COLUMNS = columnsOf<Omit<StandingRow, ElsewhereInStanding>>()(
  ['accountId', 'listId', 'deviceId', 'tokenSha256'],
  ['name', 'publicKey', 'expiresAt', 'revokedAt', 'lastSyncAt', 'linkedAt', 'syncCounter'],
);
const STANDING_COLUMNS = {
  ...columnsIn('d', DEVICE_COLUMNS),
  suspendedAt: 'a.suspended_at',
  deletingAt: 'l.deleting_at',
  ...HEAD_COLUMNS,
};
const WITH_NAMES = `JOIN accounts a ON a.account_id = l.account_id
LEFT JOIN events v ON v.account_id = l.account_id AND v.event_id = l.event_id`;

const FIND_HEAD = `
SELECT ${selected(HEAD_COLUMNS)} FROM lists l ${WITH_NAMES}
WHERE l.account_id = ? AND l.list_id = ? AND l.deleting_at IS NULL`;

const isAnyDue = (accountId: string) => `EXISTS (
    SELECT FROM faces f
    WHERE f.account_id = ${accountId} AND f.list_id = l.list_id AND f.withheld_version IS NULL
      AND f.delete_after <= CASE WHEN l.retention_deadline IS NULL THEN ?::timestamptz ELSE ?::timestamptz END
  )`;

/** All data for an answer to an up-to-date device, except keys, in one query. */
const FIND_DEVICES = `
/* all accounts */ SELECT ${selected(STANDING_COLUMNS)}, ${isAnyDue('l.account_id')} AS "isAnyDue",
  (SELECT coalesce(max(e.epoch), 0) FROM list_epochs e
    WHERE e.account_id = d.account_id AND e.list_id = d.list_id) AS "newestEpoch"
FROM devices d
JOIN lists l ON l.account_id = d.account_id AND l.list_id = d.list_id
${WITH_NAMES}
WHERE d.token_sha256 = ANY (?::bytea[])`;

const WITHHELD_AT_ONCE = 1_000;
/** Each face gets the list's version plus its position in the order of tags. */
const WITHHOLD = `
UPDATE faces SET withheld_version = :base + array_position(CAST(:tags AS bytea[]), tag)
WHERE account_id = :accountId AND list_id = :listId AND epoch = :epoch AND tag = ANY (CAST(:tags AS bytea[]))`;

const NOTE_WITHHELD = `
INSERT INTO face_removals (account_id, list_id, epoch, tag, version, removed_at)
SELECT :accountId, :listId, :epoch, tag, :base + nth, :at
FROM unnest(CAST(:tags AS bytea[])) WITH ORDINALITY AS withheld (tag, nth)
ON CONFLICT (account_id, list_id, epoch, tag) DO UPDATE SET version = excluded.version, removed_at = excluded.removed_at`;

const SERVED_RECORDS = `
SELECT coalesce(string_agg(record, ''::bytea ORDER BY tag), ''::bytea) AS records
FROM (
  SELECT tag, record FROM faces
  WHERE account_id = ? AND list_id = ? AND epoch = ? AND tag > ? AND tag <= ? AND withheld_version IS NULL
  ORDER BY tag LIMIT ?
) batch`;

const CHANGED = `
SELECT epoch, tag, version, true AS "isServed" FROM faces
WHERE account_id = :accountId AND list_id = :listId AND version > :since AND withheld_version IS NULL
UNION ALL
SELECT epoch, tag, version, false FROM face_removals
WHERE account_id = :accountId AND list_id = :listId AND version > :since
LIMIT :limit`;

/** With an array of keys: for a range of versions ordered by tag the planner would scan the whole list. */
const RECORDS_OF = `
SELECT coalesce(string_agg(record, ''::bytea ORDER BY tag), ''::bytea) AS records
FROM faces
WHERE account_id = ? AND list_id = ? AND epoch = ? AND tag = ANY (?::bytea[]) AND withheld_version IS NULL`;

/** Engine ids hold no comma. */
const SYNCED = `
SELECT *
FROM unnest(?::text[], ?::text[], ?::timestamptz[], ?::bigint[], ?::integer[], ?::bigint[], ?::text[], ?::text[], ?::text[])
  AS synced (list_id, device_id, at, pack_version, pack_people, held_version, sdk_version, engine_ids, attendances)`;

/** All statements that write several devices lock their rows in this order first, so that no two wait for each other. */
const IN_LOCK_ORDER = 'ORDER BY d.list_id, d.device_id FOR NO KEY UPDATE OF d';

/** A device that syncs again was not told to wipe, or only because of a suspension. */
const RECORD_SYNCS = `
WITH synced AS (${SYNCED}), known AS (
  SELECT synced.*, d.last_sync_at AS before
  FROM devices d JOIN synced ON synced.list_id = d.list_id AND synced.device_id = d.device_id
  WHERE d.account_id = ?
  ${IN_LOCK_ORDER}
), recorded AS (
  UPDATE devices d SET last_sync_at = known.at, wipe_told = NULL,
    pack_version = known.pack_version, pack_people = known.pack_people, pack_held_version = known.held_version,
    sdk_version = known.sdk_version, engine_ids = string_to_array(known.engine_ids, ','),
    attendances = string_to_array(known.attendances, ',')
  FROM known
  WHERE d.account_id = ? AND d.list_id = known.list_id AND d.device_id = known.device_id
    AND (known.before IS NULL OR known.before < known.at)
  RETURNING d.account_id, d.list_id, d.device_id, known.before, known.at
)
SELECT ${selected(NAME_COLUMNS)}, before, at FROM recorded WHERE before < at - ? * interval '1 millisecond'`;

/**
 * A device stores one of the answers since the last counter that it sent (all above `sync_counter_floor`), or none and
 * sends that counter again. The one before may still arrive in a delayed request. Any other counter shows that a copy
 * of the device has continued from there. A counter that was never issued is from before a restore.
 */
const ISSUE_COUNTERS = `
WITH synced AS (
  SELECT * FROM unnest(?::text[], ?::text[], ?::timestamptz[], ?::bigint[], ?::boolean[])
    AS synced (list_id, device_id, at, shown, is_linked)
), locked AS (
  SELECT d.list_id, d.device_id, synced.at, synced.shown, synced.is_linked
  FROM devices d JOIN synced ON synced.list_id = d.list_id AND synced.device_id = d.device_id
  WHERE d.account_id = ?
  ${IN_LOCK_ORDER}
)
UPDATE devices d SET
  linked_at = CASE WHEN synced.is_linked THEN synced.at END,
  sync_counter = greatest(d.sync_counter, coalesce(synced.shown, 0)) + 1,
  sync_counter_floor = CASE WHEN synced.shown > d.sync_counter_floor THEN greatest(d.sync_counter, synced.shown) ELSE d.sync_counter_floor END,
  sync_counter_shown = CASE WHEN synced.shown > d.sync_counter_floor THEN synced.shown ELSE d.sync_counter_shown END,
  sync_counter_shown_before =
    CASE WHEN synced.shown > d.sync_counter_floor THEN d.sync_counter_shown ELSE d.sync_counter_shown_before END,
  copied_at = CASE
    WHEN synced.shown IS NULL OR synced.shown > d.sync_counter_floor
      OR synced.shown IN (d.sync_counter_shown, d.sync_counter_shown_before) THEN d.copied_at
    ELSE coalesce(d.copied_at, synced.at) END
FROM locked synced
WHERE d.account_id = ? AND d.list_id = synced.list_id AND d.device_id = synced.device_id
RETURNING d.device_id, d.sync_counter`;

const RECORD_WIPES = `
WITH told AS (
  SELECT * FROM unnest(?::text[], ?::text[], ?::text[]) AS told (list_id, device_id, reason)
), locked AS (
  SELECT d.list_id, d.device_id, told.reason
  FROM devices d JOIN told ON told.list_id = d.list_id AND told.device_id = d.device_id
  WHERE d.account_id = ?
  ${IN_LOCK_ORDER}
), alive AS (
  UPDATE devices d SET wipe_told = told.reason
  FROM locked told
  WHERE d.account_id = ? AND d.list_id = told.list_id AND d.device_id = told.device_id
    AND d.wipe_told IS DISTINCT FROM told.reason
  RETURNING d.account_id, d.list_id, d.device_id, told.reason
), dead AS (
  UPDATE wipe_tombstones d SET wipe_told = told.reason
  FROM told
  WHERE d.account_id = ? AND d.list_id = told.list_id AND d.device_id = told.device_id
    AND d.wipe_told IS DISTINCT FROM told.reason
  RETURNING d.account_id, d.list_id, d.device_id, told.reason
)
SELECT ${selected(NAME_COLUMNS)}, reason FROM (TABLE alive UNION ALL TABLE dead) AS told`;

const NO_TAG = Buffer.alloc(0);
const LAST_TAG = Buffer.alloc(16, 0xff);

function toHead({ eventId, enrollmentClosedAt, checkInUrl: url, checkInSecretSealed: secretSealed, ...list }: ListRow) {
  return {
    ...list,
    ongoing: eventId === null,
    enrollmentClosed: enrollmentClosedAt !== null,
    checkIn: url === null || secretSealed === null ? null : { url, secretSealed },
  } satisfies ListHead;
}

/** One array per column, as `unnest` takes them. */
const namesOf = (moments: readonly DeviceMoment[]) => [
  moments.map(({ listId }) => listId),
  moments.map(({ deviceId }) => deviceId),
];

export function createSyncStore(connection: Connection) {
  return {
    /** In the order of the hashes; null for an unknown device. */
    async findDevices(
      tokenSha256s: readonly Buffer[],
      { ongoing, dated }: DueTimes,
    ): Promise<(DeviceStanding | null)[]> {
      const rows = await rowsOf<object>(connection, FIND_DEVICES, [ongoing, dated, tokenSha256s]);
      const found = new Map<string, DeviceStanding>();
      for (const row of rows) {
        const { tokenSha256, list, ...standing } = nested<StandingRow>(row);
        found.set(tokenSha256.toString('hex'), { ...standing, list: toHead(list) });
      }
      return tokenSha256s.map((tokenSha256) => found.get(tokenSha256.toString('hex')) ?? null);
    },
    /** The logo of the event's brand, a PNG; null for none, and on an ongoing list. */
    async logoOf({ accountId, listId }: ListKey): Promise<Buffer | null> {
      const ofEvent = { 'b.account_id': 'l.account_id', 'b.event_id': 'l.event_id' };
      const brands = connection('lists as l').join('event_brands as b', ofEvent);
      return (await brands.where({ 'l.account_id': accountId, 'l.list_id': listId }).first('b.logo'))?.logo ?? null;
    },
    async findTombstone(tokenSha256: Buffer): Promise<Tombstone | null> {
      const columns = { ...NAME_COLUMNS, reason: 'reason', expiresAt: 'expires_at' };
      const tombstones = connection('wipe_tombstones').comment('all accounts');
      return (await tombstones.where({ token_sha256: tokenSha256 }).first(columns)) ?? null;
    },
    /** Pins a key if none is pinned. @returns the pinned key; null when the device was deleted or revoked */
    async pinKey({ accountId, listId, deviceId }: DeviceName, key: Buffer, thumbprint: Buffer): Promise<Buffer | null> {
      const device = () => connection('devices').where({ account_id: accountId, list_id: listId, device_id: deviceId });
      // Read again, as it may have been revoked at the same moment: a revocation opens no epoch for a device without a
      // key.
      const pinned = await device()
        .whereNull('public_key')
        .whereNull('revoked_at')
        .update({ public_key: key, key_thumbprint: thumbprint });
      if (pinned === 1) return key;
      const row: { public_key: Buffer | null } | undefined = await device().whereNull('revoked_at').first('public_key');
      return row?.public_key ?? null;
    },
    /**
     * Withholds every face due at `dueAt`: each takes the list's next version, and its removal is recorded for devices
     * that hold it. Locks the list's row until the transaction ends.
     */
    async withholdDue(tx: Transaction, { accountId, listId }: ListKey, dueAt: Date, at: Date): Promise<void> {
      const list: { list_version: number } | undefined = await tx('lists')
        .where({ account_id: accountId, list_id: listId })
        .forUpdate()
        .first('list_version');
      if (list === undefined) return;
      const due: { epoch: number; tag: Buffer }[] = await tx('faces')
        .where({ account_id: accountId, list_id: listId })
        .whereNull('withheld_version')
        .where('delete_after', '<=', dueAt)
        .orderBy(['epoch', 'delete_after', 'tag'])
        .select('epoch', 'tag');
      if (due.length === 0) return;
      let base = list.list_version;
      // Key arrays instead of a join: without statistics after a large import the planner could choose a nested loop.
      for (const epoch of new Set(due.map((face) => face.epoch))) {
        const all = due.filter((face) => face.epoch === epoch).map((face) => face.tag);
        for (let from = 0; from < all.length; from += WITHHELD_AT_ONCE) {
          const tags = all.slice(from, from + WITHHELD_AT_ONCE);
          await tx.raw(WITHHOLD, { accountId, listId, epoch, tags, base });
          await tx.raw(NOTE_WITHHELD, { accountId, listId, epoch, tags, base, at });
          base += tags.length;
        }
      }
      await tx('lists')
        .where({ account_id: accountId, list_id: listId })
        .update({ list_version: base, people_version: tx.raw('people_version + ?', [base - list.list_version]) });
    },
    /** Runs `read` in a read-only REPEATABLE READ transaction. */
    inSnapshot: <T>(read: (tx: Transaction) => Promise<T>): Promise<T> =>
      connection.transaction(read, { isolationLevel: 'repeatable read', readOnly: true }),
    /** The list unless it is being deleted. */
    async head(tx: Transaction, { accountId, listId }: ListKey): Promise<ListHead | null> {
      const [row] = await rowsOf<object>(tx, FIND_HEAD, [accountId, listId]);
      return row === undefined ? null : toHead(nested<StandingRow>(row).list);
    },
    /** The list unless it is being deleted, its account is suspended, or a face that it serves is due. */
    async servedHead({ accountId, listId }: ListKey, { ongoing, dated }: DueTimes): Promise<ListHead | null> {
      const text = `${FIND_HEAD} AND a.suspended_at IS NULL AND NOT ${isAnyDue('?')}`;
      const [row] = await rowsOf<object>(connection, text, [accountId, listId, accountId, ongoing, dated]);
      return row === undefined ? null : toHead(nested<StandingRow>(row).list);
    },
    /** Newest first. */
    async epochs(tx: Transaction, { accountId, listId }: ListKey): Promise<EpochHead[]> {
      const epochs = tx('list_epochs').where({ account_id: accountId, list_id: listId });
      return epochs.orderBy('epoch', 'desc').select(EPOCH_COLUMNS);
    },
    /** Number of served records by epoch; epochs without any are absent. */
    async countServed(tx: Transaction, { accountId, listId }: ListKey): Promise<Map<number, number>> {
      const rows: { epoch: number; served: number }[] = await tx('faces')
        .where({ account_id: accountId, list_id: listId })
        .whereNull('withheld_version')
        .groupBy('epoch')
        .select('epoch', tx.raw('count(*) AS served'));
      return new Map(rows.map(({ epoch, served }) => [epoch, served]));
    },
    /** Up to `limit` served records of an epoch with tags within a range, concatenated in the order of their tags. */
    async servedRecords(
      tx: Transaction,
      { accountId, listId }: ListKey,
      epoch: number,
      { after, through }: TagRange,
      limit: number,
    ): Promise<Buffer> {
      const range = [after ?? NO_TAG, through ?? LAST_TAG, limit];
      const rows = await rowsOf<{ records: Buffer }>(tx, SERVED_RECORDS, [accountId, listId, epoch, ...range]);
      return rows[0]?.records ?? NO_TAG;
    },
    /** Up to `limit` records changed after version `since`, in no particular order: served records and known removals. */
    changedFaces: (tx: Transaction, { accountId, listId }: ListKey, since: number, limit: number) =>
      rowsOf<ChangedFace>(tx, CHANGED, { accountId, listId, since, limit }),
    /** The served records of an epoch with these tags, concatenated in the order of their tags. */
    async recordsOf(tx: Transaction, { accountId, listId }: ListKey, epoch: number, tags: readonly Buffer[]) {
      const rows = await rowsOf<{ records: Buffer }>(tx, RECORDS_OF, [accountId, listId, epoch, tags]);
      return rows[0]?.records ?? NO_TAG;
    },
    /**
     * Records each device's last sync, unless a later one is recorded already. All are of one account.
     * @returns the syncs that came more than `lateMs` after the previous one
     */
    recordSyncs: (tx: Transaction, accountId: string, syncs: readonly DeviceSync[], lateMs: number) =>
      rowsOf<LateSync>(tx, RECORD_SYNCS, [
        ...namesOf(syncs),
        syncs.map((sync) => sync.at.toISOString()),
        syncs.map(({ pack }) => pack.version),
        syncs.map(({ pack }) => pack.people),
        syncs.map(({ heldVersion }) => heldVersion),
        syncs.map(({ software }) => software.sdkVersion),
        syncs.map(({ software }) => software.engineIds.join(',')),
        syncs.map(({ software }) => software.attendances.join(',')),
        ...[accountId, accountId, lateMs],
      ]),
    /**
     * Issues each device's next counter, and records a copy when a device sends a counter that it or a copy has passed.
     * @param syncs of different devices
     * @returns in their order; null for a deleted device
     */
    async issueCounters(syncs: readonly CountedSync[]): Promise<(number | null)[]> {
      const all = await eachAccount(syncs, (accountId, own) =>
        rowsOf<{ device_id: string; sync_counter: number }>(connection, ISSUE_COUNTERS, [
          ...namesOf(own),
          own.map(({ at }) => at),
          own.map(({ shown }) => shown),
          own.map(({ isLinked }) => isLinked),
          ...[accountId, accountId],
        ]),
      );
      const issued = new Map(all.flat().map((row) => [row.device_id, row.sync_counter]));
      return syncs.map(({ deviceId }) => issued.get(deviceId) ?? null);
    },
    /** Records that a device was refused, which is too old to be told to wipe: it may hold what it has. */
    async recordUnsuited({ accountId, listId, deviceId }: DeviceName): Promise<void> {
      const device = { account_id: accountId, list_id: listId, device_id: deviceId };
      await connection('devices').where(device).whereNull('wipe_told').update({ wipe_told: 'device-unsuited' });
    },
    /** Records why an account's devices were told to wipe. @returns those that were not told so before */
    recordWipes(tx: Transaction, accountId: string, wipes: readonly DeviceWipe[]): Promise<Omit<DeviceWipe, 'at'>[]> {
      const reasons = wipes.map((wipe) => wipe.reason);
      return rowsOf(tx, RECORD_WIPES, [...namesOf(wipes), reasons, accountId, accountId, accountId]);
    },
  };
}
