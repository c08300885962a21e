import {
  createEventRequestSchema,
  type EventResource,
  pageQuerySchema,
  updateEventRequestSchema,
  widgetSettingsSchema,
} from '@svc/protocol';
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
  widget: event.widget,
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
    async patch(request, response) {
      const caller = await o.authenticate(request);
      const eventId = pathParameter(request, 'eventId');
      const body = await readJson(request, response, updateEventRequestSchema);
      response.json(toResource(await o.events.update(caller, eventId, body)));
    },
    async delete(request, response) {
      const caller = await o.authenticate(request);
      await o.events.delete(caller, pathParameter(request, 'eventId'));
      response.status(204).end();
    },
  });
  mount(router, '/v1/events/:eventId/widget', {
    async post(request, response) {
      const caller = await o.authenticate(request);
      const eventId = pathParameter(request, 'eventId');
      const settings = await readJson(request, response, widgetSettingsSchema);
      response.json(toResource(await o.events.setWidget(caller, eventId, settings)));
    },
  });
}
