/** The credential that an operation requires. */
export type Security = 'apiKey' | 'session' | 'guestToken' | 'deviceToken' | 'none';

/** Rights of an API key or of a role. `…:read` does not change anything; `…:write` does not include reading. */
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
  'account:write',
  'keys:read',
  'keys:write',
  'users:read',
  'users:write',
] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** That an operation will be removed. Days are `YYYY-MM-DD` and begin at 00:00 UTC. */
export interface Deprecation {
  readonly since: string;
  /** From this day on a release may lack the operation. */
  readonly sunset: string;
  /** The operation to call instead; null where nothing takes its place. */
  readonly successor: string | null;
}

/** How a client calls an operation. */
export interface Address {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path with parameters in braces. */
  readonly path: string;
  /** Input: a JSON body, query parameters, or query parameters of a collection, which is answered in pages. */
  readonly takes?: 'body' | 'query' | 'page';
  /** Another method than POST that takes an `Idempotency-Key`, as every POST does. */
  readonly keyed?: true;
  readonly deprecated?: Deprecation;
}

export interface Endpoint extends Address {
  readonly security: Security;
  /** The right that an API key or a person's role needs; null for one that any has. */
  readonly scope?: ApiKeyScope | null;
  /** A step of signing in: without a credential, limited by network address, from the dashboard's pages alone. */
  readonly signsIn?: true;
}

const EVENT = '/v1/events/{eventId}';
const TOKENS = `${EVENT}/enrolment-tokens` as const;
const MAILING = `${EVENT}/mailings/{mailingId}` as const;
const LIST = '/v1/lists/{listId}';
const WEBHOOK = '/v1/webhooks/{webhookId}';

/**
 * The operations of the organiser's server (`apiKey`), or of a person in the dashboard whose role has the scope; without
 * schemas, to keep clients small.
 */
export const organiserEndpoints = {
  createEvent: { method: 'post', path: '/v1/events', takes: 'body', scope: 'events:write' },
  listEvents: { method: 'get', path: '/v1/events', takes: 'page', scope: 'events:read' },
  getEvent: { method: 'get', path: EVENT, scope: 'events:read' },
  updateEvent: { method: 'patch', path: EVENT, takes: 'body', scope: 'events:write' },
  deleteEvent: { method: 'delete', path: EVENT, scope: 'events:write' },
  copyEvent: { method: 'post', path: `${EVENT}/copy`, takes: 'body', scope: 'events:write' },
  setWidgetSettings: { method: 'post', path: `${EVENT}/widget`, takes: 'body', scope: 'events:write' },
  replaceWidgetSettings: { method: 'put', path: `${EVENT}/widget`, takes: 'body', scope: 'events:write' },
  getWidgetSettings: { method: 'get', path: `${EVENT}/widget`, scope: 'events:read' },
  createWidgetPreview: { method: 'post', path: `${EVENT}/widget/preview`, takes: 'body', scope: 'events:write' },
  createEnrolmentToken: { method: 'post', path: TOKENS, takes: 'body', scope: 'people:write' },
  createEnrolmentTokenBatch: { method: 'post', path: `${TOKENS}/batch`, takes: 'body', scope: 'people:write' },
  getEnrolmentTokenSummary: { method: 'get', path: `${TOKENS}/summary`, scope: 'people:read' },
  createEnrolmentLinks: { method: 'post', path: `${LIST}/enrolment-links`, takes: 'body', scope: 'people:write' },
  listEnrolmentTokens: { method: 'get', path: TOKENS, takes: 'page', scope: 'people:read' },
  getEnrolmentToken: { method: 'get', path: `${TOKENS}/{tokenId}`, scope: 'people:read' },
  revokeEnrolmentToken: { method: 'delete', path: `${TOKENS}/{tokenId}`, scope: 'people:write' },
  listMailTexts: { method: 'get', path: '/v1/mail-texts', scope: 'events:read' },
  createMailing: { method: 'post', path: `${EVENT}/mailings`, takes: 'body', scope: 'people:write' },
  listMailings: { method: 'get', path: `${EVENT}/mailings`, takes: 'page', scope: 'people:read' },
  getMailing: { method: 'get', path: MAILING, scope: 'people:read' },
  listMailingRecipients: { method: 'get', path: `${MAILING}/recipients`, takes: 'page', scope: 'people:read' },
  cancelMailing: { method: 'post', path: `${MAILING}/cancel`, scope: 'people:write' },
  createMailingReminder: { method: 'post', path: `${MAILING}/reminder`, takes: 'body', scope: 'people:write' },
  createList: { method: 'post', path: '/v1/lists', takes: 'body', scope: 'lists:write' },
  listLists: { method: 'get', path: '/v1/lists', takes: 'page', scope: 'lists:read' },
  getList: { method: 'get', path: LIST, scope: 'lists:read' },
  updateList: { method: 'patch', path: LIST, takes: 'body', scope: 'lists:write' },
  getArrivals: { method: 'get', path: `${LIST}/arrivals`, scope: 'lists:read' },
  getListImpact: { method: 'get', path: `${LIST}/impact`, scope: 'lists:read' },
  closeEnrollment: { method: 'post', path: `${LIST}/close-enrollment`, scope: 'lists:write' },
  changeModel: { method: 'post', path: `${LIST}/change-model`, takes: 'body', scope: 'lists:write' },
  rotateCheckInSecret: { method: 'post', path: `${LIST}/rotate-check-in-secret`, scope: 'lists:write' },
  endList: { method: 'post', path: `${LIST}/end`, scope: 'lists:write' },
  undoEndList: { method: 'post', path: `${LIST}/end/undo`, scope: 'lists:write' },
  deleteList: { method: 'delete', path: LIST, scope: 'lists:write' },
  enrolPerson: { method: 'post', path: `${LIST}/people`, takes: 'body', scope: 'people:write' },
  enrolPeople: { method: 'post', path: `${LIST}/people/batch`, takes: 'body', scope: 'people:write' },
  erasePeople: { method: 'post', path: `${LIST}/people/erase`, takes: 'body', scope: 'people:write' },
  lookUpPeople: { method: 'post', path: `${LIST}/people/lookup`, takes: 'body', scope: 'people:read' },
  listPeople: { method: 'get', path: `${LIST}/people`, takes: 'page', scope: 'people:read' },
  getPeopleSummary: { method: 'get', path: `${LIST}/people-summary`, takes: 'query', scope: 'people:read' },
  listGuests: { method: 'get', path: `${LIST}/guests`, takes: 'page', scope: 'people:read' },
  getGuestSummary: { method: 'get', path: `${LIST}/guests/summary`, scope: 'people:read' },
  deletePersonByQuery: { method: 'delete', path: `${LIST}/people`, takes: 'query', scope: 'people:write' },
  putPerson: { method: 'put', path: `${LIST}/people/{personId}`, takes: 'body', keyed: true, scope: 'people:write' },
  getPerson: { method: 'get', path: `${LIST}/people/{personId}`, scope: 'people:read' },
  updatePerson: { method: 'patch', path: `${LIST}/people/{personId}`, takes: 'body', scope: 'people:write' },
  deletePerson: { method: 'delete', path: `${LIST}/people/{personId}`, takes: 'query', scope: 'people:write' },
  listConsents: { method: 'get', path: '/v1/consents', takes: 'page', scope: 'consents:read' },
  getConsentWording: {
    method: 'get',
    path: '/v1/consent-wordings/{consentVersion}',
    takes: 'query',
    scope: 'lists:read',
  },
  addDevice: { method: 'post', path: `${LIST}/devices`, takes: 'body', scope: 'devices:write' },
  listDevices: { method: 'get', path: `${LIST}/devices`, takes: 'page', scope: 'devices:read' },
  getDevice: { method: 'get', path: `${LIST}/devices/{deviceId}`, scope: 'devices:read' },
  updateDevice: { method: 'patch', path: `${LIST}/devices/{deviceId}`, takes: 'body', scope: 'devices:write' },
  revokeDevice: { method: 'delete', path: `${LIST}/devices/{deviceId}`, scope: 'devices:write' },
  getAccount: { method: 'get', path: '/v1/account', scope: 'account:read' },
  updateAccount: { method: 'patch', path: '/v1/account', takes: 'body', scope: 'account:write' },
  listNotices: { method: 'get', path: '/v1/notices', scope: 'events:read' },
  getUsage: { method: 'get', path: '/v1/usage', scope: 'account:read' },
  listAuditEntries: { method: 'get', path: '/v1/audit-log', takes: 'page', scope: 'account:read' },
  createWebhook: { method: 'post', path: '/v1/webhooks', takes: 'body', scope: 'webhooks:write' },
  listWebhooks: { method: 'get', path: '/v1/webhooks', takes: 'page', scope: 'webhooks:read' },
  getWebhook: { method: 'get', path: WEBHOOK, scope: 'webhooks:read' },
  updateWebhook: { method: 'patch', path: WEBHOOK, takes: 'body', scope: 'webhooks:write' },
  deleteWebhook: { method: 'delete', path: WEBHOOK, scope: 'webhooks:write' },
  rotateWebhookSecret: { method: 'post', path: `${WEBHOOK}/rotate-secret`, scope: 'webhooks:write' },
  pullWebhookEvents: { method: 'post', path: `${WEBHOOK}/pull`, takes: 'body', scope: 'webhooks:write' },
  testWebhook: { method: 'post', path: `${WEBHOOK}/test`, scope: 'webhooks:write' },
  listWebhookDeliveries: { method: 'get', path: `${WEBHOOK}/deliveries`, takes: 'page', scope: 'webhooks:read' },
  replayWebhookDelivery: { method: 'post', path: `${WEBHOOK}/deliveries/{deliveryId}/replay`, scope: 'webhooks:write' },
  getOwnApiKey: { method: 'get', path: '/v1/api-key', scope: null },
  createApiKey: { method: 'post', path: '/v1/api-keys', takes: 'body', scope: 'keys:write' },
  listApiKeys: { method: 'get', path: '/v1/api-keys', takes: 'page', scope: 'keys:read' },
  updateApiKey: { method: 'patch', path: '/v1/api-keys/{keyId}', takes: 'body', scope: 'keys:write' },
  revokeApiKey: { method: 'delete', path: '/v1/api-keys/{keyId}', scope: 'keys:write' },
  inviteUser: { method: 'post', path: '/v1/users', takes: 'body', scope: 'users:write' },
  listUsers: { method: 'get', path: '/v1/users', takes: 'page', scope: 'users:read' },
  getUser: { method: 'get', path: '/v1/users/{userId}', scope: 'users:read' },
  updateUser: { method: 'patch', path: '/v1/users/{userId}', takes: 'body', scope: 'users:write' },
  removeUser: { method: 'delete', path: '/v1/users/{userId}', scope: 'users:write' },
  renewInvitation: { method: 'post', path: '/v1/users/{userId}/invitation', scope: 'users:write' },
  revokeUserSessions: { method: 'delete', path: '/v1/users/{userId}/sessions', scope: 'users:write' },
} as const satisfies Readonly<Record<string, Address & { readonly scope: ApiKeyScope | null }>>;

/** The operations of a person in the dashboard: signing in, and the person's own session. */
export const personEndpoints = {
  getSignInMethods: { method: 'get', path: '/v1/sign-in', security: 'none' },
  beginPasskeySignIn: { method: 'post', path: '/v1/sign-in/passkey/options', security: 'none', signsIn: true },
  signInWithPasskey: { method: 'post', path: '/v1/sign-in/passkey', security: 'none', signsIn: true, takes: 'body' },
  requestSignInLink: { method: 'post', path: '/v1/sign-in/mail', security: 'none', signsIn: true, takes: 'body' },
  signInWithLink: { method: 'post', path: '/v1/sign-in/link', security: 'none', signsIn: true, takes: 'body' },
  beginOidcSignIn: { method: 'get', path: '/v1/sign-in/oidc', security: 'none', signsIn: true },
  finishOidcSignIn: {
    method: 'get',
    path: '/v1/sign-in/oidc/callback',
    security: 'none',
    signsIn: true,
    takes: 'query',
  },
  getSession: { method: 'get', path: '/v1/session', security: 'session' },
  signOut: { method: 'delete', path: '/v1/session', security: 'session' },
  updateOwnUser: { method: 'patch', path: '/v1/session/user', security: 'session', takes: 'body' },
  beginReauthentication: { method: 'post', path: '/v1/session/reauthentication/options', security: 'session' },
  reauthenticate: { method: 'post', path: '/v1/session/reauthentication', security: 'session', takes: 'body' },
  listOwnSessions: { method: 'get', path: '/v1/session/sessions', security: 'session', takes: 'page' },
  revokeOwnSession: { method: 'delete', path: '/v1/session/sessions/{sessionId}', security: 'session' },
  beginPasskeyCreation: { method: 'post', path: '/v1/session/passkeys/options', security: 'session' },
  addPasskey: { method: 'post', path: '/v1/session/passkeys', security: 'session', takes: 'body' },
  listPasskeys: { method: 'get', path: '/v1/session/passkeys', security: 'session', takes: 'page' },
  deletePasskey: { method: 'delete', path: '/v1/session/passkeys/{passkeyId}', security: 'session' },
} as const satisfies Readonly<Record<string, Endpoint>>;

/** The operations of widgets, devices and unauthenticated callers, and a stream, which clients read differently. */
export const otherEndpoints = {
  streamChanges: { method: 'get', path: '/v1/live', security: 'apiKey', scope: 'events:read' },
  getWidgetSession: { method: 'get', path: '/v1/widget/session', security: 'guestToken', takes: 'query' },
  enrolGuest: { method: 'post', path: '/v1/widget/enrolments', security: 'guestToken', takes: 'body' },
  declineEnrolment: { method: 'post', path: '/v1/widget/decline', security: 'guestToken' },
  undoDecline: { method: 'post', path: '/v1/widget/decline/undo', security: 'guestToken' },
  syncDevice: { method: 'get', path: '/v1/device/sync', security: 'deviceToken', takes: 'query' },
  reportArrivals: { method: 'post', path: '/v1/device/arrivals', security: 'deviceToken', takes: 'body' },
  getPayload: { method: 'get', path: '/v1/packs/{payloadSha256}', security: 'none', takes: 'query' },
  exchangeAdmissions: { method: 'post', path: '/v1/device/admissions', security: 'deviceToken', takes: 'body' },
  getOpenApiDocument: { method: 'get', path: '/v1/openapi.json', security: 'none' },
  getHealth: { method: 'get', path: '/healthz', security: 'none' },
  getReadiness: { method: 'get', path: '/readyz', security: 'none' },
} as const satisfies Readonly<Record<string, Endpoint>>;

type Organiser = typeof organiserEndpoints;
/** Every operation by its identifier. */
export type Endpoints = {
  readonly [Id in keyof Organiser]: Organiser[Id] & { readonly security: 'apiKey' };
} & typeof personEndpoints &
  typeof otherEndpoints;
export type OperationId = keyof Endpoints;
export type OrganiserOperationId = keyof Organiser;
export type PersonOperationId = keyof typeof personEndpoints;
