import { mapPage } from '../../platform/paging.ts';
import { toResource as toEventResource } from '../events/routes.ts';
import type { EventView } from '../events/service.ts';
import { type Handlers, pick } from '../handlers.ts';
import type { CountedList, ListService, ListSummary } from './service.ts';

const toResource = (list: ListSummary) => ({
  ...pick(
    list,
    ['listId', 'name', 'state', 'people', 'devices', 'eventId', 'country', 'consentVersion', 'modelId'],
    ['headTurnAlternative', 'photoSource', 'photoCheck', 'reEntry', 'attendance', 'checkInUrl', 'checkInSecretAt'],
    [
      'reEntryScope',
      'retainDays',
      'retentionDeadline',
      'endedAt',
      'arrivals',
      'enrolmentGoal',
      'metadata',
      'createdAt',
    ],
  ),
  enrollmentClosed: list.enrollmentClosedAt !== null,
});

const toAnswer = (list: ListSummary) => ({ body: toResource(list) });

const toCounted = (list: CountedList) => ({ ...toResource(list), models: list.models });

export const listHandlers = (o: { readonly lists: ListService }) =>
  ({
    createList: ({ caller, body, once }) =>
      once(
        (remember) => o.lists.create(caller, body, remember),
        (created: ListSummary) => ({ location: `/v1/lists/${created.listId}`, body: toResource(created) }),
      ),
    copyEvent: ({ caller, params, body, once }) =>
      once(
        (remember) => o.lists.copyEvent(caller, params.eventId, body, remember),
        (copy: EventView) => ({ location: `/v1/events/${copy.eventId}`, body: toEventResource(copy) }),
      ),
    listLists: async ({ caller, query }) => mapPage(await o.lists.page(caller, query), toResource),
    getList: async ({ caller, params }) => toCounted(await o.lists.count(caller, params.listId)),
    getListImpact: ({ caller, params }) => o.lists.impact(caller, params.listId),
    updateList: async ({ caller, params, body }) => toResource(await o.lists.update(caller, params.listId, body)),
    deleteList: ({ caller, params }) => o.lists.delete(caller, params.listId),
    closeEnrollment: ({ caller, params, once }) =>
      once((remember) => o.lists.closeEnrollment(caller, params.listId, remember), toAnswer),
    changeModel: ({ caller, params, body, once }) =>
      once((remember) => o.lists.changeModel(caller, params.listId, body.modelId, remember), toAnswer),
    rotateCheckInSecret: ({ caller, params: { listId }, once }) =>
      once(
        (remember) => o.lists.rotateCheckInSecret(caller, listId, remember),
        (secret: string) => ({ body: { secret }, secretOf: listId }),
      ),
    endList: ({ caller, params, once }) => once((remember) => o.lists.end(caller, params.listId, remember), toAnswer),
    undoEndList: ({ caller, params, once }) =>
      once((remember) => o.lists.undoEnd(caller, params.listId, remember), toAnswer),
  }) satisfies Partial<Handlers>;
