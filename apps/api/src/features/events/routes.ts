import { createEventRequestSchema, type EventResource, pageQuerySchema } from '@svc/protocol';
import type { Router } from 'express';
import type { AuthenticateAccount } from '../../http/authenticate.ts';
import { readJson } from '../../http/body.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { EventService } from './service.ts';
import type { EventRecord } from './store.ts';

const toResource = (event: EventRecord): EventResource => ({
  eventId: event.eventId,
  name: event.name,
  startsAt: event.startsAt.toISOString(),
  endsAt: event.endsAt.toISOString(),
  country: event.country,
  createdAt: event.createdAt.toISOString(),
});

export function mountEvents(
  router: Router,
  o: { readonly events: EventService; readonly authenticate: AuthenticateAccount },
): void {
  mount(router, '/v1/events', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      const page = await o.events.page(caller, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    },
    async post(request, response) {
      const caller = await o.authenticate(request);
      const event = await o.events.create(caller, await readJson(request, response, createEventRequestSchema));
      response.status(201).location(`/v1/events/${event.eventId}`).json(toResource(event));
    },
  });
  mount(router, '/v1/events/:eventId', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      response.json(toResource(await o.events.get(caller, pathParameter(request, 'eventId'))));
    },
  });
}
