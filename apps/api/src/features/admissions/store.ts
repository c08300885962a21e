import { columnsIn, columnsOf, rowsOf, selected } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

/** What a device last told of one person. */
export interface SharedAdmission {
  /** 16 bytes: the person under the list's admission key. */
  readonly tag: Buffer;
  /** {@link ERASED} in place of all devices' once the person was erased. */
  readonly deviceId: string;
  readonly sequence: number;
  /** By the device's clock, as far as it can be true. */
  readonly admittedAt: Date;
  readonly takenBack: boolean;
  /** Whether the device knew of another one's. */
  readonly knew: boolean;
  /** When it no longer counts; null: until the list is deleted. */
  readonly deleteAfter: Date | null;
}

/** With the name of the device; null for a deleted one, and for a device without a name. */
export type NamedAdmission = SharedAdmission & { readonly version: number; readonly name: string | null };

/** A list's last change, and the database that numbered it. */
export interface AdmissionHead {
  readonly version: number;
  readonly origin: string;
}

export const ERASED = 'erased';

export type AdmissionStore = ReturnType<typeof createAdmissionStore>;

const COLUMNS = columnsOf<SharedAdmission & { readonly version: number }>()(
  ['tag', 'deviceId', 'version', 'sequence', 'admittedAt', 'takenBack'],
  ['knew', 'deleteAfter'],
);
const where = ({ accountId, listId }: ListKey) => ({ account_id: accountId, list_id: listId });

const HOLD = `
INSERT INTO admission_heads AS head (account_id, list_id, version) VALUES (:accountId, :listId, 0)
ON CONFLICT (account_id, list_id) DO UPDATE SET version = head.version RETURNING version`;

const NAMED = `
SELECT ${selected(columnsIn('s', COLUMNS))}, d.name
FROM admissions s
LEFT JOIN devices d ON d.account_id = s.account_id AND d.list_id = s.list_id AND d.device_id = s.device_id
WHERE s.account_id = :accountId AND s.list_id = :listId AND (s.delete_after IS NULL OR s.delete_after > :now)`;

const PUT = `
INSERT INTO admissions (account_id, list_id, ${Object.values(COLUMNS).join(', ')})
SELECT :accountId, :listId, decode(tag, 'hex'), device_id, version, sequence, admitted_at, taken_back, knew, delete_after
FROM json_to_recordset(:rows) AS row (tag text, device_id text, version bigint, sequence bigint,
  admitted_at timestamptz, taken_back boolean, knew boolean, delete_after timestamptz)
ON CONFLICT (account_id, list_id, tag, device_id) DO UPDATE SET version = excluded.version,
  sequence = excluded.sequence, admitted_at = excluded.admitted_at, taken_back = excluded.taken_back,
  knew = excluded.knew, delete_after = excluded.delete_after`;

/** A restored or promoted server has another timeline, a database that was loaded from a dump another table. */
const HEAD = `
SELECT coalesce((SELECT version FROM admission_heads WHERE account_id = :accountId AND list_id = :listId), 0) AS version,
  (SELECT system_identifier FROM pg_control_system()) || '.' || (SELECT timeline_id FROM pg_control_checkpoint())
    || '.' || 'admission_heads'::regclass::oid AS origin`;

const CHANGED = `${NAMED} AND s.tag IN (SELECT tag FROM (SELECT tag FROM admissions
  WHERE account_id = :accountId AND list_id = :listId AND version > :since ORDER BY version LIMIT :limit) AS changed)
ORDER BY s.version`;

const HAS_ROOM = `
WITH told AS (SELECT count(*) AS rows FROM admissions
  WHERE account_id = :accountId AND list_id = :listId AND device_id = :deviceId)
SELECT rows <= :spare OR EXISTS (SELECT 1 FROM people WHERE account_id = :accountId AND list_id = :listId
  OFFSET greatest((SELECT rows FROM told) - :spare, 0) LIMIT 1) AS "hasRoom" FROM told`;

export function createAdmissionStore(connection: Connection) {
  return {
    /** The number of the list's last change; no other transaction changes its admissions until this one ends. */
    async hold(tx: Transaction, { accountId, listId }: ListKey): Promise<number> {
      const [head] = await rowsOf<{ version: number }>(tx, HOLD, { accountId, listId });
      return head?.version ?? 0;
    },
    /** As `hold`, but null for a list whose devices never shared an admission. */
    async held(tx: Transaction, list: ListKey): Promise<number | null> {
      return (await tx('admission_heads').where(where(list)).forUpdate().first('version'))?.version ?? null;
    },
    head: async ({ accountId, listId }: ListKey): Promise<AdmissionHead> =>
      (await rowsOf<AdmissionHead>(connection, HEAD, { accountId, listId }))[0] ?? { version: 0, origin: '' },
    /** What still counts of these people, in the order in which it was told. */
    known: (tx: Transaction, { accountId, listId }: ListKey, tags: readonly Buffer[], now: Date) =>
      rowsOf<NamedAdmission>(tx, `${NAMED} AND s.tag = ANY(:tags) ORDER BY s.version`, {
        accountId,
        listId,
        tags,
        now,
      }),
    /** Of the people of the next `limit` changes after `since`, as `known`. */
    changed: ({ accountId, listId }: ListKey, since: number, limit: number, now: Date) =>
      rowsOf<NamedAdmission>(connection, CHANGED, { ...{ accountId, listId, since, limit, now } }),
    /** Whether a device has told of fewer people than are on the list, and some. */
    async hasRoom({ accountId, listId, deviceId }: ListKey & { readonly deviceId: string }, spare: number) {
      const values = { accountId, listId, deviceId, spare };
      return (await rowsOf<{ hasRoom: boolean }>(connection, HAS_ROOM, values))[0]?.hasRoom === true;
    },
    /** Stores the list's next changes, numbered from `version` on. */
    async put(tx: Transaction, list: ListKey, version: number, changes: readonly SharedAdmission[]): Promise<void> {
      const { accountId, listId } = list;
      const rows = changes.map(({ tag, deviceId, sequence, admittedAt, takenBack, knew, deleteAfter }, i) => ({
        ...{ tag: tag.toString('hex'), device_id: deviceId, version: version + 1 + i, sequence, knew },
        ...{ admitted_at: admittedAt, taken_back: takenBack, delete_after: deleteAfter },
      }));
      await rowsOf(tx, PUT, { accountId, listId, rows: JSON.stringify(rows) });
      await tx('admission_heads')
        .where(where(list))
        .update({ version: version + changes.length });
    },
    /** Deletes what was told of people. */
    async remove(tx: Transaction, list: ListKey, tags: readonly Buffer[]): Promise<void> {
      await tx('admissions').where(where(list)).whereIn('tag', tags).delete();
    },
  };
}
