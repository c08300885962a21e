import * as z from 'zod';
import {
  countSchema,
  exampleId,
  idSchema,
  languageTagSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  timestampSchema,
} from '../common.ts';
import {
  MAX_EMAIL_CHARS,
  MAX_MAIL_LANGUAGES,
  MAX_MAIL_SUBJECT_CODE_POINTS,
  MAX_MAIL_TEXT_CODE_POINTS,
  MAX_MAILING_BODY_BYTES,
  MAX_RECIPIENTS_AT_ONCE,
} from '../limits.ts';
import { isEmail, mailPlaceholders, placeholdersIn } from '../mail-template.ts';
import { isText } from '../text.ts';
import type { Descriptions } from './descriptions.ts';
import { timeZoneSchema } from './events.ts';
import { personIdSchema } from './people.ts';
import { guestLinkHoursSchema } from './tokens.ts';

const KNOWN = mailPlaceholders.map((name) => `{${name}}`).join(', ');
const isKnown = (name: string) => (mailPlaceholders as readonly string[]).includes(name);

/** Line breaks and other control characters, with which a header could be continued. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** The same, except for tabs and the line breaks of a text. */
const CONTROL_IN_TEXT = /[^\P{Cc}\t\r\n]/u;

/**
 * A mail's subject and text, which holds the link. Only known placeholders are allowed, so that a misspelt one is not
 * sent to guests.
 */
export const mailTemplateSchema = z.object({
  subject: z
    .string()
    .refine((text) => isText(text, MAX_MAIL_SUBJECT_CODE_POINTS) && /\S/.test(text) && !CONTROL.test(text), {
      error: `must be one line of 1 to ${MAX_MAIL_SUBJECT_CODE_POINTS} characters, without control characters`,
    })
    .refine((text) => placeholdersIn(text).every((name) => isKnown(name) && name !== 'link'), {
      error: `must not have {link}, or other placeholders than ${KNOWN}`,
    })
    .meta({ minLength: 1, maxLength: MAX_MAIL_SUBJECT_CODE_POINTS, pattern: '\\S' }),
  text: z
    .string()
    .refine((text) => isText(text, MAX_MAIL_TEXT_CODE_POINTS) && !CONTROL_IN_TEXT.test(text), {
      error: `must be 1 to ${MAX_MAIL_TEXT_CODE_POINTS} characters, without control characters except line breaks`,
    })
    .refine((text) => placeholdersIn(text).every(isKnown), { error: `must not have placeholders other than ${KNOWN}` })
    .refine((text) => placeholdersIn(text).includes('link'), { error: 'must contain {link}' })
    .meta({ minLength: 1, maxLength: MAX_MAIL_TEXT_CODE_POINTS, description: 'plain text; must contain `{link}`' }),
});

const emailSchema = z
  .string()
  .refine(isEmail, { error: 'must be an email address' })
  .meta({ maxLength: MAX_EMAIL_CHARS, format: 'email' });

const textsSchema = z
  .array(mailTemplateSchema.extend({ language: languageTagSchema }))
  .max(MAX_MAIL_LANGUAGES)
  .refine((texts) => new Set(texts.map(({ language }) => language.toLowerCase())).size === texts.length, {
    error: 'must name each language only once',
  })
  .describe(
    'your own subject and text for some languages, with the placeholders `{event}`, `{organiser}`, `{link}`, `{deadline}` and `{privacy}`; for other languages the texts of `GET /v1/mail-texts` are used',
  );

/** What a mailing and a reminder have in common. */
const settings = {
  validForHours: guestLinkHoursSchema.describe(
    'for how many hours a link is valid after its email is sent; never after the event’s end',
  ),
  defaultLanguage: languageTagSchema
    .optional()
    .describe('language for recipients without a language, or with one that has no text; default `en`'),
  timeZone: timeZoneSchema.optional().describe('time zone in which emails state the deadline; default `UTC`'),
  replyTo: emailSchema.nullable().optional().describe('address for guests’ replies; null or left out: none'),
  texts: textsSchema.optional(),
};

/** Guests to whom links are mailed. */
const createMailingRequestSchema = z
  .object({
    recipients: z
      .array(z.object({ ticketId: z.string(), email: z.string(), language: z.string().optional() }))
      .min(1)
      .max(MAX_RECIPIENTS_AT_ONCE)
      .describe('recipients that cannot be sent to are skipped and listed in `omitted`'),
    ...settings,
  })
  .register(requestSchemas, { id: 'CreateMailingRequest' });
export type CreateMailingRequest = z.infer<typeof createMailingRequestSchema>;

/** A reminder to the guests of a mailing. */
const createMailingReminderRequestSchema = z
  .object(settings)
  .register(requestSchemas, { id: 'CreateMailingReminderRequest' });
export type CreateMailingReminderRequest = z.infer<typeof createMailingReminderRequestSchema>;

/** What became of a recipient. */
export const recipientStates = ['waiting', 'sent', 'bounced', 'failed', 'skipped', 'cancelled'] as const;
export type RecipientState = (typeof recipientStates)[number];

/** Why a recipient got no mail: the guest has decided already, or nobody can enrol any more. */
export const skipReasons = [
  'enrolled',
  'declined',
  'erased',
  'event-ended',
  'list-ended',
  'enrolment-closed',
  'not-found',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** A mailing without its recipients. */
const mailingSchema = z
  .object({
    mailingId: idSchema('mlg'),
    remindsMailingId: idSchema('mlg').nullable().describe('the mailing that this one reminds guests of, or null'),
    state: z.enum(['sending', 'done', 'cancelled']),
    recipients: z.object(
      Object.fromEntries(recipientStates.map((state) => [state, countSchema])) as Record<
        RecipientState,
        typeof countSchema
      >,
    ),
    validForHours: guestLinkHoursSchema,
    defaultLanguage: languageTagSchema,
    timeZone: z.string(),
    replyTo: z.string().nullable(),
    createdAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'Mailing' });
export type MailingResource = z.infer<typeof mailingSchema>;

const omissions = ['invalid-ticket', 'invalid-email', 'invalid-language', 'repeated', 'enrolled', 'declined'] as const;
/** Why a row of a mailing was left out. */
export type RecipientOmission = (typeof omissions)[number];

const createdMailingSchema = mailingSchema
  .extend({
    omitted: z.array(
      z.object({ index: z.int().min(0).describe('position in `recipients`, from 0'), reason: z.enum(omissions) }),
    ),
  })
  .register(responseSchemas, { id: 'CreatedMailing' });
export type CreatedMailing = z.infer<typeof createdMailingSchema>;

/** A recipient; the address is never read back. */
const mailingRecipientSchema = z
  .object({
    index: z.int().min(0).describe('position in `recipients` of the first request, from 0, also in reminders'),
    ticketId: personIdSchema.nullable().describe('null once the service no longer keeps it'),
    state: z.enum(recipientStates),
    attempts: countSchema.describe('how often the service tried to send the email'),
    reason: z.enum(skipReasons).nullable().describe('why the recipient was skipped; null in other states'),
    smtpStatus: z
      .string()
      .nullable()
      .meta({
        description: 'the mail server’s last status if it refused the email; otherwise null',
        examples: ['550 5.1.1'],
      }),
    sentAt: timestampSchema.nullable().describe('when the mail server accepted the email, or null'),
  })
  .register(responseSchemas, { id: 'MailingRecipient' });
export type MailingRecipientResource = z.infer<typeof mailingRecipientSchema>;

const mailingRecipientQuerySchema = pageQuerySchema.extend({
  state: z.enum(recipientStates).optional().describe('only recipients in this state'),
});

/** The texts that mails have unless a mailing brings its own. */
const mailTextsSchema = z
  .object({
    items: z.array(
      z.object({ language: languageTagSchema, invitation: mailTemplateSchema, reminder: mailTemplateSchema }),
    ),
  })
  .register(responseSchemas, { id: 'MailTexts' });
export type MailTexts = z.infer<typeof mailTextsSchema>;

const invitation = {
  subject: 'Your face check-in for {event}',
  text: 'Hello,\n\nyou can check in with your face at {event}:\n{link}\n\nThe link works until {deadline}.\n{organiser}',
} as const;
const mailing = {
  mailingId: exampleId('mlg'),
  remindsMailingId: null,
  state: 'sending',
  recipients: { waiting: 380, sent: 117, bounced: 2, failed: 0, skipped: 1, cancelled: 0 },
  validForHours: 168,
  defaultLanguage: 'de',
  timeZone: 'Europe/Berlin',
  replyTo: 'tickets@example.org',
  createdAt: '2026-06-01T09:30:00.000Z',
} as const;
const asked = {
  validForHours: 168,
  defaultLanguage: 'de',
  timeZone: 'Europe/Berlin',
  replyTo: 'tickets@example.org',
  texts: [{ language: 'en', ...invitation }],
} as const;
const stageErrors = [
  ...(['mail-not-configured', 'widget-settings-missing', 'event-without-list', 'event-ended'] as const),
  ...(['list-ended', 'enrolment-closed', 'mailing-limit-reached'] as const),
];

export const mailingOperations = {
  listMailTexts: {
    summary: 'Read the standard email texts',
    description:
      'Returns the invitation and the reminder in each language. A mailing can replace them with its own texts.',
    success: {
      description: 'the texts',
      schema: mailTextsSchema,
      example: { items: [{ language: 'en', invitation, reminder: invitation }] },
    },
  },
  createMailing: {
    summary: 'Send guest links by email',
    description: `Sends links to up to ${MAX_RECIPIENTS_AT_ONCE} guests, each in the guest’s language. Invalid recipients, and guests who have enrolled or declined, are skipped and listed in \`omitted\`. Each link is created when its email is sent, and no response contains it. Addresses are stored encrypted until the guest enrols or declines, the email is refused, or the event is over; no response contains them.`,
    request: {
      schema: createMailingRequestSchema,
      limitBytes: MAX_MAILING_BODY_BYTES,
      maxValues: MAX_RECIPIENTS_AT_ONCE * 4 + 500,
      example: { recipients: [{ ticketId: 'T-5D1R7V0HJQ2N6P9S', email: 'ada@example.org', language: 'en' }], ...asked },
    },
    success: {
      status: 201,
      description: 'accepted; the emails are sent in the background',
      schema: createdMailingSchema,
      headers: { Location: 'path of the mailing' },
      example: { ...mailing, omitted: [{ index: 3, reason: 'invalid-email' }] },
    },
    errors: stageErrors,
    audit: 'mailing.create',
  },
  listMailings: {
    summary: 'List the mailings of an event',
    description: 'Returns one page, newest first, including reminders; an empty page for an event without a list.',
    query: pageQuerySchema,
    success: { description: 'a page of mailings', schema: mailingSchema, example: mailing },
  },
  getMailing: {
    summary: 'Read a mailing',
    description: 'Returns the mailing’s progress: the number of recipients in each state.',
    success: { description: 'the mailing', schema: mailingSchema, example: mailing },
  },
  listMailingRecipients: {
    summary: 'List the recipients of a mailing',
    description:
      'Returns one page, in the order of the request, without addresses. `bounced`: the mail server permanently refused the recipient or the email; `smtpStatus` has its response. `failed`: the mail server gave temporary errors until all attempts were used. Bounces from later servers do not appear here.',
    query: mailingRecipientQuerySchema,
    success: {
      description: 'a page of recipients',
      schema: mailingRecipientSchema,
      example: {
        ...{ index: 0, ticketId: 'T-5D1R7V0HJQ2N6P9S', state: 'bounced', attempts: 1 },
        ...{ reason: null, smtpStatus: '550 5.1.1', sentAt: null },
      },
    },
  },
  cancelMailing: {
    summary: 'Cancel a mailing',
    description:
      'Emails not yet sent are cancelled, and their addresses erased. Links already sent still work. Cancelling again changes nothing.',
    success: { description: 'the mailing', schema: mailingSchema, example: { ...mailing, state: 'cancelled' } },
    audit: 'mailing.cancel',
  },
  createMailingReminder: {
    summary: 'Send a reminder for a mailing',
    description:
      'Goes to recipients of the mailing who have neither enrolled nor declined. It is a separate mailing with a new link for each guest, because only hashes of links are stored. The earlier link works until it expires; enrolling with one link uses up both.',
    request: { schema: createMailingReminderRequestSchema, example: { validForHours: 72 } },
    success: {
      status: 201,
      description: 'accepted; the emails are sent in the background',
      schema: mailingSchema,
      headers: { Location: 'path of the mailing' },
      example: { ...mailing, remindsMailingId: exampleId('mlg') },
    },
    errors: stageErrors,
    audit: 'mailing.remind',
  },
} satisfies Descriptions;
