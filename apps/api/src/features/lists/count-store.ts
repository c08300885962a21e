import { type ListState, MAX_PHOTO_ATTEMPTS } from '@svc/protocol';
import { rowsOf } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

/** State and numbers of a list, without a look at its people. */
export interface ListCounts {
  readonly listId: string;
  /** Null for an ongoing list. */
  readonly eventId: string | null;
  readonly state: ListState;
  /** None past the list's retention deadline. */
  readonly people: number;
  /** Without revoked ones. */
  readonly devices: number;
}

/** What closing, ending or deleting a list affects, besides its people. */
interface ListImpactCounts {
  /** When the first and the last of the people who are not due are due; null for nobody. */
  readonly firstDeleteAfter: Date | null;
  readonly lastDeleteAfter: Date | null;
  readonly devicesWithCopy: number;
  readonly lastSyncAt: Date | null;
  readonly validTokens: number;
  readonly guestLinks: number;
}

export type ListCountStore = ReturnType<typeof createListCountStore>;

/** `people` is null when the number that is kept is not right any more. */
type CountRow = Omit<ListCounts, 'people'> & { readonly people: number | null };

/** The state is as `requireOpen` decides. */
const countsWhere = (column: 'list_id' | 'event_id') => `
SELECT list_id AS "listId", event_id AS "eventId",
  CASE WHEN ended_at IS NOT NULL OR retention_deadline <= :now THEN 'ended'
    WHEN enrollment_closed_at IS NOT NULL THEN 'closed' ELSE 'open' END AS state,
  CASE WHEN retention_deadline <= :now THEN 0 WHEN people_version = list_version THEN people END AS people,
  (SELECT count(*)::int FROM devices
    WHERE devices.account_id = :accountId AND devices.list_id = lists.list_id AND revoked_at IS NULL) AS devices
FROM lists WHERE account_id = :accountId AND ${column} = ANY (CAST(:ids AS text[])) AND deleting_at IS NULL`;

/** Keeps what was counted, except for a list that is being changed: it waits for nobody. */
const COUNT_ANEW = `
WITH counted AS MATERIALIZED (
  SELECT list_id, list_version,
    (SELECT count(*)::int FROM people
      WHERE people.account_id = :accountId AND people.list_id = lists.list_id) AS people
  FROM lists WHERE account_id = :accountId AND list_id = ANY (CAST(:ids AS text[]))
), free AS (
  SELECT lists.list_id FROM lists JOIN counted ON counted.list_id = lists.list_id
  WHERE lists.account_id = :accountId AND lists.list_version = counted.list_version FOR NO KEY UPDATE OF lists SKIP LOCKED
), kept AS (
  UPDATE lists SET people = counted.people, people_version = counted.list_version FROM counted
  WHERE lists.account_id = :accountId AND lists.list_id = counted.list_id AND lists.list_id IN (SELECT list_id FROM free)
)
SELECT list_id, people FROM counted`;

/** As `tokenStateOf`: a token is valid until it is used, declined, revoked or exhausted, or expires. */
const IMPACT = `
SELECT * FROM (
  SELECT min(delete_after) AS "firstDeleteAfter", max(delete_after) AS "lastDeleteAfter" FROM faces
  WHERE account_id = :accountId AND list_id = :listId AND delete_after > :now
) due, (
  SELECT count(*) FILTER (WHERE last_sync_at IS NOT NULL)::int AS "devicesWithCopy", max(last_sync_at) AS "lastSyncAt"
  FROM devices WHERE account_id = :accountId AND list_id = :listId AND revoked_at IS NULL
) held, (
  SELECT count(*)::int AS "validTokens", count(*) FILTER (WHERE guest_link)::int AS "guestLinks" FROM enrolment_tokens
  WHERE account_id = :accountId AND list_id = :listId AND expires_at > :now
    AND used_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL
    AND (attempts < ${MAX_PHOTO_ATTEMPTS} OR examination_until > :now)
) open`;

export function createListCountStore(connection: Connection) {
  async function read(
    column: 'list_id' | 'event_id',
    accountId: string,
    ids: readonly string[],
    now: Date,
    on: Connection,
  ): Promise<ListCounts[]> {
    if (ids.length === 0) return [];
    const rows = await rowsOf<CountRow>(on, countsWhere(column), { accountId, ids, now });
    const unknown = rows.filter(({ people }) => people === null).map(({ listId }) => listId);
    type Counted = { readonly list_id: string; readonly people: number };
    const counted = unknown.length === 0 ? [] : await rowsOf<Counted>(on, COUNT_ANEW, { accountId, ids: unknown });
    const anew = new Map(counted.map((row) => [row.list_id, row.people]));
    return rows.map((row) => ({ ...row, people: row.people ?? anew.get(row.listId) ?? 0 }));
  }

  return {
    /** Of an account's lists, by list; lists in deletion are absent. */
    async ofLists(accountId: string, listIds: readonly string[], now: Date, tx?: Transaction) {
      const all = await read('list_id', accountId, listIds, now, tx ?? connection);
      return new Map(all.map((counts) => [counts.listId, counts]));
    },
    /** Of the lists of an account's events, by event; events without a list are absent. */
    async ofEvents(accountId: string, eventIds: readonly string[], now: Date, tx?: Transaction) {
      const all = await read('event_id', accountId, eventIds, now, tx ?? connection);
      return new Map(all.flatMap((counts) => (counts.eventId === null ? [] : [[counts.eventId, counts] as const])));
    },
    async impact(key: { readonly accountId: string; readonly listId: string }, now: Date): Promise<ListImpactCounts> {
      const [row] = await rowsOf<ListImpactCounts>(connection, IMPACT, { ...key, now });
      if (row === undefined) throw new Error('a count has no row');
      return row;
    },
  };
}
