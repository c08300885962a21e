import { type MailTemplate, type RecipientState, recipientStates, type SkipReason } from '@svc/protocol';
import { changeDueRows, takeInTurns } from '../../db/by-account.ts';
import { columnsIn, columnsOf, rowsOf, selected, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';

/** Key of a mailing, which belongs to a list and is deleted with it. */
export interface MailingKey extends ListKey {
  readonly mailingId: string;
}

/** How a mailing's mails are written. */
export interface MailSettings {
  readonly validForHours: number;
  /** By language; in other languages the texts of the service are taken. */
  readonly texts: Readonly<Record<string, MailTemplate>>;
  readonly defaultLanguage: string;
  readonly timeZone: string;
  readonly replyTo: string | null;
}

export interface MailingRecord extends MailingKey, MailSettings {
  readonly remindsMailingId: string | null;
  readonly cancelledAt: Date | null;
  readonly createdAt: Date;
}

export type RecipientCounts = Readonly<Record<RecipientState, number>>;

/** A mailing, and what became of its recipients. */
export interface CountedMailing extends MailingRecord {
  readonly recipients: RecipientCounts;
}

export interface NewRecipient {
  /** Place in the organiser's request. */
  readonly position: number;
  readonly ticketRef: Buffer;
  readonly ticketIdSealed: Buffer;
  readonly addressSealed: Buffer;
}

export interface RecipientRecord {
  readonly position: number;
  /** Null once it is no longer needed. */
  readonly ticketIdSealed: Buffer | null;
  readonly state: RecipientState;
  readonly attempts: number;
  readonly reason: SkipReason | null;
  readonly smtpStatus: string | null;
  readonly sentAt: Date | null;
}

/** A recipient whose mail is attempted now. */
export interface ClaimedRecipient extends MailingKey, MailSettings {
  readonly position: number;
  readonly ticketRef: Buffer;
  readonly ticketIdSealed: Buffer | null;
  readonly addressSealed: Buffer | null;
  readonly isReminder: boolean;
  /** Including this attempt. */
  readonly attempts: number;
  readonly eventId: string;
  readonly eventName: string;
  readonly organiserName: string | null;
  readonly privacyNoticeUrl: string | null;
}

/** The end of an attempt. */
export type AttemptEnd =
  | { readonly state: 'sent'; readonly at: Date }
  | { readonly state: 'bounced' | 'failed'; readonly smtpStatus: string | null }
  | { readonly state: 'skipped'; readonly reason: SkipReason }
  | { readonly state: 'waiting'; readonly smtpStatus: string | null; readonly nextAttemptAt: Date };

/** Mailings of guest links and their recipients. */
export type MailingStore = ReturnType<typeof createMailingStore>;

const SETTINGS = columnsOf<MailSettings>()(['validForHours', 'texts', 'defaultLanguage', 'timeZone', 'replyTo']);
const MAILING = {
  ...SETTINGS,
  ...columnsOf<Omit<MailingRecord, keyof MailSettings>>()(
    ['accountId', 'listId', 'mailingId'],
    ['remindsMailingId', 'cancelledAt', 'createdAt'],
  ),
};
const RECIPIENT = columnsOf<RecipientRecord>()(
  ['position', 'ticketIdSealed', 'state', 'attempts'],
  ['reason', 'smtpStatus', 'sentAt'],
);
const NEW_RECIPIENT = columnsOf<NewRecipient>()(['position', 'ticketRef', 'ticketIdSealed', 'addressSealed']);
const OF_EVENT = columnsOf<Pick<ClaimedRecipient, 'eventId' | 'organiserName' | 'privacyNoticeUrl'>>()(
  ['eventId', 'organiserName'],
  ['privacyNoticeUrl'],
);
const ATTEMPT = columnsOf<MailingKey & { attempts: number }>()(['accountId', 'listId', 'mailingId', 'attempts']);

const DUE_ACCOUNTS = `
/* all accounts */ SELECT a.account_id FROM accounts a
WHERE a.suspended_at IS NULL AND EXISTS (
  SELECT FROM mailing_recipients r
  WHERE r.account_id = a.account_id AND r.state = 'waiting' AND r.next_attempt_at <= :now)`;

const CLAIM = `
WITH due AS (
  SELECT list_id, mailing_id, position FROM mailing_recipients
  WHERE account_id = :accountId AND state = 'waiting' AND next_attempt_at <= :now
  ORDER BY next_attempt_at, mailing_id, position LIMIT :limit FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE mailing_recipients r SET attempts = r.attempts + 1, next_attempt_at = :leaseUntil
FROM due, mailings m, lists l, events e
WHERE r.account_id = :accountId AND r.list_id = due.list_id AND r.mailing_id = due.mailing_id
  AND r.position = due.position
  AND m.account_id = :accountId AND m.list_id = due.list_id AND m.mailing_id = due.mailing_id
  AND l.account_id = :accountId AND l.list_id = due.list_id
  AND e.account_id = :accountId AND e.event_id = l.event_id
RETURNING ${selected(columnsIn('r', { ...ATTEMPT, ...NEW_RECIPIENT }))}, ${selected(columnsIn('m', SETTINGS))},
  ${selected(columnsIn('e', OF_EVENT))}, e.name AS "eventName",
  m.reminds_mailing_id IS NOT NULL AS "isReminder"`;

const FORGET = `ticket_id_sealed = NULL, address_sealed = NULL, next_attempt_at = NULL,
  state = CASE WHEN state = 'waiting' THEN 'skipped' ELSE state END,
  reason = CASE WHEN state = 'waiting' THEN CAST(:reason AS text) ELSE reason END`;

const FORGET_TICKETS = `
UPDATE mailing_recipients SET ${FORGET}
WHERE account_id = :accountId AND list_id = :listId AND ticket_ref = ANY (CAST(:ticketRefs AS bytea[]))
  AND (ticket_id_sealed IS NOT NULL OR address_sealed IS NOT NULL)`;

const FORGET_OVER = changeDueRows({
  table: 'mailing_recipients',
  key: { list_id: 'text', mailing_id: 'text', position: 'integer' },
  due: 'ticket_id_sealed IS NOT NULL',
  find: `
SELECT r.account_id, r.list_id, r.mailing_id, r.position
FROM events e
JOIN lists l ON l.account_id = e.account_id AND l.event_id = e.event_id
JOIN mailing_recipients r ON r.account_id = l.account_id AND r.list_id = l.list_id
WHERE e.ends_at <= :now AND r.ticket_id_sealed IS NOT NULL
LIMIT :limit`,
  change: `UPDATE mailing_recipients SET ${FORGET}`,
});

const DECLINED = `
SELECT DISTINCT encode(ticket_ref, 'hex') AS ref FROM enrolment_tokens
WHERE account_id = :accountId AND list_id = :listId AND ticket_ref = ANY (CAST(:ticketRefs AS bytea[]))
  AND declined_at IS NOT NULL`;

const ENROLLED = `
SELECT person_id AS "personId" FROM people
WHERE account_id = :accountId AND list_id = :listId AND person_id = ANY (CAST(:personIds AS text[])) AND delete_after > :now`;

const COUNTS = `
SELECT mailing_id AS "mailingId", state, count(*)::int AS n FROM mailing_recipients
WHERE account_id = :accountId AND list_id = :listId AND mailing_id = ANY (CAST(:mailingIds AS text[]))
GROUP BY mailing_id, state`;

/** No recipient in any state. */
export const noRecipients = Object.fromEntries(recipientStates.map((state) => [state, 0])) as RecipientCounts;

const ROWS_AT_ONCE = 1_000;

export function createMailingStore(connection: Connection) {
  const ofList = (on: Connection, table: string, { accountId, listId }: ListKey) =>
    on(table).where({ account_id: accountId, list_id: listId });
  const ofMailing = (on: Connection, table: string, key: MailingKey) =>
    ofList(on, table, key).where({ mailing_id: key.mailingId });
  const held = (claimed: ClaimedRecipient) =>
    ofMailing(connection, 'mailing_recipients', claimed).where({
      position: claimed.position,
      attempts: claimed.attempts,
    });

  async function counted(on: Connection, key: ListKey, rows: readonly MailingRecord[]): Promise<CountedMailing[]> {
    const values = { ...key, mailingIds: rows.map(({ mailingId }) => mailingId) };
    const counts = await rowsOf<{ mailingId: string; state: RecipientState; n: number }>(on, COUNTS, values);
    return rows.map((row) => {
      const own = counts.filter(({ mailingId }) => mailingId === row.mailingId);
      const recipients = { ...noRecipients, ...Object.fromEntries(own.map(({ state, n }) => [state, n])) };
      return { ...row, recipients };
    });
  }

  return {
    /** Number of a list's mailings. */
    async count(tx: Transaction, key: ListKey): Promise<number> {
      const rows: { count: number }[] = await ofList(tx, 'mailings', key).count();
      return Number(rows[0]?.count ?? 0);
    },
    /** Its recipients are due at once. */
    async insert(tx: Transaction, mailing: MailingRecord, recipients: readonly NewRecipient[]): Promise<void> {
      const { accountId, listId, mailingId, createdAt } = mailing;
      await tx('mailings').insert({ ...toRow(mailing), texts: JSON.stringify(mailing.texts) });
      for (let from = 0; from < recipients.length; from += ROWS_AT_ONCE) {
        const rows = recipients.slice(from, from + ROWS_AT_ONCE).map((recipient) => ({
          ...toRow({ accountId, listId, mailingId, ...recipient }),
          state: 'waiting',
          next_attempt_at: createdAt,
        }));
        await tx('mailing_recipients').insert(rows);
      }
    },
    async find(key: MailingKey, tx?: Transaction): Promise<CountedMailing | null> {
      const on = tx ?? connection;
      const row: MailingRecord | undefined = await ofMailing(on, 'mailings', key).first(MAILING);
      return row === undefined ? null : ((await counted(on, key, [row]))[0] ?? null);
    },
    /** Newest first, older than `before`. */
    async page(key: ListKey, before: string | undefined, rows: number): Promise<CountedMailing[]> {
      const query = ofList(connection, 'mailings', key);
      if (before !== undefined) query.where('mailing_id', '<', before);
      const found: MailingRecord[] = await query.orderBy('mailing_id', 'desc').limit(rows).select(MAILING);
      return counted(connection, key, found);
    },
    /** By position, after the given one. */
    async recipients(
      key: MailingKey,
      state: RecipientState | undefined,
      after: number | undefined,
      rows: number,
    ): Promise<RecipientRecord[]> {
      const query = ofMailing(connection, 'mailing_recipients', key);
      if (state !== undefined) query.where({ state });
      if (after !== undefined) query.where('position', '>', after);
      return query.orderBy('position').limit(rows).select(RECIPIENT);
    },
    /** Recipients who were sent the mail and whose address is still there, by position. */
    async reminded(tx: Transaction, key: MailingKey): Promise<NewRecipient[]> {
      return ofMailing(tx, 'mailing_recipients', key)
        .where({ state: 'sent' })
        .whereNotNull('ticket_id_sealed')
        .whereNotNull('address_sealed')
        .orderBy('position')
        .select(NEW_RECIPIENT);
    },
    /** @returns whether this call cancelled it */
    async cancel(tx: Transaction, key: MailingKey, at: Date): Promise<boolean> {
      const cancelled = await ofMailing(tx, 'mailings', key).whereNull('cancelled_at').update({ cancelled_at: at });
      if (cancelled !== 1) return false;
      await ofMailing(tx, 'mailing_recipients', key)
        .where({ state: 'waiting' })
        .update({ state: 'cancelled', next_attempt_at: null, address_sealed: null });
      return true;
    },
    /** Those of the tickets for which a guest declined, in lower-case hex. */
    async declined(key: ListKey, ticketRefs: readonly Buffer[], tx?: Transaction): Promise<ReadonlySet<string>> {
      const rows = await rowsOf<{ ref: string }>(tx ?? connection, DECLINED, { ...key, ticketRefs });
      return new Set(rows.map(({ ref }) => ref));
    },
    /** Those of the people who are enrolled. */
    async enrolled(key: ListKey, personIds: readonly string[], now: Date, tx?: Transaction) {
      const rows = await rowsOf<{ personId: string }>(tx ?? connection, ENROLLED, { ...key, personIds, now });
      return new Set(rows.map(({ personId }) => personId));
    },
    /**
     * Claims due recipients, a few of each account that is not suspended. One that another node has claimed is skipped
     * until the end of its lease.
     */
    async claim(now: Date, leaseUntil: Date, limit: number): Promise<ClaimedRecipient[]> {
      const due = await rowsOf<{ account_id: string }>(connection, DUE_ACCOUNTS, { now });
      return takeInTurns(
        due.map((row) => row.account_id),
        limit,
        (accountId, most) => rowsOf<ClaimedRecipient>(connection, CLAIM, { accountId, now, leaseUntil, limit: most }),
      );
    },
    /** Does nothing when the recipient was erased, or claimed by another node meanwhile. */
    async end(claimed: ClaimedRecipient, end: AttemptEnd): Promise<void> {
      const waiting = held(claimed).where({ state: 'waiting' });
      const over = { state: end.state, next_attempt_at: null };
      if (end.state === 'waiting') {
        await waiting.update({ next_attempt_at: end.nextAttemptAt, smtp_status: end.smtpStatus });
      } else if (end.state === 'sent') {
        // A mail that went out is told as sent, though it was cancelled or its guest decided in the meantime.
        await held(claimed).update({ ...over, sent_at: end.at, reason: null, smtp_status: null });
      } else {
        const why = end.state === 'skipped' ? { reason: end.reason } : { smtp_status: end.smtpStatus };
        await waiting.update({ ...over, ...why, address_sealed: null });
      }
    },
    /** Undoes an attempt that was not made. */
    async giveBack(claimed: ClaimedRecipient, nextAttemptAt: Date): Promise<void> {
      await held(claimed)
        .where({ state: 'waiting' })
        .update({ attempts: claimed.attempts - 1, next_attempt_at: nextAttemptAt });
    },
    /** Erases the addresses and ticketIds of these tickets; mails that wait are not sent any more. */
    async forgetTickets(tx: Transaction, { accountId, listId }: ListKey, ticketRefs: Buffer[], reason: SkipReason) {
      await tx.raw(FORGET_TICKETS, { accountId, listId, ticketRefs, reason });
    },
    /** The same for all recipients of events that are over. */
    forgetOver: (now: Date) => FORGET_OVER(connection, { now, reason: 'event-ended' }),
  };
}
