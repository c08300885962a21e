import { type AccountMode, MAX_PHOTO_ATTEMPTS, type Organiser, type PhotoSource } from '@svc/protocol';
import { columnsIn, columnsOf, nested } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { TokenKey, TokenMarks } from '../tokens/store.ts';

/** A guest found by a token, with everything that decides about its use. */
export interface Guest extends TokenKey, TokenMarks {
  readonly tokenSha256: Buffer;
  /** Only shows an organiser how the widget looks. */
  readonly isPreview: boolean;
  readonly ticketRef: Buffer;
  /** Null once the token was used. */
  readonly ticketIdSealed: Buffer | null;
  /** The request that used the token; null when it had no key. */
  readonly requestSha256: Buffer | null;
  /** The person that the token enrolled. */
  readonly personRowId: string | null;
  /** The page was opened with it before. */
  readonly isOpened: boolean;
  /** The last request with an unusable photo, and its error. */
  readonly refused: { readonly requestSha256: Buffer; readonly code: string } | null;
  readonly suspendedAt: Date | null;
  readonly country: string | null;
  readonly billingCurrency: string;
  readonly mode: AccountMode;
  readonly list: {
    readonly country: string | null;
    readonly deletingAt: Date | null;
    readonly endedAt: Date | null;
    readonly enrollmentClosedAt: Date | null;
    readonly retentionDeadline: Date;
    readonly photoSource: PhotoSource;
  };
  readonly event: {
    readonly eventId: string;
    readonly name: string;
    readonly startsAt: Date;
    readonly timeZone: string | null;
    readonly place: string | null;
    readonly organiserName: string;
    readonly privacyNoticeUrl: string;
  };
}

type GuestRow = Omit<Guest, 'isPreview' | 'refused'> & {
  readonly refusedRequest: Buffer | null;
  readonly refusedCode: string | null;
};

type OfAccount = 'suspendedAt' | 'country' | 'billingCurrency' | 'mode';
type ElsewhereInGuest = OfAccount | 'isOpened' | 'list' | 'event';

const MARK_COLUMNS = columnsOf<TokenMarks>()(
  ['attempts', 'examinationUntil', 'usedAt'],
  ['declinedAt', 'revokedAt', 'expiresAt'],
);
const TOKEN_COLUMNS = columnsOf<Omit<GuestRow, keyof TokenMarks | ElsewhereInGuest>>()(
  ['accountId', 'listId', 'tokenId', 'tokenSha256', 'ticketRef', 'ticketIdSealed'],
  ['requestSha256', 'personRowId', 'refusedRequest', 'refusedCode'],
);
const PREVIEW_COLUMNS = {
  accountId: 'account_id',
  tokenId: 'token_id',
  tokenSha256: 'token_sha256',
  expiresAt: 'expires_at',
};
const ORGANISER_COLUMNS = columnsOf<Organiser>()(['organiserName', 'privacyNoticeUrl']);
const ACCOUNT_COLUMNS = columnsOf<Pick<GuestRow, OfAccount>>()(['suspendedAt', 'country', 'billingCurrency', 'mode']);
const LIST_COLUMNS = columnsOf<Guest['list']>()(
  ['country', 'deletingAt', 'endedAt', 'enrollmentClosedAt'],
  ['retentionDeadline', 'photoSource'],
);
const EVENT_COLUMNS = columnsOf<Omit<Guest['event'], keyof Organiser>>()([
  'eventId',
  'name',
  'startsAt',
  'timeZone',
  'place',
]);
/** What decides about a guest besides the token: account, list and event. */
const PLACE_COLUMNS = {
  ...columnsIn('a', ACCOUNT_COLUMNS),
  ...columnsIn('l', LIST_COLUMNS, 'list'),
  ...columnsIn('e', EVENT_COLUMNS, 'event'),
};

function toGuest(row: object, isPreview: boolean): Guest {
  const { refusedRequest: requestSha256, refusedCode: code, ...guest } = nested<GuestRow>(row);
  return { ...guest, isPreview, refused: requestSha256 === null || code === null ? null : { requestSha256, code } };
}

/** What a preview has of a token: nothing was done with it, and nothing can be. */
const UNTOUCHED = {
  ticketRef: Buffer.alloc(0),
  ticketIdSealed: null,
  attempts: 0,
  examinationUntil: null,
  usedAt: null,
  declinedAt: null,
  revokedAt: null,
  requestSha256: null,
  personRowId: null,
  isOpened: false,
  refusedRequest: null,
  refusedCode: null,
} as const satisfies Partial<GuestRow>;

/** How an enrolment uses up a token. */
export interface Spending {
  readonly at: Date;
  readonly examination: string;
  readonly ticketRef: Buffer;
  readonly requestSha256: Buffer | null;
  readonly personRowId: string;
}

/** Tokens as used by guests. */
export type WidgetStore = ReturnType<typeof createWidgetStore>;

const UNSPENT = 'used_at IS NULL AND declined_at IS NULL AND revoked_at IS NULL';
/** Valid by time and attempts; an examination in progress keeps its token valid. */
const USABLE = `${UNSPENT} AND ((expires_at > :now AND attempts < ${MAX_PHOTO_ATTEMPTS}) OR examination_until > :now)`;
/** Each decline is told to the organiser's webhooks, so a token's holder cannot go on declining and undoing it. */
const MAX_UNDONE_DECLINES = 3;
const OVER = { examination: null, examination_until: null };

export function createWidgetStore(connection: Connection) {
  const token = (on: Connection, { accountId, listId, tokenId }: TokenKey) =>
    on('enrolment_tokens').where({ account_id: accountId, list_id: listId, token_id: tokenId });
  return {
    /** The existing ones of the tokens, in any order. */
    async findGuests(tokenSha256s: readonly Buffer[]): Promise<Guest[]> {
      const rows: object[] = await connection('enrolment_tokens AS t')
        .comment('all accounts')
        .join('lists AS l', (on) => on.on('l.account_id', 't.account_id').andOn('l.list_id', 't.list_id'))
        .join('events AS e', (on) => on.on('e.account_id', 'l.account_id').andOn('e.event_id', 'l.event_id'))
        .join('accounts AS a', 'a.account_id', 't.account_id')
        .whereRaw('t.token_sha256 = ANY (?)', [tokenSha256s as Buffer[]])
        .select({
          ...columnsIn('t', { ...TOKEN_COLUMNS, ...MARK_COLUMNS }),
          ...columnsIn('e', ORGANISER_COLUMNS, 'event'),
          ...PLACE_COLUMNS,
          isOpened: connection.raw('t.opened_on IS NOT NULL'),
        });
      return rows.map((row) => toGuest(row, false));
    },
    /** The existing ones of the tokens among the previews, in any order. */
    async findPreviews(tokenSha256s: readonly Buffer[]): Promise<Guest[]> {
      const rows: object[] = await connection('widget_previews AS p')
        .comment('all accounts')
        .join('lists AS l', (on) => on.on('l.account_id', 'p.account_id').andOn('l.event_id', 'p.event_id'))
        .join('events AS e', (on) => on.on('e.account_id', 'p.account_id').andOn('e.event_id', 'p.event_id'))
        .join('accounts AS a', 'a.account_id', 'p.account_id')
        .whereRaw('p.token_sha256 = ANY (?)', [tokenSha256s as Buffer[]])
        .select({
          ...columnsIn('p', PREVIEW_COLUMNS),
          ...columnsIn('p', ORGANISER_COLUMNS, 'event'),
          listId: 'l.list_id',
          ...PLACE_COLUMNS,
        });
      return rows.map((row) => toGuest({ ...row, ...UNTOUCHED }, true));
    },
    /** Notes the day on which the page was first opened with a token. */
    async markOpened(key: TokenKey, at: Date): Promise<void> {
      // Nothing finer than the day is kept.
      await token(connection, key)
        .whereNull('opened_on')
        .update({ opened_on: at.toISOString().slice(0, 10) });
    },
    /** The token's current state; null when it was deleted. */
    async marks(key: TokenKey, tx?: Transaction): Promise<TokenMarks | null> {
      return (await token(tx ?? connection, key).first(MARK_COLUMNS)) ?? null;
    },
    /**
     * Begins the examination of a photo, one at a time and only for a valid token. Counts as an attempt at once, so that
     * it also counts if the node dies.
     * @returns false when no attempt is available
     */
    async beginExamination(key: TokenKey, examination: string, now: Date, until: Date): Promise<boolean> {
      const begun = await token(connection, key)
        .whereRaw(`${UNSPENT} AND expires_at > :now AND attempts < ${MAX_PHOTO_ATTEMPTS}`, { now })
        .whereRaw('(examination_until IS NULL OR examination_until <= :now)', { now })
        .update({ examination, examination_until: until, attempts: connection.raw('attempts + 1') });
      return begun === 1;
    },
    /** @returns false when it is over, or another one has begun */
    renewExamination: async (key: TokenKey, examination: string, until: Date): Promise<boolean> =>
      (await token(connection, key).where({ examination }).update({ examination_until: until })) === 1,
    /** Ends one that did not reach the photo, failed for another reason or was lost, and does not count the attempt. */
    async cancelExamination(key: TokenKey, examination: string): Promise<void> {
      const attempts = connection.raw('attempts - 1');
      if (
        (await token(connection, key)
          .where({ examination })
          .update({ ...OVER, attempts })) === 1
      )
        return;
      // Without its ticketId a token stays exhausted.
      await token(connection, key).whereNotNull('ticket_id_sealed').update({ attempts });
    },
    /** Ends one of an unusable photo; the last removes the ticketId. @returns attempts so far; null when it was lost */
    async refusePhoto(key: TokenKey, examination: string, requestSha256: Buffer | null, code: string) {
      const [row]: { attempts: number }[] = await token(connection, key)
        .where({ examination })
        .update({
          ...OVER,
          refused_request: requestSha256,
          refused_code: code,
          ticket_id_sealed: connection.raw(`CASE WHEN attempts < ${MAX_PHOTO_ATTEMPTS} THEN ticket_id_sealed END`),
        })
        .returning('attempts');
      return row?.attempts ?? null;
    },
    /**
     * Uses up a token whose photo was good, and all other usable ones for its ticket. The caller holds the list's lock.
     * @returns false when the token was declined, revoked or used meanwhile
     */
    async spend(tx: Transaction, key: TokenKey, { at, examination, ticketRef, requestSha256, personRowId }: Spending) {
      const spent = { used_at: at, ticket_id_sealed: null };
      const own = await token(tx, key)
        .where({ examination })
        .whereRaw(UNSPENT)
        .update({ ...spent, ...OVER, request_sha256: requestSha256, person_row_id: personRowId });
      if (own !== 1) return false;
      await tx('enrolment_tokens')
        .where({ account_id: key.accountId, list_id: key.listId, ticket_ref: ticketRef })
        // Declined ones lose what undoing needs. One statement for both: an undoing at the same time comes before or after.
        .whereRaw(`(${USABLE} OR (declined_at IS NOT NULL AND ticket_id_sealed IS NOT NULL))`, { now: at })
        .update({
          ticket_id_sealed: null,
          used_at: connection.raw('CASE WHEN declined_at IS NULL THEN CAST(? AS timestamptz) END', [at]),
        });
      return true;
    },
    /**
     * Ends the examination in progress, so that its photo is not enrolled after an undone decline either. Keeps the ticketId
     * for that one, if the request has a key and the token was not undone too often.
     * @returns false when the token is no longer valid
     */
    async decline(tx: Transaction, key: TokenKey, now: Date, requestSha256: Buffer | null): Promise<boolean> {
      const declined = await token(tx, key)
        .whereRaw(USABLE, { now })
        .update({
          ...OVER,
          declined_at: now,
          request_sha256: requestSha256,
          // Nobody can undo what has no key.
          ticket_id_sealed: connection.raw('CASE WHEN undone_declines < ? AND ? THEN ticket_id_sealed END', [
            MAX_UNDONE_DECLINES,
            requestSha256 !== null,
          ]),
        });
      return declined === 1;
    },
    /**
     * Makes a declined token valid again, {@link MAX_UNDONE_DECLINES} times.
     * @param declined the request that declined it, and since when that can be undone
     * @returns false when there is no such decline, the token has expired or was revoked, another one enrolled the ticket
     * since, or it was undone too often
     */
    async undoDecline(key: TokenKey, now: Date, declined: { readonly by: Buffer; readonly since: Date }) {
      const undone = await token(connection, key)
        .whereRaw('used_at IS NULL AND revoked_at IS NULL AND ticket_id_sealed IS NOT NULL')
        .where('undone_declines', '<', MAX_UNDONE_DECLINES)
        .where({ request_sha256: declined.by })
        .where('declined_at', '>', declined.since)
        .where('expires_at', '>', now)
        .update({
          declined_at: null,
          request_sha256: null,
          undone_declines: connection.raw('undone_declines + 1'),
        });
      return undone === 1;
    },
    /** Deletion time of a person's face; null when the person was erased. */
    async keptUntil({ accountId, listId }: TokenKey, personRowId: string, now: Date): Promise<Date | null> {
      const row: { delete_after: Date } | undefined = await connection('people')
        .where({ account_id: accountId, list_id: listId, row_id: personRowId })
        .where('delete_after', '>', now)
        .first('delete_after');
      return row?.delete_after ?? null;
    },
  };
}
