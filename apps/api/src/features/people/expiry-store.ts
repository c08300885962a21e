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

interface DueRow {
  readonly person_id: string;
  readonly delete_after: Date;
  readonly face_epoch: number;
  readonly face_tag: Buffer;
}

interface FaceRow {
  readonly epoch: number;
  readonly tag: Buffer;
  readonly version: number;
  readonly withheld_version: number | null;
}

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

const placeOf = (epoch: number, tag: Buffer) => `${epoch} ${tag.toString('hex')}`;

export function createExpiryStore(connection: Connection) {
  return {
    /** Lists with expired people, without duplicates. @param rows most people looked at */
    async listsWithExpired(now: Date, rows: number): Promise<ListKey[]> {
      const due: { account_id: string; list_id: string }[] = await connection('people')
        .comment('all accounts')
        .where('delete_after', '<=', now)
        .orderBy('delete_after')
        .limit(rows)
        .select('account_id', 'list_id');
      const lists = new Map(due.map((row) => [row.list_id, { accountId: row.account_id, listId: row.list_id }]));
      return [...lists.values()];
    },
    /** Deletes expired people with their records, at most `limit`. The caller holds the list's lock. */
    async takeExpired(
      tx: Transaction,
      { accountId, listId }: ListKey,
      now: Date,
      limit: number,
    ): Promise<ExpiredPerson[]> {
      const list = { account_id: accountId, list_id: listId };
      const due: DueRow[] = await tx('people')
        .where(list)
        .where('delete_after', '<=', now)
        .orderBy('delete_after')
        .limit(limit)
        .select('person_id', 'delete_after', 'face_epoch', 'face_tag');
      // Key arrays instead of a join: without statistics after a large import the planner could choose a nested loop.
      const names = due.map((row) => row.person_id);
      await tx('people').where(list).whereRaw('person_id = ANY (?)', [names]).delete();
      // Counted anew at the next reading.
      await tx('lists').where(list).update({ people: null });
      const faces: FaceRow[] = await tx('faces')
        .where(list)
        .whereRaw('epoch = ANY (?)', [[...new Set(due.map((row) => row.face_epoch))]])
        .whereRaw('tag = ANY (?)', [due.map((row) => row.face_tag)])
        .delete()
        .returning(['epoch', 'tag', 'version', 'withheld_version']);
      const people = new Map(due.map((row) => [placeOf(row.face_epoch, row.face_tag), row]));
      return faces.flatMap(({ epoch, tag, version, withheld_version: withheld }) => {
        const person = people.get(placeOf(epoch, tag));
        if (person === undefined) return [];
        const { person_id: personId, delete_after: deleteAfter } = person;
        return [{ personId, deleteAfter, epoch, tag, version, isWithheld: withheld !== null }];
      });
    },
    /**
     * Records removals, each with a version of its own, for devices that still hold the records; increases the list's
     * version.
     */
    async noteRemovals(
      tx: Transaction,
      { accountId, listId }: ListKey,
      removed: readonly ExpiredPerson[],
      at: Date,
    ): Promise<void> {
      const epochs = removed.map(({ epoch }) => epoch);
      const tags = removed.map(({ tag }) => tag);
      const list = { accountId, listId, removed: removed.length };
      const { rows } = await tx.raw<{ rows: { list_version: number }[] }>(MAKE_ROOM, list);
      const [row] = rows;
      if (row === undefined) return;
      await tx.raw(NOTE_REMOVALS, { accountId, listId, epochs, tags, at, base: row.list_version - removed.length });
    },
  };
}
