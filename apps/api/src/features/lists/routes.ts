import {
  type CountedListResource,
  changeModelRequestSchema,
  createListRequestSchema,
  type ListResource,
  pageQuerySchema,
  updateListRequestSchema,
} from '@svc/protocol';
import type { Router } from 'express';
import type { Guard } from '../../http/guard.ts';
import { pathParameter, readQuery } from '../../http/query.ts';
import { mount } from '../../http/routing.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { CountedList, ListService, ListView } from './service.ts';

const toResource = (list: ListView): ListResource => ({
  listId: list.listId,
  name: list.name,
  eventId: list.eventId,
  country: list.country,
  consentVersion: list.consentVersion,
  modelId: list.modelId,
  enrollmentClosed: list.enrollmentClosedAt !== null,
  headTurnAlternative: list.headTurnAlternative,
  photoSource: list.photoSource,
  photoCheck: list.photoCheck,
  retainDays: list.retainDays,
  retentionDeadline: list.retentionDeadline?.toISOString() ?? null,
  endedAt: list.endedAt?.toISOString() ?? null,
  createdAt: list.createdAt.toISOString(),
});

const toCounted = (list: CountedList): CountedListResource => ({
  ...toResource(list),
  models: list.models.map(({ modelId, engineId, people }) => ({ modelId, engineId, people })),
});

export function mountLists(
  router: Router,
  o: { readonly lists: ListService; readonly account: Guard<AccountCaller> },
): void {
  mount(router, '/v1/lists', {
    get: o.account.call(async ({ caller, request, response }) => {
      const page = await o.lists.page(caller, readQuery(request, pageQuerySchema));
      response.json({ items: page.items.map(toResource), nextCursor: page.nextCursor });
    }),
    post: o.account.post(async ({ caller, body, once }) => {
      const list = await body(createListRequestSchema);
      return once(
        (remember) => o.lists.create(caller, list, remember),
        (created: ListView) => ({ status: 201, location: `/v1/lists/${created.listId}`, body: toResource(created) }),
      );
    }),
  });
  mount(router, '/v1/lists/:listId', {
    get: o.account.call(async ({ caller, request, response }) => {
      response.json(toCounted(await o.lists.count(caller, pathParameter(request, 'listId'))));
    }),
    patch: o.account.call(async ({ caller, body, request, response }) => {
      const changes = await body(updateListRequestSchema);
      response.json(toResource(await o.lists.update(caller, pathParameter(request, 'listId'), changes)));
    }),
    delete: o.account.call(async ({ caller, request, response }) => {
      await o.lists.delete(caller, pathParameter(request, 'listId'));
      response.status(204).end();
    }),
  });
  mount(router, '/v1/lists/:listId/close-enrollment', {
    post: o.account.post(({ caller, request, once }) =>
      once(
        (remember) => o.lists.closeEnrollment(caller, pathParameter(request, 'listId'), remember),
        (list: ListView) => ({ status: 200, body: toResource(list) }),
      ),
    ),
  });
  mount(router, '/v1/lists/:listId/change-model', {
    post: o.account.post(async ({ caller, request, body, once }) => {
      const { modelId } = await body(changeModelRequestSchema, { optional: true });
      return once(
        (remember) => o.lists.changeModel(caller, pathParameter(request, 'listId'), modelId, remember),
        (list: ListView) => ({ status: 200, body: toResource(list) }),
      );
    }),
  });
  mount(router, '/v1/lists/:listId/end', {
    post: o.account.post(({ caller, request, once }) =>
      once(
        (remember) => o.lists.end(caller, pathParameter(request, 'listId'), remember),
        (list: ListView) => ({ status: 200, body: toResource(list) }),
      ),
    ),
  });
}
