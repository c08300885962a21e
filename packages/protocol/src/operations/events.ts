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
    description: 'IANA time zone of the place, only for displaying times',
    examples: ['Europe/Berlin'],
  });

const placeSchema = lineSchema(MAX_PLACE_CODE_POINTS, z.string().trim()).meta({
  description: 'where the event is, shown to guests once they are enrolled; plain text, outer white space is removed',
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
    organiserName: nameSchema.describe('name under which guests know the organiser'),
    privacyNoticeUrl: privacyNoticeUrlSchema.describe('URL of the organiser’s privacy notice for face check-in'),
  })
  .register(responseSchemas, { id: 'Organiser' });
export type Organiser = z.infer<typeof organiserSchema>;

/** Organiser and looks. A `brand` that is absent stays, and one that is null is removed. */
const setWidgetSettingsRequestSchema = organiserSchema
  .extend({
    brand: brandChangeSchema
      .nullable()
      .optional()
      .describe('how the widget looks. In a POST, fields that you leave out stay; null removes a field'),
  })
  .register(requestSchemas, { id: 'SetWidgetSettingsRequest' });
export type SetWidgetSettingsRequest = z.infer<typeof setWidgetSettingsRequestSchema>;

/** The settings as they are kept. */
export const widgetSettingsSchema = organiserSchema
  .extend({ brand: brandSchema.nullable().describe('null until a brand is set') })
  .register(responseSchemas, { id: 'WidgetSettings' });
export type WidgetSettings = z.infer<typeof widgetSettingsSchema>;

/** A preview of the widget for the organiser; its link is never shown again. */
const createdWidgetPreviewSchema = z
  .object({
    token: secretSchema('svce', 'for a page that shows the widget; only shown in this response'),
    url: z.string().describe('URL of a preview page; contains the token'),
    expiresAt: timestampSchema,
  })
  .register(responseSchemas, { id: 'CreatedWidgetPreview' });
export type CreatedWidgetPreview = z.infer<typeof createdWidgetPreviewSchema>;

const eventCountsSchema = z.object({
  people: countSchema.describe('number of people enrolled'),
  devices: countSchema.describe('number of the list’s devices, without revoked ones'),
});

/** Query of the events: a page of all, or of those in one state. */
const listEventsQuerySchema = pageQuerySchema.extend({
  state: eventStateSchema.optional().describe('only events in this state now'),
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
    listId: idSchema('lst').nullable().describe('the event’s list; null while it has none'),
    listState: listStateSchema.nullable().optional().describe('state of the event’s list; null while it has none'),
    counts: eventCountsSchema.nullable().describe('counts of the event’s list; null while it has none'),
    widget: organiserSchema.nullable().describe('the organiser as the widget shows it; null until it is set'),
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
      'Guests see the name in the widget and in emails; devices of the event’s list show it on their screens. Times are in UTC, and `timeZone` only says how to display them. `country` is only the default for the country of the event’s list.',
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
    summary: 'List events',
    description: 'Returns one page, newest first; follow `nextCursor` until it is null.',
    query: listEventsQuerySchema,
    success: { description: 'a page of events, newest first', schema: eventSchema, example: event },
  },
  getEvent: {
    summary: 'Read an event',
    description: 'Returns the event, with its list, counts and organiser.',
    success: { description: 'the event', schema: eventSchema, example: event },
  },
  updateEvent: {
    summary: 'Change an event',
    description:
      'Fields that you leave out stay as they are. Moving the end also moves the retention deadline of the event’s list and the expiry of its devices. An earlier end shortens the retention of every face. A later end does not extend it, because people consented to their `deleteAfter`.',
    request: { schema: updateEventRequestSchema, example: { endsAt: '2026-06-20T23:30:00Z' } },
    success: { description: 'the event, changed', schema: eventSchema, example: event },
    errors: ['event-ended'],
    audit: 'event.update',
  },
  deleteEvent: {
    summary: 'Delete an event',
    description: 'Works only for an event without a list. Delete the list first, which deletes its faces.',
    success: { status: 204, description: 'deleted' },
    errors: ['event-has-list'],
    audit: 'event.delete',
  },
  copyEvent: {
    summary: 'Copy an event',
    description:
      'Creates an event with the widget settings of this one. Place, time zone, country and metadata are copied if you leave them out. If this event has a list, the new event gets a list with the same settings, and you also need `lists:write`. People, guest links, devices, the check-in secret and the model are not copied; the new list uses the deployment’s standard model.',
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
    summary: 'Set the widget settings',
    description:
      'Sets the organiser’s name and the URL of its privacy notice for face check-in, also for existing tokens. You must set both before you create enrolment tokens. `brand` changes how the widget looks: fields that you leave out stay, and null removes a field. The service converts the logo to a PNG of at most 480 × 160 pixels without metadata; SVG is refused.',
    ...widgetSettingsChange,
  },
  replaceWidgetSettings: {
    summary: 'Replace the widget settings',
    description:
      'Like the POST, but replaces all settings: if you leave out `brand` or a field of it, it is removed. You can send back what `GET` returns.',
    ...widgetSettingsChange,
  },
  getWidgetSettings: {
    summary: 'Read the widget settings',
    description:
      'Returns the organiser and brand, with the converted logo. Also returns 404 while there are no settings.',
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
      'Takes the same settings and returns a link that shows them for 30 minutes; guests continue to see the current settings. The page shows all steps and says that it is a preview. It cannot enrol anyone: no photo leaves the browser, and the service would refuse it. Only the latest ten previews of an event are kept.',
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
