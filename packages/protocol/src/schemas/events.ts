import * as z from 'zod';
import { MAX_URL_CHARS } from '../limits.ts';
import {
  collectionSchema,
  countrySchema,
  idSchema,
  nameSchema,
  timestampInputSchema,
  timestampSchema,
} from './common.ts';

export const createEventRequestSchema = z
  .object({
    name: nameSchema,
    startsAt: timestampInputSchema,
    endsAt: timestampInputSchema,
    country: countrySchema.optional(),
  })
  .refine((event) => Date.parse(event.endsAt) > Date.parse(event.startsAt), {
    path: ['endsAt'],
    error: 'must be later than startsAt',
  });
export type CreateEventRequest = z.infer<typeof createEventRequestSchema>;

/** What changes; the rest stays. That the end is later than the start is looked at with what the event has already. */
export const updateEventRequestSchema = z.object({
  name: nameSchema.optional(),
  startsAt: timestampInputSchema.optional(),
  endsAt: timestampInputSchema.optional(),
  country: countrySchema.nullable().optional(),
});
export type UpdateEventRequest = z.infer<typeof updateEventRequestSchema>;

/** URL parsers skip blanks and control characters; a name and a password before the host are never shown to guests. */
const PLAIN_HTTPS_URL = /^https:\/\/[^\s\p{Cc}@/?#]+([/?#][^\s\p{Cc}]*)?$/u;

const isPlainHttpsUrl = (text: string) =>
  text.length <= MAX_URL_CHARS && PLAIN_HTTPS_URL.test(text) && URL.canParse(text);

const privacyNoticeUrlSchema = z
  .string()
  .refine(isPlainHttpsUrl, { error: `must be an https:// address of at most ${MAX_URL_CHARS} characters` })
  .meta({
    format: 'uri',
    pattern: '^https://',
    maxLength: MAX_URL_CHARS,
    examples: ['https://example.org/face-check-in-privacy'],
  });

/** What the widget tells guests of the organiser. */
export const widgetSettingsSchema = z.object({
  organiserName: nameSchema.meta({ description: 'as guests know the organiser' }),
  privacyNoticeUrl: privacyNoticeUrlSchema.meta({ description: 'the organiser’s face check-in privacy notice' }),
});
export type WidgetSettings = z.infer<typeof widgetSettingsSchema>;

export const eventSchema = z.object({
  eventId: idSchema('evt'),
  name: nameSchema,
  startsAt: timestampSchema,
  endsAt: timestampSchema,
  country: countrySchema.nullable(),
  widget: widgetSettingsSchema.nullable().meta({ description: 'null until they are set' }),
  createdAt: timestampSchema,
});
export type EventResource = z.infer<typeof eventSchema>;

export const eventCollectionSchema = collectionSchema(eventSchema);
