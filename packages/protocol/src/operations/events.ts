import * as z from 'zod';
import {
  countrySchema,
  countSchema,
  exampleId,
  idSchema,
  nameSchema,
  pageQuerySchema,
  requestSchemas,
  responseSchemas,
  secretSchema,
  timestampInputSchema,
  timestampSchema,
} from '../common.ts';
import { MAX_PLACE_CODE_POINTS, MAX_URL_CHARS, MAX_WIDGET_SETTINGS_BODY_BYTES } from '../limits.ts';
import { metadataChangeSchema, metadataFilterSchema, metadataSchema } from '../metadata.ts';
import { isPlainHttpsUrl, lineSchema } from '../text.ts';
import { brandChangeSchema, brandSchema } from './brand.ts';
import type { Descriptions } from './descriptions.ts';
import { listStateSchema } from './lists.ts';

/** Whether a name of the time zone database is known here; offsets such as `+02:00` are no time zones of a place. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const timeZoneSchema = z
  .string()
  .refine(isTimeZone, { error: 'must be a time zone of the IANA database' })
  .meta({
    pattern: '^[A-Za-z][A-Za-z0-9_+\\-/]{0,63}$',
    maxLength: 64,
    description: 'of the place, from the IANA time zone database: for showing the times; no time depends on it',
    examples: ['Europe/Berlin'],
  });

const placeSchema = lineSchema(MAX_PLACE_CODE_POINTS, z.string().trim()).meta({
  description: 'where it is, as guests are told once they are enrolled: plain text, white space around it is removed',
  examples: ['Riverside Hall, north entrance'],
});

/** When and where an event is, for guests. */
export const eventShownSchema = z
  .object({ startsAt: timestampSchema, timeZone: timeZoneSchema.nullable(), place: placeSchema.nullable() })
  .register(responseSchemas, { id: 'EventShown' });

/** Where an event is in its time. */
const eventStates = ['upcoming', 'running', 'over'] as const;
export type EventState = (typeof eventStates)[number];
const eventStateSchema = z.enum(eventStates);

export const createEventRequestSchema = z
  .object({
    name: nameSchema,
    startsAt: timestampInputSchema,
    endsAt: timestampInputSchema,
    timeZone: timeZoneSchema.nullable().optional(),
    place: placeSchema.nullable().optional(),
    country: countrySchema.nullable().optional(),
    metadata: metadataChangeSchema,
  })
  .refine((event) => Date.parse(event.endsAt) > Date.parse(event.startsAt), {
    path: ['endsAt'],
    error: 'must be later than startsAt',
  })
  .register(requestSchemas, { id: 'CreateEventRequest' });
export type CreateEventRequest = z.infer<typeof createEventRequestSchema>;

/** Fields to change. `endsAt` > `startsAt` is checked against the stored event. */
const updateEventRequestSchema = z
  .object({
    name: nameSchema.optional(),
    startsAt: timestampInputSchema.optional(),
    endsAt: timestampInputSchema.optional(),
    timeZone: timeZoneSchema.nullable().optional(),
    place: placeSchema.nullable().optional(),
    country: countrySchema.nullable().optional(),
    metadata: metadataChangeSchema,
  })
  .register(requestSchemas, { id: 'UpdateEventRequest' });
export type UpdateEventRequest = z.infer<typeof updateEventRequestSchema>;

const privacyNoticeUrlSchema = z
  .string()
  .refine(isPlainHttpsUrl, { error: `must be an https:// address of at most ${MAX_URL_CHARS} characters` })
  .meta({
    format: 'uri',
    pattern: '^https://',
    maxLength: MAX_URL_CHARS,
    examples: ['https://example.org/face-check-in-privacy'],
  });

/** Who the organiser is, as the widget tells guests. */
export const organiserSchema = z
  .object({
    organiserName: nameSchema.describe('as guests know the organiser'),
    privacyNoticeUrl: privacyNoticeUrlSchema.describe('the organiser’s face check-in privacy notice'),
  })
  .register(responseSchemas, { id: 'Organiser' });
export type Organiser = z.infer<typeof organiserSchema>;

/** Organiser and looks. A `brand` that is absent stays, and one that is null is removed. */
const setWidgetSettingsRequestSchema = organiserSchema
  .extend({
    brand: brandChangeSchema
      .nullable()
      .optional()
      .describe('how the widget looks: what is absent stays, what is null is removed'),
  })
  .register(requestSchemas, { id: 'SetWidgetSettingsRequest' });
export type SetWidgetSettingsRequest = z.infer<typeof setWidgetSettingsRequestSchema>;

/** The settings as they are kept. */
export const widgetSettingsSchema = organiserSchema
  .extend({ brand: brandSchema.nullable().describe('null until one is set') })
  .register(responseSchemas, { id: 'WidgetSettings' });
export type WidgetSettings = z.infer<typeof widgetSettingsSchema>;

/** A preview of the widget for the organiser; its link is never shown again. */
const createdWidgetPreviewSchema = z
  .object({
    token: secretSchema('svce', 'for a page that shows the widget; shown once'),
    url: z.string().describe('the page by itself; holds the token'),
    expiresAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'CreatedWidgetPreview' });
export type CreatedWidgetPreview = z.infer<typeof createdWidgetPreviewSchema>;

const eventCountsSchema = z.object({
  people: countSchema.describe('enrolled into the list'),
  devices: countSchema.describe('of the list, without revoked ones'),
});

/** Query of the events: a page of all, or of those in one state. */
const listEventsQuerySchema = pageQuerySchema.extend({
  state: eventStateSchema.optional().describe('events that are before, in or after their time now'),
  metadata: metadataFilterSchema,
});

const eventSchema = z
  .object({
    eventId: idSchema('evt'),
    name: nameSchema,
    startsAt: timestampSchema,
    endsAt: timestampSchema,
    timeZone: timeZoneSchema.nullable(),
    place: placeSchema.nullable(),
    state: eventStateSchema.describe('by the service’s clock: before, during or after the event'),
    country: countrySchema.nullable(),
    listId: idSchema('lst').nullable().describe('the event’s list; null as long as it has none'),
    listState: listStateSchema.nullable(),
    counts: eventCountsSchema.nullable().describe('of its list; null as long as it has none'),
    widget: organiserSchema.nullable().describe('who the widget says the organiser is; null until it is set'),
    metadata: metadataSchema.optional(),
    createdAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'Event' });
export type EventResource = z.infer<typeof eventSchema>;

const asked = {
  name: 'Summer concert',
  startsAt: '2026-06-20T18:00:00Z',
  endsAt: '2026-06-20T23:00:00Z',
  timeZone: 'Europe/Berlin',
  place: 'Riverside Hall, north entrance',
  country: 'DE',
} as const;
const organiser = {
  organiserName: 'Riverside Hall',
  privacyNoticeUrl: 'https://example.org/face-check-in-privacy',
} as const;
/** The logo is a pixel. */
const branded = {
  logo: {
    imageBase64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  },
  accent: '#7a1fa2',
  font: 'Inter, Arial, sans-serif',
  radius: 8,
  theme: 'light',
  heading: { en: 'Walk in with a smile' },
  benefit: { en: 'Your own lane at the north gate, without a search for your ID.' },
} as const;
const event = {
  ...asked,
  eventId: exampleId('evt'),
  startsAt: '2026-06-20T18:00:00.000Z',
  endsAt: '2026-06-20T23:00:00.000Z',
  state: 'upcoming',
  listId: exampleId('lst'),
  listState: 'open',
  counts: { people: 412, devices: 3 },
  widget: organiser,
  metadata: { season: '2026' },
  createdAt: '2026-05-01T08:15:00.000Z',
} as const;

const widgetSettingsChange = {
  request: {
    schema: setWidgetSettingsRequestSchema,
    limitBytes: MAX_WIDGET_SETTINGS_BODY_BYTES,
    example: { ...organiser, brand: branded },
  },
  success: { description: 'the event with its settings', schema: eventSchema, example: event },
  errors: ['logo-invalid'],
  audit: 'widget-settings.set',
} as const;

export const eventOperations = {
  createEvent: {
    summary: 'Create an event',
    description:
      'The name is for the organiser’s own records, and on the screens of the devices of the event’s list. Times are in UTC; `timeZone` only says how to show them; `country` only prefills the country of the event’s list.',
    request: { schema: createEventRequestSchema, example: asked },
    success: {
      status: 201,
      description: 'created',
      schema: eventSchema,
      example: { ...event, listId: null, listState: null, counts: null, widget: null },
      headers: { Location: 'path of the event' },
    },
    audit: 'event.create',
  },
  listEvents: {
    summary: 'List the events',
    description:
      'One page, newest first; follow `nextCursor` until it is null. With `state` those that are before, in or after their time.',
    query: listEventsQuerySchema,
    success: { description: 'a page of events, newest first', schema: eventSchema, example: event },
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
  copyEvent: {
    summary: 'Copy an event',
    description:
      'A new event with the organiser and the looks of this one, its place, time zone and country where they are absent, and with a list of the same settings where this one has a list, which needs `lists:write` too. Not copied are people, guests’ links, devices, the secret of check-ins and the model: the new list has the deployment’s standard model.',
    request: {
      schema: createEventRequestSchema,
      example: { name: 'Autumn concert', startsAt: '2026-10-03T18:00:00Z', endsAt: '2026-10-03T23:00:00Z' },
    },
    success: {
      status: 201,
      description: 'copied',
      schema: eventSchema,
      example: { ...event, counts: { people: 0, devices: 0 } },
      headers: { Location: 'path of the new event' },
    },
    errors: ['test-limit-reached', 'event-ended', 'model-unavailable', 'check-in-origin-not-allowed'],
    audit: 'event.create',
  },
  setWidgetSettings: {
    summary: 'Set what the widget tells guests of the organiser',
    description:
      'The organiser’s name as guests know it and the link to its face check-in privacy notice. Needed before enrolment tokens are created; replaces both, also for tokens that are there. `brand` changes how the widget looks: what is absent stays, what is null is removed. The service redraws the logo as a PNG of at most 480 × 160 pixels without metadata; SVG is refused.',
    ...widgetSettingsChange,
  },
  replaceWidgetSettings: {
    summary: 'Replace the widget settings',
    description:
      'As the POST sets them, but as a whole: a brand, or a part of one, that is absent is removed. What `GET` answers can be sent back.',
    ...widgetSettingsChange,
  },
  getWidgetSettings: {
    summary: 'Read the widget settings',
    description: 'Organiser and brand, the logo as the service drew it. 404 also as long as none are set.',
    success: {
      description: 'the settings',
      schema: widgetSettingsSchema,
      example: {
        ...organiser,
        brand: { ...branded, logo: { imageBase64: branded.logo.imageBase64, width: 1, height: 1 }, theme: 'auto' },
      },
    },
  },
  createWidgetPreview: {
    summary: 'Preview the widget',
    description:
      'Accepts the same settings and keeps them for 30 minutes behind their own link; guests keep seeing the current settings. The page shows all steps and says that it is a preview. No one can be enrolled with it: no photo leaves the browser, and the service would refuse one. The ten latest previews of an event are kept.',
    request: {
      schema: setWidgetSettingsRequestSchema,
      limitBytes: MAX_WIDGET_SETTINGS_BODY_BYTES,
      example: { ...organiser, brand: { accent: '#ffd400' } },
    },
    success: {
      status: 201,
      description: 'created; the link is shown only once',
      schema: createdWidgetPreviewSchema,
      example: {
        token: 'svce_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm',
        url: 'https://widget.example.org/#svce_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm',
        expiresAt: '2026-06-01T10:00:00.000Z',
      },
    },
    errors: ['logo-invalid', 'event-without-list'],
    audit: 'widget-preview.create',
  },
} satisfies Descriptions;
