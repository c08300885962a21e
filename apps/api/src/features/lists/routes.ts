import { createListRequestSchema, type ListResource, pageQuerySchema } from '@svc/protocol';
import type { Router } from 'express';
import type { AuthenticateAccount } from '../../http/authenticate.ts';
import { readJson } from '../../http/body.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { ListService, ListView } from './service.ts';

const toResource = (list: ListView): ListResource => ({
  listId: list.listId,
  name: list.name,
  eventId: list.eventId,
  country: list.country,
  consentVersion: list.consentVersion,
  enrollmentClosed: list.enrollmentClosedAt !== null,
  retainDays: list.retainDays,
  retentionDeadline: list.retentionDeadline?.toISOString() ?? null,
  endedAt: list.endedAt?.toISOString() ?? null,
  createdAt: list.createdAt.toISOString(),
});

export function mountLists(
  router: Router,
  o: { readonly lists: ListService; readonly authenticate: AuthenticateAccount },
): void {
  mount(router, '/v1/lists', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      const page = await o.lists.page(caller, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    },
    async post(request, response) {
      const caller = await o.authenticate(request);
      const list = await o.lists.create(caller, await readJson(request, response, createListRequestSchema));
      response.status(201).location(`/v1/lists/${list.listId}`).json(toResource(list));
    },
  });
  mount(router, '/v1/lists/:listId', {
    async get(request, response) {
      const caller = await o.authenticate(request);
      response.json(toResource(await o.lists.get(caller, pathParameter(request, 'listId'))));
    },
    async delete(request, response) {
      const caller = await o.authenticate(request);
      await o.lists.delete(caller, pathParameter(request, 'listId'));
      response.status(204).end();
    },
  });
  mount(router, '/v1/lists/:listId/close-enrollment', {
    async post(request, response) {
      const caller = await o.authenticate(request);
      response.json(toResource(await o.lists.closeEnrollment(caller, pathParameter(request, 'listId'))));
    },
  });
  mount(router, '/v1/lists/:listId/end', {
    async post(request, response) {
      const caller = await o.authenticate(request);
      response.json(toResource(await o.lists.end(caller, pathParameter(request, 'listId'))));
    },
  });
}
