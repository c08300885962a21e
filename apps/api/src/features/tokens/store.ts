import {
  type EnrolmentTokenState,
  type EnrolmentTokenSummary,
  enrolmentTokenStates,
  MAX_PHOTO_ATTEMPTS,
} from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import { columnsOf, rowsOf, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

/** Key of a token, which belongs to a list and is deleted with it. */
export interface TokenKey extends ListKey {
  readonly tokenId: string;
}

/** Fields that determine a token's state, besides the clock. */
export interface TokenMarks {
  readonly attempts: number;
  /** End of the time for processing the current photo; null when there is none. */
  readonly examinationUntil: Date | null;
  readonly usedAt: Date | null;
  readonly declinedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly expiresAt: Date;
}

export interface TokenRecord extends TokenKey, TokenMarks {
  /** Equal for tokens of the same ticket. */
  readonly ticketRef: Buffer;
  /** Null once the ticketId is no longer needed. */
  readonly ticketIdSealed: Buffer | null;
  readonly guestLink: boolean;
  readonly createdAt: Date;
}

export const TOKEN_COLUMNS = columnsOf<TokenRecord>()(
  ['accountId', 'listId', 'tokenId', 'ticketRef', 'ticketIdSealed', 'guestLink', 'attempts'],
  ['examinationUntil', 'usedAt', 'declinedAt', 'revokedAt', 'createdAt', 'expiresAt'],
);

/** A token that is not stored yet, with the hash of its secret. */
export interface NewToken {
  readonly token: TokenRecord;
  readonly sha256: Buffer;
}

/** Tokens as the organiser's server creates, reads and revokes them. */
export type TokenStore = ReturnType<typeof createTokenStore>;

const FORGET_TICKETS = changeDueRows({
  table: 'enrolment_tokens',
  key: { list_id: 'text', token_id: 'text' },
  due: `ticket_id_sealed IS NOT NULL
    AND (expires_at <= :now OR attempts >= ${MAX_PHOTO_ATTEMPTS} OR declined_at <= :declinedBefore)
    AND (examination_until IS NULL OR examination_until <= :now)`,
  change: 'UPDATE enrolment_tokens SET ticket_id_sealed = NULL',
});

const REMOVE_EXPIRED = changeDueRows({
  table: 'enrolment_tokens',
  key: { list_id: 'text', token_id: 'text' },
  due: 'expires_at <= :expiredBefore',
  change: 'DELETE FROM enrolment_tokens',
});

/** As `tokenStateOf`. */
export const TOKEN_STATE = `
CASE
  WHEN used_at IS NOT NULL THEN 'used'
  WHEN declined_at IS NOT NULL THEN 'declined'
  WHEN revoked_at IS NOT NULL THEN 'revoked'
  WHEN attempts >= ${MAX_PHOTO_ATTEMPTS} AND (examination_until IS NULL OR examination_until <= :now) THEN 'exhausted'
  WHEN expires_at <= :now THEN 'expired'
  ELSE 'valid'
END`;

const STATES = `
SELECT ${TOKEN_STATE} AS state, count(*)::int AS tokens, count(opened_on)::int AS opened
FROM enrolment_tokens WHERE account_id = :accountId AND list_id = :listId GROUP BY 1`;

/** A ticket's other open tokens are used together with the one that enrolled. */
const TICKETS = `
SELECT count(*)::int AS invited, count(opened_on)::int AS opened, count(used_at)::int AS enrolled,
  (count(declined_at) FILTER (WHERE used_at IS NULL))::int AS declined
FROM (
  SELECT max(opened_on) AS opened_on, max(used_at) AS used_at, max(declined_at) AS declined_at FROM enrolment_tokens
  WHERE account_id = :accountId AND list_id = :listId GROUP BY ticket_ref
) AS tickets`;

const DAYS = `
SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
  (count(*) FILTER (WHERE what = 'invited'))::int AS invited,
  (count(*) FILTER (WHERE what = 'opened'))::int AS opened,
  (count(*) FILTER (WHERE what = 'enrolled'))::int AS enrolled,
  (count(*) FILTER (WHERE what = 'declined'))::int AS declined
FROM enrolment_tokens
CROSS JOIN LATERAL (VALUES
  ('invited', created_at),
  ('opened', CAST(opened_on AS timestamp) AT TIME ZONE 'UTC'),
  ('enrolled', CASE WHEN person_row_id IS NOT NULL THEN used_at END),
  ('declined', declined_at)) AS happened (what, at)
WHERE account_id = :accountId AND list_id = :listId AND at IS NOT NULL
GROUP BY 1 ORDER BY 1`;

const ROWS_AT_ONCE = 1_000;

export function createTokenStore(connection: Connection) {
  const tokens = (on: Connection, { accountId, listId }: ListKey) =>
    on('enrolment_tokens').where({ account_id: accountId, list_id: listId });
  return {
    async insert(tx: Transaction, made: readonly NewToken[]): Promise<void> {
      const rows = made.map(({ token, sha256 }) => toRow({ ...token, tokenSha256: sha256 }));
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        await tx('enrolment_tokens').insert(rows.slice(from, from + ROWS_AT_ONCE));
      }
    },
    /** Revokes the valid guest links of the tickets; those that were declined cannot be used again by undoing that. */
    async revokeLinks(tx: Transaction, key: ListKey, ticketRefs: readonly Buffer[], at: Date): Promise<void> {
      await tokens(tx, key)
        .whereRaw('ticket_ref = ANY (CAST(? AS bytea[]))', [[...ticketRefs]])
        .where({ guest_link: true })
        .where('expires_at', '>', at)
        .whereNull('used_at')
        .whereNull('revoked_at')
        .update({ revoked_at: at, ticket_id_sealed: null });
    },
    /** Counts of a list's tokens; the days (UTC) in order, without those that have none. */
    async summary(key: ListKey, now: Date): Promise<EnrolmentTokenSummary> {
      const values = { ...key, now };
      const [states, [tickets], days] = await Promise.all([
        rowsOf<{ state: EnrolmentTokenState; tokens: number; opened: number }>(connection, STATES, values),
        rowsOf<EnrolmentTokenSummary['tickets']>(connection, TICKETS, values),
        rowsOf<EnrolmentTokenSummary['days'][number]>(connection, DAYS, values),
      ]);
      const counted = Object.fromEntries(enrolmentTokenStates.map((state) => [state, 0])) as Record<
        EnrolmentTokenState,
        number
      >;
      return {
        tokens: {
          ...counted,
          ...Object.fromEntries(states.map(({ state, tokens: count }) => [state, count])),
          opened: states.reduce((sum, { opened }) => sum + opened, 0),
        },
        tickets: tickets ?? { invited: 0, opened: 0, enrolled: 0, declined: 0 },
        days,
      };
    },
    /** The list of an event, unless it is being deleted. */
    async findList(accountId: string, eventId: string, tx?: Transaction): Promise<ListKey | null> {
      const row: { list_id: string } | undefined = await (tx ?? connection)('lists')
        .where({ account_id: accountId, event_id: eventId })
        .whereNull('deleting_at')
        .first('list_id');
      return row === undefined ? null : { accountId, listId: row.list_id };
    },
    async find(key: TokenKey): Promise<TokenRecord | null> {
      return (await tokens(connection, key).where({ token_id: key.tokenId }).first(TOKEN_COLUMNS)) ?? null;
    },
    /** Newest first, older than `before`; in one state at that time, if one is given. */
    async page(
      key: ListKey,
      before: string | undefined,
      rows: number,
      filter?: { readonly state: EnrolmentTokenState; readonly now: Date },
    ): Promise<TokenRecord[]> {
      const query = tokens(connection, key);
      if (filter !== undefined) query.whereRaw(`${TOKEN_STATE} = :state`, { ...filter });
      if (before !== undefined) query.where('token_id', '<', before);
      return query.orderBy('token_id', 'desc').limit(rows).select(TOKEN_COLUMNS);
    },
    /**
     * Leaves used, declined and revoked tokens unchanged.
     * @returns whether this call revoked it; null for an unknown token
     */
    async revoke(tx: Transaction, key: TokenKey, at: Date): Promise<boolean | null> {
      const token = () => tokens(tx, key).where({ token_id: key.tokenId });
      const revoked = await token()
        .whereNull('used_at')
        .whereNull('revoked_at')
        .update({ revoked_at: at, ticket_id_sealed: null });
      if (revoked === 1) return true;
      return (await token().first('token_id')) === undefined ? null : false;
    },
    /**
     * Removes the ticketIds of expired tokens, of those declined before `declinedBefore`, and of those whose last photo was
     * lost with its node; other used tokens lose them at use.
     */
    forgetTickets: (now: Date, declinedBefore: Date) => FORGET_TICKETS(connection, { now, declinedBefore }),
    /** Removes tokens that expired before `expiredBefore`. */
    removeExpired: (expiredBefore: Date) => REMOVE_EXPIRED(connection, { expiredBefore }),
  };
}

/** People who should enrol again, and existing links for them. */
export type LinkStore = ReturnType<typeof createLinkStore>;

const VALID_LINK = `guest_link AND used_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL
  AND expires_at > :now AND (attempts < ${MAX_PHOTO_ATTEMPTS} OR examination_until > :now)`;

const WITHOUT_LINK = `
SELECT person_id AS "personId", (count(*) OVER ())::int AS "ofPeople" FROM people
WHERE account_id = :accountId AND list_id = :listId AND face_epoch = ANY (:epochs) AND delete_after > :now
  AND (CAST(:among AS text[]) IS NULL OR person_id = ANY (:among)) AND NOT EXISTS (
    SELECT FROM enrolment_tokens AS tokens WHERE tokens.account_id = :accountId AND tokens.list_id = :listId
      AND tokens.ticket_ref = people.ticket_ref AND ${VALID_LINK})
ORDER BY row_id LIMIT :limit`;

const LINKED = `
SELECT DISTINCT encode(ticket_ref, 'hex') AS ref FROM enrolment_tokens
WHERE account_id = :accountId AND list_id = :listId AND ticket_ref = ANY (CAST(:ticketRefs AS bytea[])) AND ${VALID_LINK}`;

const FILL_TICKETS = `
UPDATE people SET ticket_ref = made.ref
FROM unnest(CAST(:personIds AS text[]), CAST(:refs AS bytea[])) AS made (person_id, ref)
WHERE account_id = :accountId AND list_id = :listId AND people.person_id = made.person_id AND people.ticket_ref IS NULL`;

const UNFILLED_LISTS = `
/* all accounts */ SELECT DISTINCT account_id AS "accountId", list_id AS "listId" FROM people WHERE ticket_ref IS NULL`;

export function createLinkStore(connection: Connection) {
  return {
    /**
     * Stores some of the pseudonyms of tickets that a node of an earlier version did not store with their people.
     * @returns whether none was left
     */
    async fillTickets({ accountId, listId }: ListKey, pseudonymOf: (personId: string) => Buffer): Promise<boolean> {
      const unfilled = connection('people').where({ account_id: accountId, list_id: listId }).whereNull('ticket_ref');
      const personIds: string[] = await unfilled.limit(ROWS_AT_ONCE).pluck('person_id');
      if (personIds.length === 0) return true;
      await rowsOf(connection, FILL_TICKETS, { accountId, listId, personIds, refs: personIds.map(pseudonymOf) });
      return personIds.length < ROWS_AT_ONCE;
    },
    unfilledLists: () => rowsOf<ListKey>(connection, UNFILLED_LISTS, {}),
    /**
     * The first people with a record in one of the epochs who are not expired and have no valid guest link, by first
     * enrolment, and how many there are in all. @param among others are not looked at; null: all are
     */
    withoutLink: (
      key: ListKey,
      epochs: readonly number[],
      { now, limit, among }: { readonly now: Date; readonly limit: number; readonly among: readonly string[] | null },
      tx?: Transaction,
    ) =>
      rowsOf<{ personId: string; ofPeople: number }>(tx ?? connection, WITHOUT_LINK, {
        ...{ ...key, epochs, now, limit, among },
      }),
    /** Those of the tickets that have a valid guest link, in lower-case hex. */
    async linked(key: ListKey, ticketRefs: readonly Buffer[], now: Date, tx?: Transaction) {
      const rows = await rowsOf<{ ref: string }>(tx ?? connection, LINKED, { ...key, ticketRefs, now });
      return new Set(rows.map(({ ref }) => ref));
    },
  };
}
