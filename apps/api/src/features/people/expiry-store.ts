import { columnsOf, rowsOf } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

/** An expired person and the sealed record that was deleted. */
export interface ExpiredPerson {
  readonly personId: string;
  /** When the person was due. */
  readonly deleteAfter: Date;
  readonly epoch: number;
  readonly tag: Buffer;
  /** Version of the list at which the record was stored. */
  readonly version: number;
  /** The record was withheld from syncs before, and its removal recorded then. */
  readonly isWithheld: boolean;
}

type DuePerson = Omit<ExpiredPerson, 'version' | 'isWithheld'>;
/** The same of whom the record may have been missing. */
export type TakenPerson = DuePerson & { readonly version: number | null; readonly isWithheld: boolean };

const LIST = columnsOf<ListKey>()(['accountId', 'listId']);
const DUE = { personId: 'person_id', deleteAfter: 'delete_after', epoch: 'face_epoch', tag: 'face_tag' };

export type ExpiryStore = ReturnType<typeof createExpiryStore>;

const MAKE_ROOM = `
UPDATE lists SET list_version = list_version + :removed, people_version = people_version + :removed
WHERE account_id = :accountId AND list_id = :listId
RETURNING list_version`;

const NOTE_REMOVALS = `
INSERT INTO face_removals (account_id, list_id, epoch, tag, version, removed_at)
SELECT :accountId, :listId, epoch, tag, CAST(:base AS bigint) + nth, :at
FROM unnest(CAST(:epochs AS integer[]), CAST(:tags AS bytea[])) WITH ORDINALITY AS removed (epoch, tag, nth)
ON CONFLICT (account_id, list_id, epoch, tag) DO UPDATE SET version = excluded.version, removed_at = excluded.removed_at`;

const placeOf = ({ epoch, tag }: Pick<DuePerson, 'epoch' | 'tag'>) => `${epoch} ${tag.toString('hex')}`;

/** Deletes people with their records. */
async function take(tx: Transaction, list: { account_id: string; list_id: string }, due: readonly DuePerson[]) {
  // Key arrays instead of a join: without statistics after a large import the planner could choose a nested loop.
  const names = due.map(({ personId }) => personId);
  await tx('people').where(list).whereRaw('person_id = ANY (?)', [names]).delete();
  const faces: { epoch: number; tag: Buffer; version: number; withheldVersion: number | null }[] = await tx('faces')
    .where(list)
    .whereRaw('epoch = ANY (?)', [[...new Set(due.map(({ epoch }) => epoch))]])
    .whereRaw('tag = ANY (?)', [due.map(({ tag }) => tag)])
    .delete()
    .returning(['epoch', 'tag', 'version', 'withheld_version as withheldVersion']);
  const places = new Map(faces.map((face) => [placeOf(face), face]));
  return due.map((person): TakenPerson => {
    const face = places.get(placeOf(person));
    return { ...person, version: face?.version ?? null, isWithheld: (face?.withheldVersion ?? null) !== null };
  });
}

export function createExpiryStore(connection: Connection) {
  return {
    /** Lists with expired people, without duplicates. @param rows most people looked at */
    async listsWithExpired(now: Date, rows: number): Promise<ListKey[]> {
      const due: ListKey[] = await connection('people')
        .comment('all accounts')
        .where('delete_after', '<=', now)
        .orderBy('delete_after')
        .limit(rows)
        .select(LIST);
      return [...new Map(due.map((list) => [list.listId, list])).values()];
    },
    /** Deletes expired people with their records, at most `limit`. The caller holds the list's lock. */
    async takeExpired(tx: Transaction, { accountId, listId }: ListKey, now: Date, limit: number) {
      const list = { account_id: accountId, list_id: listId };
      const due: DuePerson[] = await tx('people')
        .where(list)
        .where('delete_after', '<=', now)
        .orderBy('delete_after')
        .limit(limit)
        .select(DUE);
      // Counted anew at the next reading.
      await tx('lists').where(list).update({ people: null });
      const taken = await take(tx, list, due);
      return taken.filter((person): person is ExpiredPerson => person.version !== null);
    },
    /** Deletes named people with their records. The caller holds the list's lock. @returns those who were there */
    async takeNamed(tx: Transaction, { accountId, listId }: ListKey, personIds: readonly string[]) {
      const list = { account_id: accountId, list_id: listId };
      const named: DuePerson[] = await tx('people')
        .where(list)
        .whereRaw('person_id = ANY (?)', [[...personIds]])
        .select(DUE);
      if (named.length > 0) await tx('lists').where(list).decrement('people', named.length);
      return named.length === 0 ? [] : take(tx, list, named);
    },
    /**
     * Records removals, each with a version of its own, for devices that still hold the records; increases the list's
     * version.
     */
    async noteRemovals(tx: Transaction, { accountId, listId }: ListKey, removed: readonly TakenPerson[], at: Date) {
      const epochs = removed.map(({ epoch }) => epoch);
      const tags = removed.map(({ tag }) => tag);
      const list = { accountId, listId, removed: removed.length };
      const [row] = await rowsOf<{ list_version: number }>(tx, MAKE_ROOM, list);
      if (row === undefined) return;
      await tx.raw(NOTE_REMOVALS, { accountId, listId, epochs, tags, at, base: row.list_version - removed.length });
    },
  };
}
