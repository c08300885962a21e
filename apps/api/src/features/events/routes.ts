import {
  createEventRequestSchema,
  type EventResource,
  pageQuerySchema,
  updateEventRequestSchema,
  widgetSettingsSchema,
} from '@svc/protocol';
import type { Router } from 'express';
import type { Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
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
  o: { readonly events: EventService; readonly account: Guard<AccountCaller> },
): void {
  mount(router, '/v1/events', {
    get: o.account.call(async ({ caller, request, response }) => {
      const page = await o.events.page(caller, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    }),
    post: o.account.post(async ({ caller, body, once }) => {
      const event = await body(createEventRequestSchema);
      return once(
        (remember) => o.events.create(caller, event, remember),
        (created: EventRecord) => ({
          status: 201,
          location: `/v1/events/${created.eventId}`,
          body: toResource(created),
        }),
      );
    }),
  });
  mount(router, '/v1/events/:eventId', {
    get: o.account.call(async ({ caller, request, response }) => {
      response.json(toResource(await o.events.get(caller, pathParameter(request, 'eventId'))));
    }),
    patch: o.account.call(async ({ caller, body, request, response }) => {
      const eventId = pathParameter(request, 'eventId');
      const changes = await body(updateEventRequestSchema);
      response.json(toResource(await o.events.update(caller, eventId, changes)));
    }),
    delete: o.account.call(async ({ caller, request, response }) => {
      await o.events.delete(caller, pathParameter(request, 'eventId'));
      response.status(204).end();
    }),
  });
  mount(router, '/v1/events/:eventId/widget', {
    post: o.account.post(async ({ caller, request, body, once }) => {
      const eventId = pathParameter(request, 'eventId');
      const settings = await body(widgetSettingsSchema);
      return once(
        (remember) => o.events.setWidget(caller, eventId, settings, remember),
        (event: EventRecord) => ({ status: 200, body: toResource(event) }),
      );
    }),
  });
}
