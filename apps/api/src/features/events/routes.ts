import type { EventResource } from '@svc/protocol';
import type { Handlers } from '../handlers.ts';
import type { EventService } from './service.ts';
import type { EventRecord } from './store.ts';

/** An event as its organiser sees it. */
export const toResource = (event: EventRecord): EventResource => ({
  eventId: event.eventId,
  name: event.name,
  startsAt: event.startsAt.toISOString(),
  endsAt: event.endsAt.toISOString(),
  country: event.country,
  widget: event.widget,
  createdAt: event.createdAt.toISOString(),
});

export const eventHandlers = (o: { readonly events: EventService }) =>
  ({
    createEvent: ({ caller, body, once }) =>
      once(
        (remember) => o.events.create(caller, body, remember),
        (created: EventRecord) => ({ location: `/v1/events/${created.eventId}`, body: toResource(created) }),
      ),
    async listEvents({ caller, query }) {
      const { items, nextCursor } = await o.events.page(caller, query);
      return { items: items.map(toResource), nextCursor };
    },
    getEvent: async ({ caller, params }) => toResource(await o.events.get(caller, params.eventId)),
    updateEvent: async ({ caller, params, body }) => toResource(await o.events.update(caller, params.eventId, body)),
    deleteEvent: ({ caller, params }) => o.events.delete(caller, params.eventId),
  }) satisfies Partial<Handlers>;
