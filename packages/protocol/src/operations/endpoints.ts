/** The credential that an operation requires. */
export type Security = 'apiKey' | 'guestToken' | 'deviceToken' | 'none';

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
}

/** The operations of the organiser's server (`apiKey`); without schemas, to keep clients small. */
export const organiserEndpoints = {
  createEvent: { method: 'post', path: '/v1/events', takes: 'body' },
  listEvents: { method: 'get', path: '/v1/events', takes: 'page' },
  getEvent: { method: 'get', path: '/v1/events/{eventId}' },
  updateEvent: { method: 'patch', path: '/v1/events/{eventId}', takes: 'body' },
  deleteEvent: { method: 'delete', path: '/v1/events/{eventId}' },
  setWidgetSettings: { method: 'post', path: '/v1/events/{eventId}/widget', takes: 'body' },
  getWidgetSettings: { method: 'get', path: '/v1/events/{eventId}/widget' },
  createWidgetPreview: { method: 'post', path: '/v1/events/{eventId}/widget/preview', takes: 'body' },
  createEnrolmentToken: { method: 'post', path: '/v1/events/{eventId}/enrolment-tokens', takes: 'body' },
  createEnrolmentLinks: { method: 'post', path: '/v1/lists/{listId}/enrolment-links', takes: 'body' },
  listEnrolmentTokens: { method: 'get', path: '/v1/events/{eventId}/enrolment-tokens', takes: 'page' },
  getEnrolmentToken: { method: 'get', path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}' },
  revokeEnrolmentToken: { method: 'delete', path: '/v1/events/{eventId}/enrolment-tokens/{tokenId}' },
  createList: { method: 'post', path: '/v1/lists', takes: 'body' },
  listLists: { method: 'get', path: '/v1/lists', takes: 'page' },
  getList: { method: 'get', path: '/v1/lists/{listId}' },
  updateList: { method: 'patch', path: '/v1/lists/{listId}', takes: 'body' },
  closeEnrollment: { method: 'post', path: '/v1/lists/{listId}/close-enrollment' },
  changeModel: { method: 'post', path: '/v1/lists/{listId}/change-model', takes: 'body' },
  endList: { method: 'post', path: '/v1/lists/{listId}/end' },
  deleteList: { method: 'delete', path: '/v1/lists/{listId}' },
  enrolPerson: { method: 'post', path: '/v1/lists/{listId}/people', takes: 'body' },
  listPeople: { method: 'get', path: '/v1/lists/{listId}/people', takes: 'page' },
  deletePersonByQuery: { method: 'delete', path: '/v1/lists/{listId}/people', takes: 'query' },
  getPerson: { method: 'get', path: '/v1/lists/{listId}/people/{personId}' },
  deletePerson: { method: 'delete', path: '/v1/lists/{listId}/people/{personId}', takes: 'query' },
  listConsents: { method: 'get', path: '/v1/consents', takes: 'page' },
  getConsentWording: { method: 'get', path: '/v1/consent-wordings/{consentVersion}', takes: 'query' },
  addDevice: { method: 'post', path: '/v1/lists/{listId}/devices', takes: 'body' },
  listDevices: { method: 'get', path: '/v1/lists/{listId}/devices', takes: 'page' },
  revokeDevice: { method: 'delete', path: '/v1/lists/{listId}/devices/{deviceId}' },
  getUsage: { method: 'get', path: '/v1/usage' },
  listAuditEntries: { method: 'get', path: '/v1/audit-log', takes: 'page' },
  createWebhook: { method: 'post', path: '/v1/webhooks', takes: 'body' },
  listWebhooks: { method: 'get', path: '/v1/webhooks', takes: 'page' },
  getWebhook: { method: 'get', path: '/v1/webhooks/{webhookId}' },
  updateWebhook: { method: 'patch', path: '/v1/webhooks/{webhookId}', takes: 'body' },
  deleteWebhook: { method: 'delete', path: '/v1/webhooks/{webhookId}' },
  rotateWebhookSecret: { method: 'post', path: '/v1/webhooks/{webhookId}/rotate-secret' },
  testWebhook: { method: 'post', path: '/v1/webhooks/{webhookId}/test' },
  listWebhookDeliveries: { method: 'get', path: '/v1/webhooks/{webhookId}/deliveries', takes: 'page' },
  replayWebhookDelivery: { method: 'post', path: '/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay' },
} as const satisfies Readonly<Record<string, Address>>;

/** The operations of widgets, devices and unauthenticated callers. */
export const otherEndpoints = {
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
