import { eventId, JSON_BODY, type Operation, PAGE, page } from '../operation.ts';

const example = {
  name: 'Summer concert',
  startsAt: '2026-06-20T18:00:00Z',
  endsAt: '2026-06-20T23:00:00Z',
  country: 'DE',
} as const;

export const eventOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/events',
    operationId: 'createEvent',
    tag: 'Events',
    summary: 'Create an event',
    security: 'apiKey',
    request: { schema: 'CreateEventRequest', required: true, example: example },
    success: { status: 201, description: 'created', schema: 'Event', headers: { Location: 'path of the event' } },
    errors: [...JSON_BODY],
  },
  {
    method: 'get',
    path: '/v1/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List the events',
    security: 'apiKey',
    parameters: page,
    success: { status: 200, description: 'a page of events, newest first', schema: 'EventCollection' },
    errors: [...PAGE],
  },
  {
    method: 'get',
    path: '/v1/events/{eventId}',
    operationId: 'getEvent',
    tag: 'Events',
    summary: 'Read an event',
    security: 'apiKey',
    parameters: [eventId],
    success: { status: 200, description: 'the event', schema: 'Event' },
    errors: ['not-found'],
  },
];
