/** The credential that an operation requires. */
export type Security = 'apiKey' | 'guestToken' | 'deviceToken' | 'none';

/** Rights of an API key. `…:read` does not change anything; `…:write` does not include reading. */
export const apiKeyScopes = [
  'events:read',
  'events:write',
  'lists:read',
  'lists:write',
  'people:read',
  'people:write',
  'consents:read',
  'devices:read',
  'devices:write',
  'webhooks:read',
  'webhooks:write',
  'account:read',
  'keys:read',
  'keys:write',
] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** How a client calls an operation. */
export interface Address {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with parameters in braces. */
  readonly path: string;
  /** Input: a JSON body, query parameters, or query parameters of a collection, which is answered in pages. */
  readonly takes?: 'body' | 'query' | 'page';
}

export interface Endpoint extends Address {
  readonly security: Security;
  /** The right that an API key needs. */
  readonly scope?: ApiKeyScope;
}

interface OrganiserEndpoint extends Address {
  readonly scope: ApiKeyScope;
}

/** The operations of the organiser's server (`apiKey`); without schemas, to keep clients small. */
export const organiserEndpoints = {
  createEvent: { method: 'post', path: '/v1/events', takes: 'body', scope: 'events:write' },
  listEvents: { method: 'get', path: '/v1/events', takes: 'page', scope: 'events:read' },
  getEvent: { method: 'get', path: '/v1/events/{eventId}', scope: 'events:read' },
  updateEvent: { method: 'patch', path: '/v1/events/{eventId}', takes: 'body', scope: 'events:write' },
  deleteEvent: { method: 'delete', path: '/v1/events/{eventId}', scope: 'events:write' },
  setWidgetSettings: { method: 'post', path: '/v1/events/{eventId}/widget', takes: 'body', scope: 'events:write' },
  getWidgetSettings: { method: 'get', path: '/v1/events/{eventId}/widget', scope: 'events:read' },
  createWidgetPreview: {
    method: 'post',
    path: '/v1/events/{eventId}/widget/preview',
    takes: 'body',
    scope: 'events:write',
  },
  createEnrolmentToken: {
    method: 'post',
    path: '/v1/events/{eventId}/enrolment-tokens',
    takes: 'body',
    scope: 'people:write',
  },
  createEnrolmentTokenBatch: {
    method: 'post',
    path: '/v1/events/{eventId}/enrolment-tokens/batch',
    takes: 'body',
    scope: 'people:write',
  },
  getEnrolmentTokenSummary: {
    method: 'get',
    path: '/v1/events/{eventId}/enrolment-tokens/summary',
    scope: 'people:read',
  },
  createEnrolmentLinks: {
    method: 'post',
    path: '/v1/lists/{listId}/enrolment-links',
    takes: 'body',
    scope: 'people:write',
  },
  listEnrolmentTokens: {
    method: 'get',
    path: '/v1/events/{eventId}/enrolment-tokens',
    takes: 'page',
    scope: 'people:read',
  },
  getEnrolmentToken: { method: 'get', path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}', scope: 'people:read' },
  revokeEnrolmentToken: {
    method: 'delete',
    path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}',
    scope: 'people:write',
  },
  createList: { method: 'post', path: '/v1/lists', takes: 'body', scope: 'lists:write' },
  listLists: { method: 'get', path: '/v1/lists', takes: 'page', scope: 'lists:read' },
  getList: { method: 'get', path: '/v1/lists/{listId}', scope: 'lists:read' },
  updateList: { method: 'patch', path: '/v1/lists/{listId}', takes: 'body', scope: 'lists:write' },
  getListImpact: { method: 'get', path: '/v1/lists/{listId}/impact', scope: 'lists:read' },
  closeEnrollment: { method: 'post', path: '/v1/lists/{listId}/close-enrollment', scope: 'lists:write' },
  changeModel: { method: 'post', path: '/v1/lists/{listId}/change-model', takes: 'body', scope: 'lists:write' },
  rotateCheckInSecret: {
    method: 'post',
    path: '/v1/lists/{listId}/rotate-check-in-secret',
    scope: 'lists:write',
  },
  endList: { method: 'post', path: '/v1/lists/{listId}/end', scope: 'lists:write' },
  deleteList: { method: 'delete', path: '/v1/lists/{listId}', scope: 'lists:write' },
  enrolPerson: { method: 'post', path: '/v1/lists/{listId}/people', takes: 'body', scope: 'people:write' },
  listPeople: { method: 'get', path: '/v1/lists/{listId}/people', takes: 'page', scope: 'people:read' },
  getPeopleSummary: {
    method: 'get',
    path: '/v1/lists/{listId}/people-summary',
    takes: 'query',
    scope: 'people:read',
  },
  deletePersonByQuery: { method: 'delete', path: '/v1/lists/{listId}/people', takes: 'query', scope: 'people:write' },
  getPerson: { method: 'get', path: '/v1/lists/{listId}/people/{personId}', scope: 'people:read' },
  deletePerson: {
    method: 'delete',
    path: '/v1/lists/{listId}/people/{personId}',
    takes: 'query',
    scope: 'people:write',
  },
  listConsents: { method: 'get', path: '/v1/consents', takes: 'page', scope: 'consents:read' },
  getConsentWording: {
    method: 'get',
    path: '/v1/consent-wordings/{consentVersion}',
    takes: 'query',
    scope: 'lists:read',
  },
  addDevice: { method: 'post', path: '/v1/lists/{listId}/devices', takes: 'body', scope: 'devices:write' },
  listDevices: { method: 'get', path: '/v1/lists/{listId}/devices', takes: 'page', scope: 'devices:read' },
  getDevice: { method: 'get', path: '/v1/lists/{listId}/devices/{deviceId}', scope: 'devices:read' },
  updateDevice: {
    method: 'patch',
    path: '/v1/lists/{listId}/devices/{deviceId}',
    takes: 'body',
    scope: 'devices:write',
  },
  revokeDevice: { method: 'delete', path: '/v1/lists/{listId}/devices/{deviceId}', scope: 'devices:write' },
  getUsage: { method: 'get', path: '/v1/usage', scope: 'account:read' },
  listAuditEntries: { method: 'get', path: '/v1/audit-log', takes: 'page', scope: 'account:read' },
  createWebhook: { method: 'post', path: '/v1/webhooks', takes: 'body', scope: 'webhooks:write' },
  listWebhooks: { method: 'get', path: '/v1/webhooks', takes: 'page', scope: 'webhooks:read' },
  getWebhook: { method: 'get', path: '/v1/webhooks/{webhookId}', scope: 'webhooks:read' },
  updateWebhook: { method: 'patch', path: '/v1/webhooks/{webhookId}', takes: 'body', scope: 'webhooks:write' },
  deleteWebhook: { method: 'delete', path: '/v1/webhooks/{webhookId}', scope: 'webhooks:write' },
  rotateWebhookSecret: { method: 'post', path: '/v1/webhooks/{webhookId}/rotate-secret', scope: 'webhooks:write' },
  testWebhook: { method: 'post', path: '/v1/webhooks/{webhookId}/test', scope: 'webhooks:write' },
  listWebhookDeliveries: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}/deliveries',
    takes: 'page',
    scope: 'webhooks:read',
  },
  replayWebhookDelivery: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
    scope: 'webhooks:write',
  },
  createApiKey: { method: 'post', path: '/v1/api-keys', takes: 'body', scope: 'keys:write' },
  listApiKeys: { method: 'get', path: '/v1/api-keys', takes: 'page', scope: 'keys:read' },
  revokeApiKey: { method: 'delete', path: '/v1/api-keys/{keyId}', scope: 'keys:write' },
} as const satisfies Readonly<Record<string, OrganiserEndpoint>>;

/** The operations of widgets, devices and unauthenticated callers, and a stream, which clients read differently. */
export const otherEndpoints = {
  streamChanges: { method: 'get', path: '/v1/live', security: 'apiKey', scope: 'events:read' },
  getWidgetSession: { method: 'get', path: '/v1/widget/session', security: 'guestToken', takes: 'query' },
  enrolGuest: { method: 'post', path: '/v1/widget/enrolments', security: 'guestToken', takes: 'body' },
  declineEnrolment: { method: 'post', path: '/v1/widget/decline', security: 'guestToken' },
  undoDecline: { method: 'post', path: '/v1/widget/decline/undo', security: 'guestToken' },
  syncDevice: { method: 'get', path: '/v1/device/sync', security: 'deviceToken', takes: 'query' },
  getOpenApiDocument: { method: 'get', path: '/v1/openapi.json', security: 'none' },
  getHealth: { method: 'get', path: '/healthz', security: 'none' },
  getReadiness: { method: 'get', path: '/readyz', security: 'none' },
} as const satisfies Readonly<Record<string, Endpoint>>;

type Organiser = typeof organiserEndpoints;
/** Every operation by its identifier. */
export type Endpoints = {
  readonly [Id in keyof Organiser]: Organiser[Id] & { readonly security: 'apiKey' };
} & typeof otherEndpoints;
export type OperationId = keyof Endpoints;
export type OrganiserOperationId = keyof Organiser;
