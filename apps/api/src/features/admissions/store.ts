import { columnsOf, rowsOf, selected } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

/** What the devices of a list told of one person. */
export interface SharedAdmission {
  /** 16 bytes: the person under the list's admission key. */
  readonly tag: Buffer;
  readonly deviceId: string;
  readonly sequence: number;
  /** By the device's clock. */
  readonly admittedAt: Date;
  readonly takenBack: boolean;
  /** Of another device, which did not know of the first; null for none. */
  readonly alsoDeviceId: string | null;
  readonly alsoSequence: number | null;
  readonly alsoAt: Date | null;
  /** When it no longer counts; null: until the list is deleted. */
  readonly deleteAfter: Date | null;
}

/** With the names of the devices; null for deleted ones, and for devices without a name. */
export type NamedAdmission = SharedAdmission & {
  readonly version: number;
  readonly name: string | null;
  readonly alsoName: string | null;
};

export type AdmissionStore = ReturnType<typeof createAdmissionStore>;

const COLUMNS = columnsOf<SharedAdmission>()(
  ['tag', 'deviceId', 'sequence', 'admittedAt', 'takenBack'],
  ['alsoDeviceId', 'alsoSequence', 'alsoAt', 'deleteAfter'],
);
const where = ({ accountId, listId }: ListKey) => ({ account_id: accountId, list_id: listId });

const HOLD = `
INSERT INTO admission_heads AS head (account_id, list_id, version) VALUES (:accountId, :listId, 0)
ON CONFLICT (account_id, list_id) DO UPDATE SET version = head.version RETURNING version`;

const NAMED = `
SELECT ${selected(Object.fromEntries(Object.entries(COLUMNS).map(([field, column]) => [field, `s.${column}`])))},
  s.version, d.name, e.name AS "alsoName"
FROM admissions s
LEFT JOIN devices d ON d.account_id = :accountId AND d.list_id = s.list_id AND d.device_id = s.device_id
LEFT JOIN devices e ON e.account_id = :accountId AND e.list_id = s.list_id AND e.device_id = s.also_device_id
WHERE s.account_id = :accountId AND s.list_id = :listId`;

export function createAdmissionStore(connection: Connection) {
  return {
    /** The number of the list's last change; no other transaction changes its admissions until this one ends. */
    async hold(tx: Transaction, { accountId, listId }: ListKey): Promise<number> {
      const [head] = await rowsOf<{ version: number }>(tx, HOLD, { accountId, listId });
      return head?.version ?? 0;
    },
    async find(tx: Transaction, list: ListKey, tag: Buffer): Promise<SharedAdmission | null> {
      return (
        (await tx('admissions')
          .where({ ...where(list), tag })
          .first(COLUMNS)) ?? null
      );
    },
    /** Stores the list's next change. */
    async put(tx: Transaction, list: ListKey, version: number, admission: SharedAdmission): Promise<void> {
      const row = Object.fromEntries(
        Object.entries(COLUMNS).map(([field, column]) => [column, admission[field as keyof SharedAdmission]]),
      );
      const key = ['account_id', 'list_id', 'tag'];
      await tx('admissions')
        .insert({ ...where(list), ...row, version })
        .onConflict(key)
        .merge();
      await tx('admission_heads').where(where(list)).update({ version });
    },
    /** The number of the last change; 0 before the first. */
    async version(list: ListKey): Promise<number> {
      return (await connection('admission_heads').where(where(list)).first('version'))?.version ?? 0;
    },
    /** Up to `limit` admissions that changed after `since`, in their order. */
    changed: ({ accountId, listId }: ListKey, since: number, limit: number) =>
      rowsOf<NamedAdmission>(connection, `${NAMED} AND s.version > :since ORDER BY s.version LIMIT :limit`, {
        ...{ accountId, listId, since, limit },
      }),
    async named({ accountId, listId }: ListKey, tag: Buffer): Promise<NamedAdmission | null> {
      const [row] = await rowsOf<NamedAdmission>(connection, `${NAMED} AND s.tag = :tag`, { accountId, listId, tag });
      return row ?? null;
    },
    /** Erases what was told of people. */
    async forget(tx: Transaction, list: ListKey, tags: readonly Buffer[]): Promise<void> {
      await tx('admissions').where(where(list)).whereIn('tag', tags).delete();
    },
  };
}
