import { exampleId, exampleModelId, JSON_BODY, listId, type Operation, PAGE, page } from '../operation.ts';

const asked = { name: 'Season ticket holders', country: 'GB', ongoing: true, retainDays: 365 } as const;
const list = {
  listId: exampleId('lst'),
  name: asked.name,
  eventId: null,
  country: asked.country,
  consentVersion: 'uk-v2',
  modelId: exampleModelId,
  enrollmentClosed: false,
  retainDays: asked.retainDays,
  retentionDeadline: null,
  endedAt: null,
  createdAt: '2026-05-01T08:15:00.000Z',
} as const;

const counted = {
  ...list,
  models: [{ modelId: exampleModelId, engineId: 'dlib-resnet-128-mirror/1', people: 1204 }],
} as const;

export const listOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/lists',
    operationId: 'createList',
    tag: 'Lists',
    summary: 'Create a list of an event, or an ongoing one',
    description:
      'Exactly one of `eventId` and `ongoing` is needed. `consentVersion` follows from the list’s country, else the account’s, else the billing currency.',
    security: 'apiKey',
    request: { schema: 'CreateListRequest', required: true, example: asked },
    success: {
      status: 201,
      description: 'created',
      schema: 'List',
      example: list,
      headers: { Location: 'path of the list' },
    },
    errors: [...JSON_BODY, 'not-found', 'event-has-list', 'event-ended'],
  },
  {
    method: 'get',
    path: '/v1/lists',
    operationId: 'listLists',
    tag: 'Lists',
    summary: 'List the lists',
    description: 'One page, newest first; follow `nextCursor` until it is null.',
    security: 'apiKey',
    parameters: page,
    success: {
      status: 200,
      description: 'a page of lists, newest first',
      schema: 'ListCollection',
      example: { items: [list], nextCursor: null },
    },
    errors: [...PAGE],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}',
    operationId: 'getList',
    tag: 'Lists',
    summary: 'Read a list',
    description:
      'Read it before asking for consent: `consentVersion` is the only wording that an enrolment may carry. `models` tells how many people there are of each model.',
    security: 'apiKey',
    parameters: [listId],
    success: { status: 200, description: 'the list', schema: 'CountedList', example: counted },
    errors: ['not-found'],
  },
  {
    method: 'post',
    path: '/v1/lists/{listId}/close-enrollment',
    operationId: 'closeEnrollment',
    tag: 'Lists',
    summary: 'Close enrolment of a list, permanently',
    description: 'Nobody can be enrolled any more. People already enrolled stay. A second close answers the same.',
    security: 'apiKey',
    parameters: [listId],
    success: {
      status: 200,
      description: 'the list, closed',
      schema: 'List',
      example: { ...list, enrollmentClosed: true },
    },
    errors: ['not-found'],
  },
  {
    method: 'post',
    path: '/v1/lists/{listId}/change-model',
    operationId: 'changeModel',
    tag: 'Lists',
    summary: 'Change the recognition model of a list',
    description:
      'From here on enrolments are of this model. Nobody’s template can be made anew without a photo: people keep theirs, and are recognised by it, until they enrol again. Asking for the model that the list has changes nothing.',
    security: 'apiKey',
    parameters: [listId],
    request: { schema: 'ChangeModelRequest', required: false, example: { modelId: exampleModelId } },
    success: { status: 200, description: 'the list', schema: 'List', example: list },
    errors: [...JSON_BODY, 'not-found', 'list-ended', 'enrolment-closed', 'model-unavailable'],
  },
  {
    method: 'post',
    path: '/v1/lists/{listId}/end',
    operationId: 'endList',
    tag: 'Lists',
    summary: 'End a list',
    description:
      'Nobody can be enrolled any more. Faces stay until their time, and devices keep verifying. A second end answers the same.',
    security: 'apiKey',
    parameters: [listId],
    success: {
      status: 200,
      description: 'the list, ended',
      schema: 'List',
      example: { ...list, endedAt: '2026-09-01T00:00:00.000Z' },
    },
    errors: ['not-found'],
  },
  {
    method: 'delete',
    path: '/v1/lists/{listId}',
    operationId: 'deleteList',
    tag: 'Lists',
    summary: 'Delete a list and every face in it',
    description: 'The list’s key is destroyed first. Its devices wipe at their next sync.',
    security: 'apiKey',
    parameters: [listId],
    success: { status: 204, description: 'deleted' },
    errors: ['not-found'],
  },
];
