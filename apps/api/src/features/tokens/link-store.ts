import { MAX_PHOTO_ATTEMPTS } from '@svc/protocol';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

export interface LinkedPerson {
  readonly personId: string;
  /** Orders people by first enrolment. */
  readonly rowId: string;
}

/** People who should enrol again, and existing links for them. */
export interface LinkStore {
  /**
   * People with a record in one of the epochs who are not expired, ordered by first enrolment, starting after the given
   * one.
   */
  people(
    key: ListKey,
    epochs: readonly number[],
    now: Date,
    after: string | null,
    limit: number,
  ): Promise<LinkedPerson[]>;
  /** Those of the given people who still fulfil this. */
  remaining(
    tx: Transaction,
    key: ListKey,
    epochs: readonly number[],
    now: Date,
    personIds: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Those of the tickets that have a valid guest link, in lower-case hex. */
  linked(key: ListKey, ticketRefs: readonly Buffer[], now: Date, tx?: Transaction): Promise<ReadonlySet<string>>;
}

const PEOPLE = `
SELECT person_id AS "personId", row_id AS "rowId" FROM people
WHERE account_id = :accountId AND list_id = :listId AND face_epoch = ANY (:epochs) AND delete_after > :now
  AND row_id > CAST(:after AS uuid)
ORDER BY row_id LIMIT :limit`;

const REMAINING = `
SELECT person_id AS "personId" FROM people
WHERE account_id = :accountId AND list_id = :listId AND face_epoch = ANY (:epochs) AND delete_after > :now
  AND person_id = ANY (:personIds)`;

const LINKED = `
SELECT DISTINCT encode(ticket_ref, 'hex') AS ref FROM enrolment_tokens
WHERE account_id = :accountId AND list_id = :listId AND ticket_ref = ANY (CAST(:ticketRefs AS bytea[])) AND guest_link
  AND used_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL AND expires_at > :now
  AND (attempts < ${MAX_PHOTO_ATTEMPTS} OR examination_until > :now)`;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export function createLinkStore(connection: Connection): LinkStore {
  return {
    async people({ accountId, listId }, epochs, now, after, limit) {
      const values = { accountId, listId, epochs: [...epochs], now, after: after ?? BEFORE_ALL, limit };
      const { rows } = await connection.raw<{ rows: LinkedPerson[] }>(PEOPLE, values);
      return rows;
    },
    async remaining(tx, { accountId, listId }, epochs, now, personIds) {
      const values = { accountId, listId, epochs: [...epochs], now, personIds: [...personIds] };
      const { rows } = await tx.raw<{ rows: { personId: string }[] }>(REMAINING, values);
      return new Set(rows.map(({ personId }) => personId));
    },
    async linked({ accountId, listId }, ticketRefs, now, tx = undefined) {
      const values = { accountId, listId, ticketRefs: [...ticketRefs], now };
      const { rows } = await (tx ?? connection).raw<{ rows: { ref: string }[] }>(LINKED, values);
      return new Set(rows.map(({ ref }) => ref));
    },
  };
}
