import { eventId, exampleId, JSON_BODY, type Operation, PAGE, page } from '../operation.ts';

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

export const eventOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/events',
    operationId: 'createEvent',
    tag: 'Events',
    summary: 'Create an event',
    description:
      'The name is for the organiser’s own records. Times are in UTC; `country` only prefills the country of the event’s list.',
    security: 'apiKey',
    request: { schema: 'CreateEventRequest', required: true, example: asked },
    success: {
      status: 201,
      description: 'created',
      schema: 'Event',
      example: event,
      headers: { Location: 'path of the event' },
    },
    errors: [...JSON_BODY],
  },
  {
    method: 'get',
    path: '/v1/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List the events',
    description: 'One page, newest first; follow `nextCursor` until it is null.',
    security: 'apiKey',
    parameters: page,
    success: {
      status: 200,
      description: 'a page of events, newest first',
      schema: 'EventCollection',
      example: { items: [event], nextCursor: null },
    },
    errors: [...PAGE],
  },
  {
    method: 'get',
    path: '/v1/events/{eventId}',
    operationId: 'getEvent',
    tag: 'Events',
    summary: 'Read an event',
    description: 'The event as it was created or last changed.',
    security: 'apiKey',
    parameters: [eventId],
    success: { status: 200, description: 'the event', schema: 'Event', example: event },
    errors: ['not-found'],
  },
];
