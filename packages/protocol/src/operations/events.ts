import * as z from 'zod';
import { MAX_URL_CHARS } from '../limits.ts';
import {
  answered,
  countrySchema,
  exampleId,
  idSchema,
  nameSchema,
  pageQuerySchema,
  sent,
  timestampInputSchema,
  timestampSchema,
} from './common.ts';
import type { Descriptions } from './descriptions.ts';

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
  })
  .register(sent, { id: 'CreateEventRequest' });
export type CreateEventRequest = z.infer<typeof createEventRequestSchema>;

/** Fields to change. `endsAt` > `startsAt` is checked against the stored event. */
export const updateEventRequestSchema = z
  .object({
    name: nameSchema.optional(),
    startsAt: timestampInputSchema.optional(),
    endsAt: timestampInputSchema.optional(),
    country: countrySchema.nullable().optional(),
  })
  .register(sent, { id: 'UpdateEventRequest' });
export type UpdateEventRequest = z.infer<typeof updateEventRequestSchema>;

/** URL parsers ignore spaces and control characters, so they are refused; so is user information before the host. */
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

/** What the widget shows guests about the organiser. */
export const widgetSettingsSchema = z
  .object({
    organiserName: nameSchema.meta({ description: 'as guests know the organiser' }),
    privacyNoticeUrl: privacyNoticeUrlSchema.meta({ description: 'the organiser’s face check-in privacy notice' }),
  })
  .register(sent, { id: 'WidgetSettings' });
export type WidgetSettings = z.infer<typeof widgetSettingsSchema>;

export const eventSchema = z
  .object({
    eventId: idSchema('evt'),
    name: nameSchema,
    startsAt: timestampSchema,
    endsAt: timestampSchema,
    country: countrySchema.nullable(),
    widget: widgetSettingsSchema.nullable().meta({ description: 'null until they are set' }),
    createdAt: timestampSchema,
  })
  .register(answered, { id: 'Event' });
export type EventResource = z.infer<typeof eventSchema>;

const asked = {
  name: 'Summer concert',
  startsAt: '2026-06-20T18:00:00Z',
  endsAt: '2026-06-20T23:00:00Z',
  country: 'DE',
} as const;
const event = {
  ...asked,
  eventId: exampleId('evt'),
  startsAt: '2026-06-20T18:00:00.000Z',
  endsAt: '2026-06-20T23:00:00.000Z',
  widget: { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/face-check-in-privacy' },
  createdAt: '2026-05-01T08:15:00.000Z',
} as const;

export const eventOperations = {
  createEvent: {
    summary: 'Create an event',
    description:
      'The name is for the organiser’s own records. Times are in UTC; `country` only prefills the country of the event’s list.',
    request: { schema: createEventRequestSchema, example: asked },
    success: {
      status: 201,
      description: 'created',
      schema: eventSchema,
      example: event,
      headers: { Location: 'path of the event' },
    },
    audit: 'event.create',
  },
  listEvents: {
    summary: 'List the events',
    description: 'One page, newest first; follow `nextCursor` until it is null.',
    query: pageQuerySchema,
    success: {
      description: 'a page of events, newest first',
      schema: eventSchema,
      example: event,
    },
  },
  getEvent: {
    summary: 'Read an event',
    description: 'The event as it was created or last changed.',
    success: { description: 'the event', schema: eventSchema, example: event },
  },
  updateEvent: {
    summary: 'Change an event',
    description:
      'What is absent stays. Moving the end moves the retention deadline of the event’s list and the expiry of its devices. A sooner end shortens what is kept of everybody; a later one does not lengthen what people consented to, so faces that are there keep their `deleteAfter`.',
    request: { schema: updateEventRequestSchema, example: { endsAt: '2026-06-20T23:30:00Z' } },
    success: { description: 'the event, changed', schema: eventSchema, example: event },
    errors: ['event-ended'],
    audit: 'event.update',
  },
  deleteEvent: {
    summary: 'Delete an event',
    description: 'Only an event without a list: deleting faces is an act of its own, so delete the list first.',
    success: { status: 204, description: 'deleted' },
    errors: ['event-has-list'],
    audit: 'event.delete',
  },
  setWidgetSettings: {
    summary: 'Set what the widget tells guests of the organiser',
    description:
      'The organiser’s name as guests know it and the link to its face check-in privacy notice. Needed before enrolment tokens are created; replaces both, also for tokens that are there.',
    request: {
      schema: widgetSettingsSchema,
      example: { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/face-check-in-privacy' },
    },
    success: { description: 'the event with its settings', schema: eventSchema, example: event },
    audit: 'widget-settings.set',
  },
} satisfies Descriptions;
