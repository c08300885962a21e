import * as z from 'zod';
import {
  countSchema,
  exampleId,
  exampleModelId,
  idSchema,
  modelIdSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  secretSchema,
  timestampSchema,
} from '../common.ts';
import {
  GUEST_LINK_HOURS,
  MAX_LINKS_AT_ONCE,
  MAX_PHOTO_ATTEMPTS,
  MAX_TICKETS_AT_ONCE,
  MAX_TICKETS_BODY_BYTES,
} from '../limits.ts';
import type { Descriptions } from './descriptions.ts';
import { personIdSchema, personSchema, personStates } from './people.ts';

const hoursError = { error: `must be a whole number from ${GUEST_LINK_HOURS.min} to ${GUEST_LINK_HOURS.max}` };

export const guestLinkHoursSchema = z
  .int(hoursError)
  .min(GUEST_LINK_HOURS.min, hoursError)
  .max(GUEST_LINK_HOURS.max, hoursError);

/** With `validForHours` a guest link is made; without it, a token for a page, valid for 30 minutes. */
export const createEnrolmentTokenRequestSchema = z
  .object({
    ticketId: personIdSchema.describe('the ticket that the token is for; becomes the personId'),
    validForHours: guestLinkHoursSchema.optional().describe('makes a guest link; never valid past the event’s end'),
  })
  .register(requestSchemas, { id: 'CreateEnrolmentTokenRequest' });
export type CreateEnrolmentTokenRequest = z.infer<typeof createEnrolmentTokenRequestSchema>;

/**
 * State of an enrolment token. All but `valid` are final, except that the page in which a guest declined can undo it for
 * half an hour.
 */
export const enrolmentTokenStates = ['valid', 'used', 'declined', 'expired', 'revoked', 'exhausted'] as const;
export type EnrolmentTokenState = (typeof enrolmentTokenStates)[number];

/** An enrolment token without its secret. */
const enrolmentTokenSchema = z
  .object({
    tokenId: idSchema('tok'),
    ticketId: personIdSchema.nullable().describe('null once it is no longer needed: it is not kept'),
    state: z.enum(enrolmentTokenStates),
    attemptsLeft: z.int().min(0).max(MAX_PHOTO_ATTEMPTS),
    guestLink: z.boolean().describe('made with validForHours'),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'EnrolmentToken' });
export type EnrolmentTokenResource = z.infer<typeof enrolmentTokenSchema>;

/** Answer of creating an enrolment token; the token is never shown again. */
const createdEnrolmentTokenSchema = z
  .object({
    tokenId: idSchema('tok'),
    token: secretSchema('svce', 'shown once'),
    ticketId: personIdSchema,
    expiresAt: timestampSchema,
    url: z.string().optional().describe('the guest link, where validForHours was given; holds the token'),
  })
  .register(responseSchemas, { id: 'CreatedEnrolmentToken' });
export type CreatedEnrolmentToken = z.infer<typeof createdEnrolmentTokenSchema>;

/** Guest links for many tickets at once. */
const createEnrolmentTokenBatchRequestSchema = z
  .object({
    ticketIds: z
      .array(z.string())
      .min(1)
      .max(MAX_TICKETS_AT_ONCE)
      .describe('the tickets; those that are no valid ticketId, or repeated, are left out and named in the answer'),
    validForHours: guestLinkHoursSchema.describe('never valid past the event’s end'),
    ifLinked: z
      .enum(['pass-over', 'replace'])
      .optional()
      .describe(
        'what happens to a ticket that has a valid guest link: it gets no other one (default), or the old one is revoked',
      ),
  })
  .register(requestSchemas, { id: 'CreateEnrolmentTokenBatchRequest' });
export type CreateEnrolmentTokenBatchRequest = z.infer<typeof createEnrolmentTokenBatchRequestSchema>;

const batchOmissions = ['invalid', 'repeated', 'linked'] as const;
/** Why a ticket of a batch got no link: not a valid ticketId, there before in the batch, or it has a valid link. */
export type BatchOmission = (typeof batchOmissions)[number];

/** A guest link; never shown again. */
const linkSchema = z.object({
  tokenId: idSchema('tok'),
  token: secretSchema('svce', 'shown once'),
  url: z.string().describe('the guest link; holds the token'),
  expiresAt: timestampSchema,
});

/** Answer of a batch; the links are never shown again. */
const createdEnrolmentTokenBatchSchema = z
  .object({
    items: z.array(linkSchema.extend({ ticketId: personIdSchema })),
    omitted: z.array(
      z.object({
        index: z.int().min(0).describe('place in `ticketIds`, from 0'),
        reason: z.enum(batchOmissions).describe('`invalid`: no ticketId, in a mailing `invalid-ticket`'),
      }),
    ),
  })
  .register(responseSchemas, { id: 'CreatedEnrolmentTokenBatch' });
export type CreatedEnrolmentTokenBatch = z.infer<typeof createdEnrolmentTokenBatchSchema>;

/** Query of the tokens of an event. */
const enrolmentTokenQuerySchema = pageQuerySchema.extend({
  state: z.enum(enrolmentTokenStates).optional().describe('only tokens in this state'),
  ticketIdPrefix: personIdSchema
    .optional()
    .describe(
      'tokens whose ticketId begins with it and is still kept, and all tokens of the ticket of exactly this name. A page may hold fewer items than `limit`, even none: follow `nextCursor`',
    ),
});
export type EnrolmentTokenQuery = z.infer<typeof enrolmentTokenQuerySchema>;

const openedSchema = countSchema.describe('the guest’s page was opened, whatever became of it afterwards');

/** What became of an event's tokens; without the names of any ticket. */
const enrolmentTokenSummarySchema = z
  .object({
    tokens: z.object({
      ...(Object.fromEntries(enrolmentTokenStates.map((state) => [state, countSchema])) as Record<
        EnrolmentTokenState,
        typeof countSchema
      >),
      opened: openedSchema,
    }),
    tickets: z
      .object({ invited: countSchema, opened: openedSchema, enrolled: countSchema, declined: countSchema })
      .describe('a ticket counts once, however many tokens it has had'),
    days: z
      .array(
        z.object({
          ...{ day: z.iso.date(), invited: countSchema, opened: countSchema },
          ...{ enrolled: countSchema, declined: countSchema },
        }),
      )
      .describe(
        'tokens by the day (UTC) on which they were made, first opened, enrolled or declined; other days are left out',
      ),
  })
  .register(responseSchemas, { id: 'EnrolmentTokenSummary' });
export type EnrolmentTokenSummary = z.infer<typeof enrolmentTokenSummarySchema>;

/** How far a guest is; each guest of a list counts in one of them. */
export const guestStates = [
  ...(['invited', 'opened', ...personStates, 'declined'] as const),
  ...(['exhausted', 'expired', 'revoked', 'erased'] as const),
] as const;
export type GuestState = (typeof guestStates)[number];

/** Who has a ticket of a list: by the link that tells most, by the face, or by both. */
const guestSchema = z
  .object({
    ticketId: personIdSchema.nullable().describe('the personId; null once it is no longer kept'),
    state: z
      .enum(guestStates)
      .describe(
        'invited: a valid link, whose page was not opened; opened: it was. enrolled, other-model, leaving: as of the person. declined, exhausted, expired, revoked: as of the token. erased: enrolled once, and the face was deleted since',
      ),
    ticketForgottenAt: timestampSchema
      .nullable()
      .describe('when the reason arose for which ticketId is null: declined, revoked or expired; null where unknown'),
    token: enrolmentTokenSchema.nullable().describe('the one that decides the state; null for who has had none'),
    person: personSchema.nullable().describe('null without a face'),
  })
  .register(responseSchemas, { id: 'Guest' });
export type GuestResource = z.infer<typeof guestSchema>;

const guestQuerySchema = pageQuerySchema.extend({
  state: z.enum(guestStates).optional().describe('only guests in this state'),
  ticketIdContains: personIdSchema
    .optional()
    .describe(
      'guests whose ticketId is still kept and contains it, whatever the case, and the guest of exactly this ticketId. A page may hold fewer items than `limit`, even none: follow `nextCursor`',
    ),
});
export type GuestQuery = z.infer<typeof guestQuerySchema>;

/** How many guests a list has. */
const guestSummarySchema = z
  .object({
    guests: countSchema.describe('the sum of all states'),
    opened: countSchema.describe('of them, who opened a link, whatever became of it, or came otherwise to decide'),
    states: z.object(
      Object.fromEntries(guestStates.map((state) => [state, countSchema])) as Record<GuestState, typeof countSchema>,
    ),
    days: z
      .array(
        z.object({
          ...{ day: z.iso.date(), guests: countSchema, opened: countSchema },
          ...{ enrolled: countSchema, declined: countSchema },
        }),
      )
      .describe('the day (UTC) on which each of them did so first; other days are left out'),
  })
  .register(responseSchemas, { id: 'GuestSummary' });
export type GuestSummary = z.infer<typeof guestSummarySchema>;

/** Links with which enrolled people can enrol again. */
const createEnrolmentLinksRequestSchema = z
  .object({
    modelId: modelIdSchema
      .optional()
      .describe('for people whose template is of this model; of any but the list’s own when left out'),
    validForHours: guestLinkHoursSchema.describe('never valid past the event’s end'),
  })
  .register(requestSchemas, { id: 'CreateEnrolmentLinksRequest' });
export type CreateEnrolmentLinksRequest = z.infer<typeof createEnrolmentLinksRequestSchema>;

/** Answer of creating enrolment links; they are never shown again. */
const createdEnrolmentLinksSchema = z
  .object({
    items: z.array(linkSchema.extend({ personId: personIdSchema })).max(MAX_LINKS_AT_ONCE),
    remaining: z.int().min(0).describe('people who are left without a valid link: ask again for theirs'),
  })
  .register(responseSchemas, { id: 'CreatedEnrolmentLinks' });
export type CreatedEnrolmentLinks = z.infer<typeof createdEnrolmentLinksSchema>;

const token = {
  tokenId: exampleId('tok'),
  ticketId: 'T-8F3K2M9QXW4Z7B1C',
  state: 'valid',
  attemptsLeft: 5,
  guestLink: true,
  createdAt: '2026-06-01T09:30:00.000Z',
  expiresAt: '2026-06-04T09:30:00.000Z',
} as const;

const link = {
  tokenId: token.tokenId,
  token: 'svce_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm',
  url: 'https://widget.example.org/#svce_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm',
  expiresAt: token.expiresAt,
} as const;

export const tokenOperations = {
  createEnrolmentToken: {
    summary: 'Create an enrolment token, or a guest link',
    description:
      'Lets one guest enrol for one ticket, once. Without `validForHours` it is valid for 30 minutes and may be put in the page that shows the widget. With it, `url` is a link to send to the guest. Neither is valid past the event’s end.',
    request: {
      schema: createEnrolmentTokenRequestSchema,
      example: { ticketId: 'T-8F3K2M9QXW4Z7B1C', validForHours: 72 },
    },
    success: {
      status: 201,
      description: 'created; the token is shown only once',
      schema: createdEnrolmentTokenSchema,
      headers: { Location: 'path of the enrolment token' },
      example: { ...link, ticketId: token.ticketId },
    },
    errors: ['widget-settings-missing', 'event-without-list', 'event-ended', 'list-ended', 'enrolment-closed'],
    audit: 'enrolment-token.create',
  },
  createEnrolmentTokenBatch: {
    summary: 'Create guest links for many tickets',
    description: `For up to ${MAX_TICKETS_AT_ONCE} tickets: all links or, after an error, none. Tickets that have a valid link are passed over, so the same batch sent again adds only what is new. Where an answer was lost with its links, \`ifLinked: replace\` makes new ones.`,
    request: {
      schema: createEnrolmentTokenBatchRequestSchema,
      limitBytes: MAX_TICKETS_BODY_BYTES,
      maxValues: MAX_TICKETS_AT_ONCE + 100,
      example: { ticketIds: ['T-5D1R7V0HJQ2N6P9S', 'T-5D1R7V0HJQ2N6P9S'], validForHours: 72 },
    },
    success: {
      status: 201,
      description: 'created; the links are shown only once',
      schema: createdEnrolmentTokenBatchSchema,
      example: { items: [{ ticketId: 'T-5D1R7V0HJQ2N6P9S', ...link }], omitted: [{ index: 1, reason: 'repeated' }] },
    },
    errors: ['widget-settings-missing', 'event-without-list', 'event-ended', 'list-ended', 'enrolment-closed'],
    audit: 'enrolment-token.create-batch',
  },
  createEnrolmentLinks: {
    summary: 'Create guest links for people who are to enrol again',
    description:
      'After a list’s model was changed: a link for each person whose template uses an older model, at most 100 per request. People with a valid link are skipped, so the next request continues where the previous response ended; `remaining` says how many are left. They are enrolment tokens of the list’s event.',
    request: { schema: createEnrolmentLinksRequestSchema, example: { modelId: exampleModelId, validForHours: 72 } },
    success: {
      status: 201,
      description: 'created; the links are shown only once',
      schema: createdEnrolmentLinksSchema,
      example: { items: [{ personId: token.ticketId, ...link }], remaining: 0 },
    },
    errors: ['list-without-event', 'widget-settings-missing', 'event-ended', 'list-ended', 'enrolment-closed'],
    audit: 'enrolment-links.create',
  },
  listEnrolmentTokens: {
    summary: 'List the enrolment tokens of an event',
    description:
      'One page, newest first, of the tokens for the event’s list; none for an event without a list. ticketIds are sealed, so a search by `ticketIdPrefix` opens them one by one, some thousands a request.',
    query: enrolmentTokenQuerySchema,
    success: { description: 'a page of tokens, without their secrets', schema: enrolmentTokenSchema, example: token },
  },
  getEnrolmentTokenSummary: {
    summary: 'Count what became of an event’s enrolment tokens',
    description:
      'By state, by ticket, and by day, for a chart. A page counts as opened when it asked for its session the first time; of that time the day is kept. Tokens are forgotten 30 days after they expired. Zero for an event without a list.',
    success: {
      description: 'the counts',
      schema: enrolmentTokenSummarySchema,
      example: {
        tokens: { valid: 210, used: 260, declined: 20, expired: 8, revoked: 2, exhausted: 0, opened: 310 },
        tickets: { invited: 496, opened: 308, enrolled: 260, declined: 20 },
        days: [{ day: '2026-06-01', invited: 500, opened: 310, enrolled: 260, declined: 20 }],
      },
    },
  },
  listGuests: {
    summary: 'List the guests of a list',
    description:
      'One page of everybody who has had a link for the list or has a face in it, once a ticket: by the first link, in a batch as its tickets stood; who has had none last. ticketIds without a face are sealed, so a search opens them one by one, some thousands a request.',
    query: guestQuerySchema,
    success: {
      description: 'a page of guests; no face data, no secrets',
      schema: guestSchema,
      example: { ticketId: token.ticketId, state: 'invited', ticketForgottenAt: null, token, person: null },
    },
  },
  getGuestSummary: {
    summary: 'Count the guests of a list',
    description: 'The guests of `GET …/guests` by state, and by day, for a chart.',
    success: {
      description: 'the counts',
      schema: guestSummarySchema,
      example: {
        ...{ guests: 496, opened: 308 },
        states: {
          ...{ invited: 160, opened: 18, enrolled: 260, 'other-model': 0, leaving: 0, declined: 20 },
          ...{ exhausted: 0, expired: 34, revoked: 2, erased: 2 },
        },
        days: [{ day: '2026-06-01', guests: 496, opened: 308, enrolled: 260, declined: 20 }],
      },
    },
  },
  getEnrolmentToken: {
    summary: 'Read an enrolment token',
    description: 'What has become of it. Tokens are forgotten 30 days after they expired.',
    success: { description: 'the token, without its secret', schema: enrolmentTokenSchema, example: token },
  },
  revokeEnrolmentToken: {
    summary: 'Revoke an enrolment token',
    description:
      'From here on nobody enrols with it. A second revocation, or one of a token that was used, changes nothing.',
    success: { status: 204, description: 'revoked' },
    audit: 'enrolment-token.revoke',
  },
} satisfies Descriptions;
