/** The credential that an operation asks for. */
export type Security = 'apiKey' | 'guestToken' | 'deviceToken' | 'none';

/** What a client needs to know of an operation to ask for it. */
export interface Endpoint {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Parameters in braces. */
  readonly path: string;
  readonly security: Security;
  /** A JSON body, parameters of the query, or those of a collection, whose pages it then answers. */
  readonly takes?: 'body' | 'query' | 'page';
}

/** Every operation by its identifier, in the order of the reference. Without schemas, so that a client can hold it. */
export const endpoints = {
  createEvent: { method: 'post', path: '/v1/events', security: 'apiKey', takes: 'body' },
  listEvents: { method: 'get', path: '/v1/events', security: 'apiKey', takes: 'page' },
  getEvent: { method: 'get', path: '/v1/events/{eventId}', security: 'apiKey' },
  updateEvent: { method: 'patch', path: '/v1/events/{eventId}', security: 'apiKey', takes: 'body' },
  deleteEvent: { method: 'delete', path: '/v1/events/{eventId}', security: 'apiKey' },
  setWidgetSettings: { method: 'post', path: '/v1/events/{eventId}/widget', security: 'apiKey', takes: 'body' },
  createEnrolmentToken: {
    method: 'post',
    path: '/v1/events/{eventId}/enrolment-tokens',
    security: 'apiKey',
    takes: 'body',
  },
  createEnrolmentLinks: {
    method: 'post',
    path: '/v1/lists/{listId}/enrolment-links',
    security: 'apiKey',
    takes: 'body',
  },
  listEnrolmentTokens: {
    method: 'get',
    path: '/v1/events/{eventId}/enrolment-tokens',
    security: 'apiKey',
    takes: 'page',
  },
  getEnrolmentToken: { method: 'get', path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}', security: 'apiKey' },
  revokeEnrolmentToken: {
    method: 'delete',
    path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}',
    security: 'apiKey',
  },
  getWidgetSession: { method: 'get', path: '/v1/widget/session', security: 'guestToken', takes: 'query' },
  enrolGuest: { method: 'post', path: '/v1/widget/enrolments', security: 'guestToken', takes: 'body' },
  declineEnrolment: { method: 'post', path: '/v1/widget/decline', security: 'guestToken' },
  createList: { method: 'post', path: '/v1/lists', security: 'apiKey', takes: 'body' },
  listLists: { method: 'get', path: '/v1/lists', security: 'apiKey', takes: 'page' },
  getList: { method: 'get', path: '/v1/lists/{listId}', security: 'apiKey' },
  updateList: { method: 'patch', path: '/v1/lists/{listId}', security: 'apiKey', takes: 'body' },
  closeEnrollment: { method: 'post', path: '/v1/lists/{listId}/close-enrollment', security: 'apiKey' },
  changeModel: { method: 'post', path: '/v1/lists/{listId}/change-model', security: 'apiKey', takes: 'body' },
  endList: { method: 'post', path: '/v1/lists/{listId}/end', security: 'apiKey' },
  deleteList: { method: 'delete', path: '/v1/lists/{listId}', security: 'apiKey' },
  enrolPerson: { method: 'post', path: '/v1/lists/{listId}/people', security: 'apiKey', takes: 'body' },
  listPeople: { method: 'get', path: '/v1/lists/{listId}/people', security: 'apiKey', takes: 'page' },
  deletePersonByQuery: { method: 'delete', path: '/v1/lists/{listId}/people', security: 'apiKey', takes: 'query' },
  getPerson: { method: 'get', path: '/v1/lists/{listId}/people/{personId}', security: 'apiKey' },
  deletePerson: { method: 'delete', path: '/v1/lists/{listId}/people/{personId}', security: 'apiKey', takes: 'query' },
  listConsents: { method: 'get', path: '/v1/consents', security: 'apiKey', takes: 'page' },
  getConsentWording: {
    method: 'get',
    path: '/v1/consent-wordings/{consentVersion}',
    security: 'apiKey',
    takes: 'query',
  },
  addDevice: { method: 'post', path: '/v1/lists/{listId}/devices', security: 'apiKey', takes: 'body' },
  listDevices: { method: 'get', path: '/v1/lists/{listId}/devices', security: 'apiKey', takes: 'page' },
  revokeDevice: { method: 'delete', path: '/v1/lists/{listId}/devices/{deviceId}', security: 'apiKey' },
  syncDevice: { method: 'get', path: '/v1/device/sync', security: 'deviceToken', takes: 'query' },
  getUsage: { method: 'get', path: '/v1/usage', security: 'apiKey' },
  listAuditEntries: { method: 'get', path: '/v1/audit-log', security: 'apiKey', takes: 'page' },
  createWebhook: { method: 'post', path: '/v1/webhooks', security: 'apiKey', takes: 'body' },
  listWebhooks: { method: 'get', path: '/v1/webhooks', security: 'apiKey', takes: 'page' },
  getWebhook: { method: 'get', path: '/v1/webhooks/{webhookId}', security: 'apiKey' },
  updateWebhook: { method: 'patch', path: '/v1/webhooks/{webhookId}', security: 'apiKey', takes: 'body' },
  deleteWebhook: { method: 'delete', path: '/v1/webhooks/{webhookId}', security: 'apiKey' },
  rotateWebhookSecret: { method: 'post', path: '/v1/webhooks/{webhookId}/rotate-secret', security: 'apiKey' },
  testWebhook: { method: 'post', path: '/v1/webhooks/{webhookId}/test', security: 'apiKey' },
  listWebhookDeliveries: {
    method: 'get',
    path: '/v1/webhooks/{webhookId}/deliveries',
    security: 'apiKey',
    takes: 'page',
  },
  replayWebhookDelivery: {
    method: 'post',
    path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay',
    security: 'apiKey',
  },
  getOpenApiDocument: { method: 'get', path: '/v1/openapi.json', security: 'none' },
  getHealth: { method: 'get', path: '/healthz', security: 'none' },
  getReadiness: { method: 'get', path: '/readyz', security: 'none' },
} as const satisfies Readonly<Record<string, Endpoint>>;

export type Endpoints = typeof endpoints;
export type OperationId = keyof Endpoints;
