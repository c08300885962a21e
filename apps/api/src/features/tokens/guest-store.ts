import type { GuestState, GuestSummary } from '@svc/protocol';
import { columnsIn, columnsOf, nested, patternsOf, rowsOf, selected } from '../../db/columns.ts';
import type { Connection } from '../../db/connection.ts';
import type { ListKey } from '../lists/store.ts';
import type { SeenPerson } from '../people/service.ts';
import { TOKEN_COLUMNS, TOKEN_STATE, type TokenRecord } from './store.ts';

/** Guests who have had a token, in the order of their first one; or who have a face, and have had none. */
export type GuestKind = 'linked' | 'unlinked';

export interface GuestRecord {
  /** The first token's identifier, or the person's row; orders the guests of a kind. */
  readonly place: string;
  readonly state: GuestState;
  readonly token: TokenRecord | null;
  readonly person: SeenPerson | null;
}

/** What decides about states: the clock, and what {@link SeenPerson people} are told by. */
export interface GuestTerms {
  readonly now: Date;
  /** When devices no longer get a face. */
  readonly dueAt: Date;
  /** Epochs of the list's model. */
  readonly epochs: readonly number[];
}

export interface GuestFilter {
  readonly state?: GuestState | undefined;
  /** People whose personId contains it, and tickets that may, as they are sealed. */
  readonly search?: { readonly part: string; readonly ticketRef: Buffer } | undefined;
}

/** Which guests in their order: so many behind a place, or of the first ones. */
export interface GuestPlaces {
  readonly after: string | undefined;
  readonly rows: number;
}

export type GuestStore = ReturnType<typeof createGuestStore>;

const PERSON_COLUMNS = {
  ...columnsIn(
    'person',
    columnsOf<Omit<SeenPerson, 'engineId'>>()(['personId', 'consentVersion', 'enrolledAt', 'deleteAfter']),
    'person',
  ),
  'person.engineId': 'made.engine_id',
};

const of = (table: string) => `${table}.account_id = :accountId AND ${table}.list_id = :listId`;

const PERSON_STATE = `
CASE WHEN person.delete_after <= :dueAt THEN 'leaving'
  WHEN person.face_epoch = ANY (:epochs) THEN 'enrolled' ELSE 'other-model' END`;

/** Of a person, and of the token `link` of the same ticket; either may be absent. */
const STATE = `
CASE WHEN person.person_id IS NOT NULL THEN ${PERSON_STATE}
  WHEN link.state = 'used' THEN 'erased'
  WHEN link.state <> 'valid' THEN link.state
  WHEN link.opened_first IS NULL THEN 'invited' ELSE 'opened' END`;

/** The token that tells most of a ticket comes first: by what happened last, unless it only ended. */
const TELLING = `${TOKEN_STATE} IN ('exhausted', 'expired', 'revoked'), coalesce(used_at, declined_at, created_at) DESC, token_id DESC`;

const LINKED = `
SELECT first.token_id AS place, ${STATE} AS state, ${selected(columnsIn('link', TOKEN_COLUMNS, 'token'))},
  ${selected(PERSON_COLUMNS)}
FROM enrolment_tokens AS first
CROSS JOIN LATERAL (
  SELECT tokens.*, ${TOKEN_STATE} AS state, min(opened_on) OVER () AS opened_first FROM enrolment_tokens AS tokens
  WHERE ${of('tokens')} AND tokens.ticket_ref = first.ticket_ref ORDER BY ${TELLING} LIMIT 1
) AS link
LEFT JOIN people AS person ON ${of('person')} AND person.ticket_ref = first.ticket_ref AND person.delete_after > :now
LEFT JOIN list_epochs AS made ON ${of('made')} AND made.epoch = person.face_epoch
WHERE ${of('first')} AND NOT EXISTS (
  SELECT FROM enrolment_tokens AS before
  WHERE ${of('before')} AND before.ticket_ref = first.ticket_ref AND before.token_id < first.token_id)`;

const UNLINKED = `
SELECT person.row_id AS place, ${PERSON_STATE} AS state, ${selected(PERSON_COLUMNS)}
FROM people AS person JOIN list_epochs AS made ON ${of('made')} AND made.epoch = person.face_epoch
WHERE ${of('person')} AND person.delete_after > :now AND NOT EXISTS (
  SELECT FROM enrolment_tokens AS tokens WHERE ${of('tokens')} AND tokens.ticket_ref = person.ticket_ref)`;

const KINDS = {
  linked: {
    guests: LINKED,
    place: 'first.token_id',
    state: STATE,
    search: `(person.person_id ILIKE ANY (:patterns) OR (person.person_id IS NULL
      AND (link.ticket_id_sealed IS NOT NULL OR link.ticket_ref = :ticketRef)))`,
  },
  unlinked: {
    guests: UNLINKED,
    place: 'person.row_id',
    state: PERSON_STATE,
    search: 'person.person_id ILIKE ANY (:patterns)',
  },
} as const;

/** Each guest once, with the days (UTC) of what was done first; a later step is never before an earlier one. */
const COUNTS = `
WITH link AS (
  SELECT DISTINCT ON (ticket_ref) ticket_ref, ${TOKEN_STATE} AS state, declined_at, used_at,
    min(created_at) OVER tickets AS invited_at,
    CAST(min(opened_on) OVER tickets AS timestamp) AT TIME ZONE 'UTC' AS opened_first
  FROM enrolment_tokens WHERE ${of('enrolment_tokens')}
  WINDOW tickets AS (PARTITION BY ticket_ref) ORDER BY ticket_ref, ${TELLING}
), person AS (
  SELECT * FROM people WHERE ${of('people')} AND delete_after > :now
), guest AS (
  SELECT ${STATE} AS state, least(link.invited_at, person.enrolled_at) AS guests,
    least(link.opened_first, person.enrolled_at, link.declined_at, link.used_at) AS opened,
    person.enrolled_at AS enrolled, CASE WHEN person.person_id IS NULL THEN link.declined_at END AS declined
  FROM link FULL JOIN person ON person.ticket_ref = link.ticket_ref
), happened AS (
  SELECT state, what, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day FROM guest CROSS JOIN LATERAL (
    VALUES ('guests', guests), ('opened', opened), ('enrolled', enrolled), ('declined', declined)) AS steps (what, at)
  WHERE at IS NOT NULL
)
SELECT state, what, day, count(*)::int AS count FROM happened GROUP BY 1, 2, 3 ORDER BY day`;

type Step = keyof Omit<GuestSummary['days'][number], 'day'>;

export function createGuestStore(connection: Connection) {
  return {
    async page(
      key: ListKey,
      kind: GuestKind,
      terms: GuestTerms,
      { state, search }: GuestFilter,
      { after, rows }: GuestPlaces,
    ): Promise<GuestRecord[]> {
      const of = KINDS[kind];
      const conditions = [
        of.guests,
        ...(after === undefined ? [] : [`${of.place} > :after`]),
        ...(state === undefined ? [] : [`${of.state} = :state`]),
        ...(search === undefined ? [] : [of.search]),
      ];
      const sql = `${conditions.join('\n  AND ')}\nORDER BY ${of.place} LIMIT :rows`;
      const searched = search && { patterns: patternsOf(search.part), ticketRef: search.ticketRef };
      const found = await rowsOf<object>(connection, sql, { ...key, ...terms, after, state, rows, ...searched });
      return found.map((row) => {
        const guest = nested<Omit<GuestRecord, 'token'> & { readonly token?: TokenRecord }>(row);
        const isPerson = guest.person?.personId !== null;
        return { ...guest, token: guest.token ?? null, person: isPerson ? guest.person : null };
      });
    },
    /** Numbers of guests by state, step and day; the days in order. */
    counts: (key: ListKey, terms: GuestTerms) =>
      rowsOf<{ state: GuestState; what: Step; day: string; count: number }>(connection, COUNTS, { ...key, ...terms }),
  };
}
