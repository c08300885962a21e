import type {
  ArrivalsPolicy,
  Attendance,
  HeadTurnAlternative,
  ListQuery,
  Metadata,
  PhotoCheck,
  PhotoSource,
  ReEntryPolicy,
  ReEntryScope,
} from '@svc/protocol';
import { aliases, columnsOf, rowsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

export interface ListRecord {
  readonly accountId: string;
  readonly listId: string;
  /** Null for an ongoing list. */
  readonly eventId: string | null;
  readonly name: string;
  readonly country: string | null;
  readonly retainDays: number;
  /** Null for an ongoing list. */
  readonly retentionDeadline: Date | null;
  /** The engine of new records. */
  readonly engineId: string;
  readonly headTurnAlternative: HeadTurnAlternative;
  readonly photoSource: PhotoSource;
  readonly photoCheck: PhotoCheck;
  readonly reEntry: ReEntryPolicy;
  readonly reEntryScope: ReEntryScope;
  readonly attendance: Attendance;
  readonly arrivals: ArrivalsPolicy;
  readonly metadata: Metadata;
  /** Where devices send check-ins; null for nowhere. */
  readonly checkInUrl: string | null;
  /** People whom the organiser hopes for. */
  readonly enrolmentGoal: number | null;
  /** When the secret was made that signs them; null before. */
  readonly checkInSecretAt: Date | null;
  readonly listVersion: number;
  readonly enrollmentClosedAt: Date | null;
  readonly endedAt: Date | null;
  /** Set when deletion begins; the list is then invisible to callers. */
  readonly deletingAt: Date | null;
  readonly createdAt: Date;
}

/** The records of one engine under one key. A list has at least one epoch; a new engine starts another. */
export interface EpochRecord {
  readonly epoch: number;
  readonly engineId: string;
  readonly dimension: number;
  readonly matchThreshold: number;
  readonly checkRecord: Uint8Array;
}

/** Named explicitly: a statement's result must not change when a migration adds a column. */
export const LIST_COLUMNS = columnsOf<ListRecord>()(
  ['accountId', 'listId', 'eventId', 'name', 'country', 'retainDays', 'retentionDeadline', 'engineId'],
  ['headTurnAlternative', 'photoSource', 'photoCheck', 'reEntry', 'attendance', 'checkInUrl', 'checkInSecretAt'],
  ['reEntryScope', 'arrivals', 'enrolmentGoal', 'metadata', 'listVersion'],
  ['enrollmentClosedAt', 'endedAt', 'deletingAt', 'createdAt'],
);
const EPOCH_COLUMNS = columnsOf<EpochRecord>()(['epoch', 'engineId', 'dimension', 'matchThreshold', 'checkRecord']);
const KEY_COLUMNS = columnsOf<ListKey>()(['accountId', 'listId']);

/** A list with the epoch for its new records; null if there is none yet. */
export interface LockedList extends ListRecord {
  readonly currentEpoch: number | null;
}

/** Number of served records of one engine. */
export interface EngineCount {
  readonly engineId: string;
  readonly people: number;
}

/** Key of a list; every primary key begins with the account. */
export interface ListKey {
  readonly accountId: string;
  readonly listId: string;
}

/** What a list's owner may change of it. */
export type ListSettings = Pick<
  ListRecord,
  | ('name' | 'headTurnAlternative' | 'reEntry' | 'reEntryScope' | 'attendance' | 'arrivals' | 'checkInUrl')
  | ('enrolmentGoal' | 'metadata')
>;

/** The check-in secret is sealed with the account's key. */
type ListChanges = Partial<
  ListSettings & Pick<ListRecord, 'engineId' | 'enrollmentClosedAt' | 'endedAt' | 'checkInSecretAt'>
> & { readonly checkInSecretSealed?: Buffer };

/** Why a list is deleted, as devices are told. */
export type DeletionReason = 'list-deleted' | 'retention-deadline';

export type ListStore = ReturnType<typeof createListStore>;

const where = ({ accountId, listId }: ListKey) => ({ account_id: accountId, list_id: listId });

/** The newest epoch of the engine in a row of `lists`. */
export const currentEpochIn = (account: string) => `
(SELECT max(epoch) FROM list_epochs AS own
  WHERE own.account_id = ${account} AND own.list_id = lists.list_id AND own.engine_id = lists.engine_id)`;

const COUNT_BY_ENGINE = `
SELECT e.engine_id AS "engineId", count(*)::int AS people FROM list_epochs e JOIN faces f USING (account_id, list_id, epoch)
WHERE account_id = :accountId AND list_id = :listId AND f.withheld_version IS NULL AND f.delete_after > :now
GROUP BY e.engine_id ORDER BY max(epoch) DESC`;

const NEXT_EPOCH = `
SELECT greatest(last_epoch, (SELECT max(epoch) FROM list_epochs AS own
  WHERE own.account_id = :accountId AND own.list_id = lists.list_id)) + 1 AS next
FROM lists WHERE account_id = :accountId AND list_id = :listId`;

const isEmpty = (account: string) => `
e.epoch <> coalesce(${currentEpochIn(account)}, 0)
AND NOT EXISTS (SELECT FROM faces f WHERE (f.account_id, f.list_id, f.epoch) = (${account}, e.list_id, e.epoch))`;

const WITH_EMPTY_EPOCHS = `
/* all accounts */ SELECT DISTINCT account_id AS "accountId", list_id AS "listId" FROM list_epochs e JOIN lists USING (account_id, list_id)
WHERE lists.deleting_at IS NULL AND ${isEmpty('lists.account_id')}`;

const DROP_EMPTY_EPOCHS = `
WITH dropped AS (
  DELETE FROM list_epochs e USING lists
  WHERE e.account_id = :accountId AND e.list_id = :listId AND lists.account_id = e.account_id AND lists.list_id = e.list_id
    AND ${isEmpty(':accountId')}
  RETURNING e.epoch
), noted AS (
  UPDATE lists SET last_epoch = greatest(last_epoch, (SELECT max(epoch) FROM dropped))
  WHERE account_id = :accountId AND list_id = :listId AND EXISTS (SELECT FROM dropped)
)
SELECT count(*)::int AS dropped FROM dropped`;

/**
 * Lists that take people and have the engines that a deployment gave them, where nobody can notice another one: nobody is
 * enrolled, and no device, which may lack the other engine, has a copy.
 */
const UNUSED = `
/* all accounts */ SELECT account_id AS "accountId", list_id AS "listId" FROM lists
WHERE (CAST(:accountId AS text) IS NULL OR (account_id, list_id) = (:accountId, :listId))
  AND engine_id = ANY(:engineIds) AND deleting_at IS NULL AND ended_at IS NULL AND enrollment_closed_at IS NULL
  AND (retention_deadline IS NULL OR retention_deadline > :now)
  AND NOT EXISTS (SELECT FROM faces f WHERE (f.account_id, f.list_id) = (lists.account_id, lists.list_id))
  AND NOT EXISTS (SELECT FROM devices d WHERE (d.account_id, d.list_id) = (lists.account_id, lists.list_id)
    AND d.last_sync_at IS NOT NULL AND d.revoked_at IS NULL)
  AND NOT EXISTS (SELECT FROM audit_log a WHERE a.account_id = lists.account_id AND a.target = lists.list_id
    AND a.action = 'list.change-model')`;

interface DeviceKeyRow {
  readonly token_sha256: Buffer;
  readonly device_id: string;
  readonly key_thumbprint: Buffer | null;
}

const ROWS_AT_ONCE = 1_000;

/** The number of people that is kept with the list stays right for the next version. */
const atNextVersion = (tx: Transaction) => ({
  list_version: tx.raw('list_version + 1'),
  people_version: tx.raw('people_version + 1'),
});

export function createListStore(connection: Connection) {
  return {
    /** @returns false when the event already has a list */
    async insert(tx: Transaction, list: ListRecord): Promise<boolean> {
      const inserted = await tx('lists')
        .insert(toRow({ ...list, people: 0, peopleVersion: list.listVersion }))
        .onConflict()
        .ignore()
        .returning('list_id');
      return inserted.length === 1;
    },
    /** Whether the account has fewer lists than that; none can be added until the transaction ends. */
    async hasRoom(tx: Transaction, accountId: string, limit: number): Promise<boolean> {
      await tx('accounts').where({ account_id: accountId }).forNoKeyUpdate().first('account_id');
      const held = await tx('lists').where({ account_id: accountId }).whereNull('deleting_at').pluck('list_id');
      return held.length < limit;
    },
    /** Does not find lists in deletion. */
    async find(key: ListKey): Promise<ListRecord | null> {
      return (await connection('lists').where(where(key)).whereNull('deleting_at').first(LIST_COLUMNS)) ?? null;
    },
    /**
     * As `find`, and locks the row until the transaction ends; required for every change of a list's state or records.
     */
    async lock(tx: Transaction, key: ListKey): Promise<ListRecord | null> {
      return (await tx('lists').where(where(key)).whereNull('deleting_at').first(LIST_COLUMNS).forUpdate()) ?? null;
    },
    /** As `lock`, and increases the version. A single statement, to keep enrolments fast. */
    async lockAtNextVersion(tx: Transaction, key: ListKey): Promise<LockedList | null> {
      const [locked]: LockedList[] = await tx('lists')
        .where(where(key))
        .whereNull('deleting_at')
        .update(atNextVersion(tx))
        .returning([...aliases(LIST_COLUMNS), tx.raw(`${currentEpochIn('?')} AS "currentEpoch"`, [key.accountId])]);
      return locked ?? null;
    },
    /** Newest first, older than `before`; without lists in deletion. */
    async page(
      accountId: string,
      before: string | undefined,
      rows: number,
      only: Pick<ListQuery, 'eventId' | 'metadata'> & { readonly ongoing: boolean },
    ): Promise<ListRecord[]> {
      const query = connection('lists').where({ account_id: accountId }).whereNull('deleting_at');
      if (only.eventId !== undefined) query.where({ event_id: only.eventId });
      if (only.ongoing) query.whereNull('event_id');
      if (only.metadata !== undefined) query.whereRaw('metadata @> ?', [JSON.stringify(only.metadata)]);
      if (before !== undefined) query.where('list_id', '<', before);
      return query.orderBy('list_id', 'desc').limit(rows).select(LIST_COLUMNS);
    },
    /** The caller holds the row's lock. @returns the new version */
    async nextVersion(tx: Transaction, key: ListKey): Promise<number> {
      const [row] = await tx('lists').where(where(key)).update(atNextVersion(tx)).returning('list_version');
      if (row === undefined) throw new Error('a locked list has no row');
      return row.list_version;
    },
    /** The caller holds the row's lock. */
    async update(tx: Transaction, key: ListKey, changes: ListChanges): Promise<void> {
      await tx('lists').where(where(key)).update(toRow(changes));
    },
    /**
     * Number of served people who are not expired, by engine, ordered by newest epoch; engines without people are absent.
     */
    countByEngine: ({ accountId, listId }: ListKey, now: Date) =>
      rowsOf<EngineCount>(connection, COUNT_BY_ENGINE, { accountId, listId, now }),
    /** The engines of all lists that accept people. */
    async enginesInUse(now: Date): Promise<string[]> {
      return connection('lists')
        .comment('all accounts')
        .whereNull('deleting_at')
        .whereNull('ended_at')
        .whereNull('enrollment_closed_at')
        .where((open) => {
          void open.whereNull('retention_deadline').orWhere('retention_deadline', '>', now);
        })
        .distinct('engine_id')
        .orderBy('engine_id')
        .pluck('engine_id');
    },
    /** @returns lists with one of the engines, of all or of `one`, that nobody has used or chosen a model for */
    unused: (engineIds: readonly string[], now: Date, one?: ListKey, tx?: Transaction): Promise<ListKey[]> => {
      const { accountId = null, listId = null } = one ?? {};
      return rowsOf<ListKey>(tx ?? connection, UNUSED, { engineIds: [...engineIds], now, accountId, listId });
    },
    /** Newest first. */
    epochs: async (key: ListKey, tx?: Transaction): Promise<EpochRecord[]> =>
      (tx ?? connection)('list_epochs').where(where(key)).orderBy('epoch', 'desc').select(EPOCH_COLUMNS),
    async insertEpoch(tx: Transaction, key: ListKey, epoch: EpochRecord, createdAt: Date): Promise<void> {
      const checkRecord = Buffer.from(epoch.checkRecord);
      await tx('list_epochs').insert({ ...where(key), ...toRow({ ...epoch, checkRecord, createdAt }) });
    },
    /** A number above all present and former epochs of the list. */
    nextEpoch: async ({ accountId, listId }: ListKey, tx?: Transaction): Promise<number> =>
      (await rowsOf<{ next: number }>(tx ?? connection, NEXT_EPOCH, { accountId, listId }))[0]?.next ?? 1,
    /** Lists with an epoch that is empty and gets no new records. */
    withEmptyEpochs: () => rowsOf<ListKey>(connection, WITH_EMPTY_EPOCHS),
    /**
     * Deletes epochs that are empty and get no new records. The caller holds the list's lock.
     * @returns number of epochs
     */
    dropEmptyEpochs: async (tx: Transaction, key: ListKey): Promise<number> =>
      (await rowsOf<{ dropped: number }>(tx, DROP_EMPTY_EPOCHS, key))[0]?.dropped ?? 0,
    /**
     * Marks the list as deleted and turns its devices into tombstones that get a wipe.
     * @returns null when there is no such list
     */
    async beginDeletion(
      tx: Transaction,
      key: ListKey,
      at: Date,
      { reason, until }: { readonly reason: DeletionReason; readonly until: Date },
    ): Promise<'begun' | 'begun-before' | null> {
      const marked = await tx('lists').where(where(key)).whereNull('deleting_at').update({ deleting_at: at });
      if (marked === 0 && (await tx('lists').where(where(key)).first('list_id')) === undefined) return null;
      const gone: DeviceKeyRow[] = await tx('devices')
        .where(where(key))
        .delete()
        .returning(['token_sha256', 'device_id', 'key_thumbprint']);
      for (let from = 0; from < gone.length; from += ROWS_AT_ONCE) {
        const rows = gone.slice(from, from + ROWS_AT_ONCE);
        await tx('wipe_tombstones')
          .insert(rows.map((row) => ({ ...where(key), ...row, reason, created_at: at, expires_at: until })))
          .onConflict(['account_id', 'token_sha256'])
          .ignore();
      }
      return marked === 1 ? 'begun' : 'begun-before';
    },
    /** Removes the remaining rows of a list in deletion. */
    async finishDeletion(tx: Transaction, key: ListKey): Promise<void> {
      // Millions of rows may take longer than the normal limit.
      await tx.raw('SET LOCAL statement_timeout = 0');
      await tx('lists').where(where(key)).whereNotNull('deleting_at').delete();
    },
    /** Lists past their retention deadline whose deletion has not begun, oldest first. */
    pastDeadline: async (now: Date, limit: number): Promise<ListKey[]> =>
      connection('lists')
        .comment('all accounts')
        .where('retention_deadline', '<=', now)
        .whereNull('deleting_at')
        .orderBy('retention_deadline')
        .limit(limit)
        .select(KEY_COLUMNS),
    /** Lists whose deletion has begun and may have been interrupted by a crash. */
    inDeletion: async (): Promise<ListKey[]> =>
      connection('lists').comment('all accounts').whereNotNull('deleting_at').select(KEY_COLUMNS),
  };
}
