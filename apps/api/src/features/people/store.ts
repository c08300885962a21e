import type { Knex } from 'knex';
import { columnsIn, columnsOf, patternsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import type { SealedMetadata } from '../metadata.ts';

export interface PersonRecord {
  readonly personId: string;
  /** Orders people by first enrolment; never exposed. */
  readonly rowId: string;
  readonly consentVersion: string;
  readonly face: FaceKey;
  readonly deleteAfter: Date;
  readonly enrolledAt: Date;
  readonly metadataSealed: Buffer | null;
}

/** A person as read; the epoch determines the engine of the record. */
export interface FoundPerson extends PersonRecord {
  readonly engineId: string;
}

/** Key of a person's sealed record. */
export interface FaceKey {
  readonly epoch: number;
  readonly tag: Buffer;
}

/** A person's sealed record, and the list version at which it was stored. */
export interface StoredFace {
  readonly record: Buffer;
  readonly version: number;
}

type Row<Person extends PersonRecord> = Omit<Person, 'face'> & {
  readonly faceEpoch: number;
  readonly faceTag: Buffer;
};

const COLUMNS = columnsOf<Row<PersonRecord>>()(
  ['personId', 'rowId', 'consentVersion'],
  ['faceEpoch', 'faceTag', 'deleteAfter', 'enrolledAt', 'metadataSealed'],
);
const FOUND_COLUMNS = { ...columnsIn('people', COLUMNS), engineId: 'made.engine_id' };

const toPerson = <Person extends PersonRecord>({ faceEpoch: epoch, faceTag: tag, ...row }: Row<Person>) =>
  ({ ...row, face: { epoch, tag } }) as unknown as Person;

/** Selects people of a list. */
export interface PeopleFilter {
  /** Only records of these epochs; default: all. */
  readonly epochs?: readonly number[] | undefined;
  /** Only people whose personId begins with it. */
  readonly prefix?: string | undefined;
  /** Only people who have all of these among their metadata's pseudonyms. */
  readonly metadataRefs?: readonly Buffer[] | undefined;
  /** Only people whose deadline is later than this; now, to leave out those who are due. */
  readonly deadlineAfter: Date;
  /** Only people whose deadline is earlier than this; default: all. */
  readonly deadlineBefore?: Date | undefined;
}

/** An order of a list's people, and the person after whom a page begins; the first page has none. */
export type PeopleOrder =
  | { readonly by: 'oldest' | 'newest'; readonly after?: { readonly rowId: string } | undefined }
  | { readonly by: 'deadline'; readonly after?: { readonly deleteAfter: Date; readonly rowId: string } | undefined }
  | { readonly by: 'personId'; readonly after?: { readonly personId: string } | undefined };

/** How many people there are. */
export interface PeopleCounts {
  readonly people: number;
  /** Of them, those whose deadline is at `dueAt` or before. */
  readonly due: number;
  /** Of the others, those whose record is of another epoch than `epochs`. */
  readonly ofOtherEpochs: number;
  readonly nextDeadline: Date | null;
}

export type PersonStore = ReturnType<typeof createPersonStore>;

const where = ({ accountId, listId }: ListKey) => ({ account_id: accountId, list_id: listId });

/** A row that was not there before has no `xmax`. */
const PUT = `
WITH held AS (
  DELETE FROM face_removals WHERE account_id = :accountId AND list_id = :listId AND epoch = :epoch AND tag = :tag
), face AS (
  INSERT INTO faces (account_id, list_id, epoch, tag, record, delete_after, version, withheld_version)
  VALUES (:accountId, :listId, :epoch, :tag, :record, :deleteAfter, :version, NULL)
  ON CONFLICT (account_id, list_id, epoch, tag) DO UPDATE
    SET record = excluded.record, delete_after = excluded.delete_after, version = excluded.version, withheld_version = NULL
), person AS (
  INSERT INTO people (account_id, list_id, person_id, ticket_ref, row_id, consent_version, face_epoch, face_tag, delete_after, enrolled_at,
    metadata_sealed, metadata_refs, updated_at)
  VALUES (:accountId, :listId, :personId, :ticketRef, :rowId, :consentVersion, :epoch, :tag, :deleteAfter, :enrolledAt,
    :metadataSealed, :metadataRefs, :at)
  ON CONFLICT (account_id, list_id, person_id) DO UPDATE
    SET ticket_ref = excluded.ticket_ref, row_id = excluded.row_id, consent_version = excluded.consent_version, face_epoch = excluded.face_epoch,
      face_tag = excluded.face_tag, delete_after = excluded.delete_after, enrolled_at = excluded.enrolled_at,
      metadata_sealed = excluded.metadata_sealed, metadata_refs = excluded.metadata_refs, updated_at = excluded.updated_at
  RETURNING xmax = 0 AS is_new
)
UPDATE lists SET people = people + 1
WHERE account_id = :accountId AND list_id = :listId AND EXISTS (SELECT FROM person WHERE is_new)`;

/** People whom one request of a search looks at. */
const SEARCH_ROWS = 20_000;
const LAST_CODE_POINT = 0x10ffff;

/**
 * The least text, by code points, that is greater than every text that begins with the prefix; null where none is.
 * Surrogates are no text.
 */
function successorOf(prefix: string): string | null {
  const points = Array.from(prefix, (char) => char.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  const next = last + 1 === 0xd800 ? 0xe000 : last + 1;
  return String.fromCodePoint(...points, next);
}

/** In the order of the index `people_by_person_id`. */
const PERSON_ID = 'people.person_id COLLATE "C"';

const ORDERS: Record<PeopleOrder['by'], string> = {
  oldest: 'people.row_id',
  newest: 'people.row_id DESC',
  deadline: 'people.delete_after, people.row_id',
  personId: PERSON_ID,
};

const COUNTS = `
count(*)::int AS people,
(count(*) FILTER (WHERE people.delete_after <= :dueAt))::int AS due,
(count(*) FILTER (WHERE people.delete_after > :dueAt AND people.face_epoch <> ALL (:epochs)))::int AS "ofOtherEpochs",
min(people.delete_after) AS "nextDeadline"`;

function select(query: Knex.QueryBuilder, filter: PeopleFilter): void {
  const { epochs, prefix, metadataRefs, deadlineAfter, deadlineBefore } = filter;
  query.where('people.delete_after', '>', deadlineAfter);
  if (deadlineBefore !== undefined) query.where('people.delete_after', '<', deadlineBefore);
  if (epochs !== undefined) query.whereRaw('people.face_epoch = ANY (?)', [[...epochs]]);
  if (metadataRefs !== undefined) query.whereRaw('people.metadata_refs @> ?', [[...metadataRefs]]);
  if (prefix === undefined) return;
  query.whereRaw(`${PERSON_ID} >= ?`, [prefix]);
  const end = successorOf(prefix);
  if (end !== null) query.whereRaw(`${PERSON_ID} < ?`, [end]);
}

function startAfter(query: Knex.QueryBuilder, { by, after }: PeopleOrder): void {
  if (after === undefined) return;
  if (by === 'personId') query.whereRaw(`${PERSON_ID} > ?`, [after.personId]);
  else if (by === 'deadline') {
    query.whereRaw('(people.delete_after, people.row_id) > (?, ?)', [after.deleteAfter, after.rowId]);
  } else query.where('people.row_id', by === 'newest' ? '<' : '>', after.rowId);
}

export function createPersonStore(connection: Connection) {
  const people = (on: Connection, key: ListKey) => on('people').where(where(key));
  const found = (on: Connection, { accountId, listId }: ListKey) =>
    on('people')
      .join('list_epochs as made', {
        'made.account_id': 'people.account_id',
        'made.list_id': 'people.list_id',
        'made.epoch': 'people.face_epoch',
      })
      .where({ 'people.account_id': accountId, 'people.list_id': listId });
  return {
    /** Does not find expired people, even before they are removed. */
    async find(key: ListKey, personId: string, now: Date, tx?: Transaction): Promise<FoundPerson | null> {
      const row: Row<FoundPerson> | undefined = await found(tx ?? connection, key)
        .where({ person_id: personId })
        .where('delete_after', '>', now)
        .first(FOUND_COLUMNS);
      return row === undefined ? null : toPerson<FoundPerson>(row);
    },
    /** The same for many, in no order. */
    async findNamed(key: ListKey, personIds: readonly string[], now: Date): Promise<FoundPerson[]> {
      const rows: Row<FoundPerson>[] = await found(connection, key)
        .whereRaw('people.person_id = ANY (?)', [[...personIds]])
        .where('delete_after', '>', now)
        .select(FOUND_COLUMNS);
      return rows.map(toPerson<FoundPerson>);
    },
    /** As `find`, including expired people; the caller holds the list's lock. */
    async findAny(tx: Transaction, key: ListKey, personId: string): Promise<PersonRecord | null> {
      const row: Row<PersonRecord> | undefined = await people(tx, key).where({ person_id: personId }).first(COLUMNS);
      return row === undefined ? null : toPerson<PersonRecord>(row);
    },
    async page(key: ListKey, filter: PeopleFilter, order: PeopleOrder, rows: number): Promise<FoundPerson[]> {
      const query = found(connection, key);
      select(query, filter);
      startAfter(query, order);
      const page: Row<FoundPerson>[] = await query.orderByRaw(ORDERS[order.by]).limit(rows).select(FOUND_COLUMNS);
      return page.map(toPerson<FoundPerson>);
    },
    /**
     * As `page`, of those whose personId contains a part, whatever the case. Looks at a bounded number of people: `edge`
     * is the last of them where there may be others behind.
     */
    async search(key: ListKey, filter: PeopleFilter, order: PeopleOrder, part: string, rows: number) {
      const query = found(connection, key);
      select(query, filter);
      startAfter(query, order);
      query.orderByRaw(ORDERS[order.by]).limit(SEARCH_ROWS).select(FOUND_COLUMNS);
      const place = connection.raw(`row_number() OVER (ORDER BY ${ORDERS[order.by]}) AS place`);
      const page: Row<FoundPerson>[] = await connection
        .from(query.clone().select(place).as('seen'))
        .whereRaw('"personId" ILIKE ANY (?)', [patternsOf(part)])
        .orderBy('place')
        .limit(rows)
        .select(Object.keys(FOUND_COLUMNS));
      const edge: Row<FoundPerson> | undefined = await query.offset(SEARCH_ROWS - 1).first();
      return { people: page.map(toPerson<FoundPerson>), edge: edge === undefined ? null : toPerson<FoundPerson>(edge) };
    },
    async count(
      key: ListKey,
      filter: PeopleFilter,
      { epochs, dueAt }: { readonly epochs: readonly number[]; readonly dueAt: Date },
    ): Promise<PeopleCounts> {
      const query = people(connection, key);
      select(query, filter);
      const counts: PeopleCounts | undefined = await query.first(
        connection.raw(COUNTS, { epochs: [...epochs], dueAt }),
      );
      if (counts === undefined) throw new Error('a count has no row');
      return counts;
    },
    /**
     * Adds a person and a face, or replaces those of the same personId, keeping the row id and the time of first
     * enrolment.
     */
    async put(
      tx: Transaction,
      key: ListKey,
      person: PersonRecord & SealedMetadata & { readonly ticketRef: Buffer },
      { record, version }: StoredFace,
      at: Date,
    ) {
      const { face, ...columns } = person;
      await tx.raw(PUT, { ...key, ...columns, epoch: face.epoch, tag: face.tag, record, version, at });
    },
    /** Whether the list has that many people; the caller holds its lock. */
    isFull: async (tx: Transaction, key: ListKey, limit: number): Promise<boolean> =>
      (await people(tx, key).limit(limit).pluck('row_id')).length >= limit,
    /** The caller holds the list's lock. */
    async setMetadata(
      tx: Transaction,
      key: ListKey,
      personId: string,
      sealed: SealedMetadata,
      at: Date,
    ): Promise<void> {
      await people(tx, key)
        .where({ person_id: personId })
        .update(toRow({ ...sealed, updatedAt: at }));
    },
    /** Deletes a sealed record and records its removal for devices that still hold it. */
    async removeFace(tx: Transaction, key: ListKey, face: FaceKey, version: number, at: Date): Promise<void> {
      const place = { ...where(key), epoch: face.epoch, tag: face.tag };
      await tx('faces').where(place).delete();
      await tx('face_removals')
        .insert({ ...place, version, removed_at: at })
        .onConflict(['account_id', 'list_id', 'epoch', 'tag'])
        .merge();
    },
  };
}
