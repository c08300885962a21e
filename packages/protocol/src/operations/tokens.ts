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
    ticketId: personIdSchema.describe('your ID of the ticket; becomes the guest’s personId'),
    validForHours: guestLinkHoursSchema
      .optional()
      .describe('creates a guest link that is valid for this many hours, but not after the event’s end'),
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
    ticketId: personIdSchema.nullable().describe('null once the service no longer keeps it'),
    state: z.enum(enrolmentTokenStates).describe('`used`: the guest enrolled. `exhausted`: five photos were unusable'),
    attemptsLeft: z.int().min(0).max(MAX_PHOTO_ATTEMPTS).describe('how many more photos the guest can try'),
    guestLink: z.boolean().describe('whether the token is a guest link, created with `validForHours`'),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'EnrolmentToken' });
export type EnrolmentTokenResource = z.infer<typeof enrolmentTokenSchema>;

/** Answer of creating an enrolment token; the token is never shown again. */
const createdEnrolmentTokenSchema = z
  .object({
    tokenId: idSchema('tok'),
    token: secretSchema('svce', 'the secret token; only shown in this response'),
    ticketId: personIdSchema,
    expiresAt: timestampSchema,
    url: z.string().optional().describe('the guest link, if you sent `validForHours`; contains the token'),
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
      .describe('your IDs of the tickets; invalid and repeated ones are skipped and listed in `omitted`'),
    validForHours: guestLinkHoursSchema.describe('for how many hours the links are valid; never after the event’s end'),
    ifLinked: z
      .enum(['pass-over', 'replace'])
      .optional()
      .describe(
        'what to do with a ticket that has a valid guest link. `pass-over` (default): skip it. `replace`: create a new link and revoke the old one',
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
  token: secretSchema('svce', 'the secret token; only shown in this response'),
  url: z.string().describe('the guest link; contains the token'),
  expiresAt: timestampSchema,
});

/** Answer of a batch; the links are never shown again. */
const createdEnrolmentTokenBatchSchema = z
  .object({
    items: z.array(linkSchema.extend({ ticketId: personIdSchema })),
    omitted: z.array(
      z.object({
        index: z.int().min(0).describe('position in `ticketIds`, from 0'),
        reason: z
          .enum(batchOmissions)
          .describe(
            '`invalid`: not a valid ticketId. `repeated`: occurs earlier in the request. `linked`: has a valid link',
          ),
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
      'only tokens whose ticketId starts with this. Tokens whose ticketId is no longer kept only match the whole ticketId. A page can have fewer items than `limit`, or none, even if more follow: continue until `nextCursor` is null',
    ),
});
export type EnrolmentTokenQuery = z.infer<typeof enrolmentTokenQuerySchema>;

const openedSchema = countSchema.describe('how many were opened in a browser, whatever happened afterwards');

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
      .describe('number of tickets; each ticket counts once, however many tokens it has had'),
    days: z
      .array(
        z.object({
          ...{ day: z.iso.date(), invited: countSchema, opened: countSchema },
          ...{ enrolled: countSchema, declined: countSchema },
        }),
      )
      .describe(
        'number of tokens by the day (UTC) on which they were created, first opened, used to enrol, or declined; days without any are left out',
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
    ticketId: personIdSchema.nullable().describe('also the personId; null once the service no longer keeps it'),
    state: z
      .enum(guestStates)
      .describe(
        '`invited`: has a valid link that was not opened. `opened`: has a valid link that was opened. `enrolled`, `other-model`, `leaving`: state of the person. `declined`, `exhausted`, `expired`, `revoked`: state of the token. `erased`: was enrolled, and the face has been deleted since',
      ),
    ticketForgottenAt: timestampSchema
      .nullable()
      .describe('if `ticketId` is null: when the token was declined, revoked or expired; null if unknown'),
    token: enrolmentTokenSchema.nullable().describe('the token that decides `state`; null if the guest never had one'),
    person: personSchema.nullable().describe('the enrolled person; null if there is no face'),
  })
  .register(responseSchemas, { id: 'Guest' });
export type GuestResource = z.infer<typeof guestSchema>;

const guestQuerySchema = pageQuerySchema.extend({
  state: z.enum(guestStates).optional().describe('only guests in this state'),
  ticketIdContains: personIdSchema
    .optional()
    .describe(
      'only guests whose ticketId contains this, ignoring case. Guests whose ticketId is no longer kept only match the whole ticketId. A page can have fewer items than `limit`, or none, even if more follow: continue until `nextCursor` is null',
    ),
});
export type GuestQuery = z.infer<typeof guestQuerySchema>;

/** How many guests a list has. */
const guestSummarySchema = z
  .object({
    guests: countSchema.describe('number of guests: the sum of all states'),
    opened: countSchema.describe('how many of them opened a link, enrolled or declined'),
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
      .describe(
        'number of guests by the day (UTC) on which they were first invited, opened a link, enrolled or declined; days without any are left out',
      ),
  })
  .register(responseSchemas, { id: 'GuestSummary' });
export type GuestSummary = z.infer<typeof guestSummarySchema>;

/** Links with which enrolled people can enrol again. */
const createEnrolmentLinksRequestSchema = z
  .object({
    modelId: modelIdSchema
      .optional()
      .describe('only people whose template is from this model; default: from any model except the list’s current one'),
    validForHours: guestLinkHoursSchema.describe('for how many hours the links are valid; never after the event’s end'),
  })
  .register(requestSchemas, { id: 'CreateEnrolmentLinksRequest' });
export type CreateEnrolmentLinksRequest = z.infer<typeof createEnrolmentLinksRequestSchema>;

/** Answer of creating enrolment links; they are never shown again. */
const createdEnrolmentLinksSchema = z
  .object({
    items: z.array(linkSchema.extend({ personId: personIdSchema })).max(MAX_LINKS_AT_ONCE),
    remaining: z.int().min(0).describe('number of people who still need a link; send the request again to get theirs'),
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
    summary: 'Create an enrolment token or a guest link',
    description:
      'The token lets one guest enrol for one ticket, once. Without `validForHours`, it is valid for 30 minutes, for a page that shows the widget. With `validForHours`, `url` is a link for you to send to the guest. Neither is valid after the event’s end.',
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
    description: `Creates links for up to ${MAX_TICKETS_AT_ONCE} tickets, or none if there is an error. Tickets with a valid link are skipped, so if you send the same batch again, only new tickets get a link. If a response with links was lost, send \`ifLinked: replace\` to get new ones.`,
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
    summary: 'Create guest links for enrolling again',
    description:
      'After you change a list’s model, create links for people whose template is from another model, at most 100 per request. People with a valid link are skipped, so each request continues where the previous one ended; `remaining` says how many are left. The links are enrolment tokens of the list’s event.',
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
      'Returns one page, newest first; an empty page for an event without a list. ticketIds are stored encrypted, so a search by `ticketIdPrefix` decrypts them one by one, a few thousand per request.',
    query: enrolmentTokenQuerySchema,
    success: { description: 'a page of tokens, without their secrets', schema: enrolmentTokenSchema, example: token },
  },
  getEnrolmentTokenSummary: {
    summary: 'Count an event’s enrolment tokens',
    description:
      'Returns the number of tokens by state, the number of tickets, and numbers by day for a chart. A token counts as opened when a page first reads its widget session; only the day is stored. Tokens are deleted 30 days after they expire. All numbers are 0 for an event without a list.',
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
      'Returns one page of everyone who has had a link for the list or has a face in it, each ticket once. Guests are in the order of their first link; people without a link come last. ticketIds of guests without a face are stored encrypted, so a search decrypts them one by one, a few thousand per request.',
    query: guestQuerySchema,
    success: {
      description: 'a page of guests; no face data, no secrets',
      schema: guestSchema,
      example: { ticketId: token.ticketId, state: 'invited', ticketForgottenAt: null, token, person: null },
    },
  },
  getGuestSummary: {
    summary: 'Count the guests of a list',
    description: 'Returns the number of guests of `GET …/guests` by state, and by day for a chart.',
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
    description: 'Returns the token’s state, without its secret. Tokens are deleted 30 days after they expire.',
    success: { description: 'the token, without its secret', schema: enrolmentTokenSchema, example: token },
  },
  revokeEnrolmentToken: {
    summary: 'Revoke an enrolment token',
    description:
      'No one can enrol with the token any more. Revoking a token that was already revoked or used changes nothing.',
    success: { status: 204, description: 'revoked' },
    audit: 'enrolment-token.revoke',
  },
} satisfies Descriptions;
