import { mapPage } from '../../platform/paging.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { EventService, EventView } from './service.ts';

/** An event as its organiser sees it. */
export const toResource = (event: EventView) => ({
  ...pick(
    event,
    ['eventId', 'name', 'startsAt', 'endsAt', 'timeZone', 'place', 'state', 'country'],
    ['widget', 'metadata', 'createdAt'],
  ),
  listId: event.counts?.listId ?? null,
  listState: event.counts?.state ?? null,
  counts: event.counts && pick(event.counts, ['people', 'devices']),
});

export const eventHandlers = (o: { readonly events: EventService }) =>
  ({
    createEvent: ({ caller, body, once }) =>
      once(
        (remember) => o.events.create(caller, body, remember),
        (created: EventView) => ({ location: `/v1/events/${created.eventId}`, body: toResource(created) }),
      ),
    listEvents: async ({ caller, query }) => mapPage(await o.events.page(caller, query), toResource),
    getEvent: async ({ caller, params }) => toResource(await o.events.read(caller, params.eventId)),
    updateEvent: async ({ caller, params, body }) => toResource(await o.events.update(caller, params.eventId, body)),
    deleteEvent: ({ caller, params }) => o.events.delete(caller, params.eventId),
  }) satisfies Partial<Handlers>;
