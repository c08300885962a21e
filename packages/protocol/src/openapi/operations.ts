import type { ErrorCode } from '../errors.ts';
import { DEVICE_KEY_BYTES, DEVICE_KEY_HEADER, NONCE_BYTES, NONCE_HEADER, SYNC_MEDIA_TYPE } from '../sync.ts';
import type { ComponentName } from './components.ts';

export type Security = 'apiKey' | 'deviceToken' | 'none';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: object;
}

export interface Success {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  readonly schema?: ComponentName;
  readonly mediaType?: string;
  readonly example?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly security: Security;
  readonly parameters?: readonly Parameter[];
  readonly request?: { readonly schema: ComponentName; readonly required: boolean; readonly example?: unknown };
  readonly success: Success;
  /** Codes besides those that every operation of its security may answer. */
  readonly errors: readonly ErrorCode[];
}

const pathId = (name: string, what: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: what,
  schema: { type: 'string' },
});
const eventId = pathId('eventId', 'identifier of the event');
const listId = pathId('listId', 'identifier of the list');
const personId = pathId('personId', 'the caller’s own identifier of the person, percent-encoded');
const deviceId = pathId('deviceId', 'identifier of the device');
const eraseReason: Parameter = {
  name: 'reason',
  in: 'query',
  required: false,
  description: 'that the person withdrew consent: the consent ledger notes it',
  schema: { type: 'string', enum: ['consent-withdrawn'] },
};
const page: readonly Parameter[] = [
  {
    name: 'cursor',
    in: 'query',
    required: false,
    description: '`nextCursor` of the page before',
    schema: { type: 'string' },
  },
  {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'items in a page',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  },
];

const JSON_BODY = ['invalid-json', 'invalid-request', 'request-too-large', 'unsupported-media-type'] as const;
const PAGE = ['invalid-request'] as const;

const examples = {
  event: { name: 'Summer concert', startsAt: '2026-06-20T18:00:00Z', endsAt: '2026-06-20T23:00:00Z', country: 'DE' },
  list: { name: 'Season ticket holders', country: 'GB', ongoing: true, retainDays: 365 },
  enrolment: {
    personId: 'T-8F3K2M9QXW4Z7B1C',
    consent: {
      consentVersion: 'eu-v2',
      givenAt: '2026-06-01T09:30:00Z',
      explicitBiometricConsent: true,
      writtenRelease: true,
    },
    imageBase64: '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD',
  },
  enrolled: {
    personId: 'T-8F3K2M9QXW4Z7B1C',
    modelId: 'mdl_01jwnafy00e2rbg3vfk4s6q9tz',
    deleteAfter: '2026-06-20T23:00:00.000Z',
  },
} as const;

/** Every operation of the API, in the order of the reference. */
export const operations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/events',
    operationId: 'createEvent',
    tag: 'Events',
    summary: 'Create an event',
    security: 'apiKey',
    request: { schema: 'CreateEventRequest', required: true, example: examples.event },
    success: { status: 201, description: 'created', schema: 'Event', headers: { Location: 'path of the event' } },
    errors: [...JSON_BODY],
  },
  {
    method: 'get',
    path: '/v1/events',
    operationId: 'listEvents',
    tag: 'Events',
    summary: 'List the events',
    security: 'apiKey',
    parameters: page,
    success: { status: 200, description: 'a page of events, newest first', schema: 'EventCollection' },
    errors: [...PAGE],
  },
  {
    method: 'get',
    path: '/v1/events/{eventId}',
    operationId: 'getEvent',
    tag: 'Events',
    summary: 'Read an event',
    security: 'apiKey',
    parameters: [eventId],
    success: { status: 200, description: 'the event', schema: 'Event' },
    errors: ['not-found'],
  },
  {
    method: 'post',
    path: '/v1/lists',
    operationId: 'createList',
    tag: 'Lists',
    summary: 'Create a list of an event, or an ongoing one',
    security: 'apiKey',
    request: { schema: 'CreateListRequest', required: true, example: examples.list },
    success: { status: 201, description: 'created', schema: 'List', headers: { Location: 'path of the list' } },
    errors: [...JSON_BODY, 'not-found', 'event-has-list', 'event-ended'],
  },
  {
    method: 'get',
    path: '/v1/lists',
    operationId: 'listLists',
    tag: 'Lists',
    summary: 'List the lists',
    security: 'apiKey',
    parameters: page,
    success: { status: 200, description: 'a page of lists, newest first', schema: 'ListCollection' },
    errors: [...PAGE],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}',
    operationId: 'getList',
    tag: 'Lists',
    summary: 'Read a list',
    security: 'apiKey',
    parameters: [listId],
    success: { status: 200, description: 'the list', schema: 'List' },
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
    success: { status: 200, description: 'the list, closed', schema: 'List' },
    errors: ['not-found'],
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
    success: { status: 200, description: 'the list, ended', schema: 'List' },
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
  {
    method: 'post',
    path: '/v1/lists/{listId}/people',
    operationId: 'enrolPerson',
    tag: 'People',
    summary: 'Enrol a person',
    description:
      'Makes a face template from one photo; the photo is never stored or logged. Enrolling an existing personId replaces the face and also answers 201. Consent is checked before the image is decoded.',
    security: 'apiKey',
    parameters: [listId],
    request: { schema: 'EnrolPersonRequest', required: true, example: examples.enrolment },
    success: {
      status: 201,
      description: 'enrolled, or the face replaced',
      schema: 'EnrolledPerson',
      example: examples.enrolled,
      headers: { Location: 'path of the person' },
    },
    errors: [
      ...JSON_BODY,
      'image-invalid',
      'no-plan',
      'plan-limit-reached',
      'not-found',
      'list-ended',
      'enrolment-closed',
      'consent-version-mismatch',
      'no-face',
      'several-faces',
      'face-too-small',
      'too-dark',
      'too-bright',
      'blurred',
      'turned-away',
      'covered',
      'overloaded',
    ],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}/people',
    operationId: 'listPeople',
    tag: 'People',
    summary: 'List the people of a list',
    security: 'apiKey',
    parameters: [listId, ...page],
    success: { status: 200, description: 'a page of people; no face data', schema: 'PersonCollection' },
    errors: [...PAGE, 'not-found'],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}/people/{personId}',
    operationId: 'getPerson',
    tag: 'People',
    summary: 'Read a person',
    security: 'apiKey',
    parameters: [listId, personId],
    success: { status: 200, description: 'the person; no face data', schema: 'Person' },
    errors: ['not-found'],
  },
  {
    method: 'delete',
    path: '/v1/lists/{listId}/people/{personId}',
    operationId: 'deletePerson',
    tag: 'People',
    summary: 'Erase a person’s face',
    description: 'Devices drop it at their next sync. The place on the bill is not given back.',
    security: 'apiKey',
    parameters: [listId, personId, eraseReason],
    success: { status: 204, description: 'erased' },
    errors: ['invalid-request', 'not-found'],
  },
  {
    method: 'post',
    path: '/v1/lists/{listId}/devices',
    operationId: 'addDevice',
    tag: 'Devices',
    summary: 'Add a check-in device',
    description: 'The answer holds the device’s token, which is shown this once.',
    security: 'apiKey',
    parameters: [listId],
    request: { schema: 'AddDeviceRequest', required: false, example: { name: 'North gate 3' } },
    success: { status: 201, description: 'added; the token is shown this once', schema: 'AddedDevice' },
    errors: [...JSON_BODY, 'not-found', 'list-ended'],
  },
  {
    method: 'get',
    path: '/v1/lists/{listId}/devices',
    operationId: 'listDevices',
    tag: 'Devices',
    summary: 'List the devices of a list',
    security: 'apiKey',
    parameters: [listId, ...page],
    success: { status: 200, description: 'a page of devices that are not revoked', schema: 'DeviceCollection' },
    errors: [...PAGE, 'not-found'],
  },
  {
    method: 'delete',
    path: '/v1/lists/{listId}/devices/{deviceId}',
    operationId: 'revokeDevice',
    tag: 'Devices',
    summary: 'Revoke a device',
    description: 'The device wipes its copy at its next sync. A second revocation answers the same.',
    security: 'apiKey',
    parameters: [listId, deviceId],
    success: { status: 204, description: 'revoked' },
    errors: ['not-found'],
  },
  {
    method: 'get',
    path: '/v1/device/sync',
    operationId: 'syncDevice',
    tag: 'Device sync',
    summary: 'Fetch the device’s copy of its list',
    description:
      'Answers one signed envelope: a manifest (see SyncManifest) and, where the device’s version is not the list’s, the sealed faces. A dead token of a revoked device, a deleted list, a suspended account or a list past its retention deadline still gets 200, with a signed command to wipe.',
    security: 'deviceToken',
    parameters: [
      {
        name: 'since',
        in: 'query',
        required: false,
        description: 'version of the list that the device holds, 0 for none',
        schema: { type: 'integer', minimum: 0, default: 0 },
      },
      {
        name: DEVICE_KEY_HEADER,
        in: 'header',
        required: true,
        description: `the device’s P-256 public key: uncompressed point, ${DEVICE_KEY_BYTES} bytes, base64url without padding; the first one is pinned`,
        schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{87}$' },
      },
      {
        name: NONCE_HEADER,
        in: 'header',
        required: true,
        description: `${NONCE_BYTES} fresh random bytes, base64url without padding`,
        schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' },
      },
    ],
    success: { status: 200, description: 'the signed envelope', mediaType: SYNC_MEDIA_TYPE },
    errors: ['invalid-request', 'device-key-invalid', 'nonce-invalid', 'device-key-mismatch'],
  },
  {
    method: 'get',
    path: '/v1/openapi.json',
    operationId: 'getOpenApiDocument',
    tag: 'Service',
    summary: 'This document',
    security: 'none',
    success: { status: 200, description: 'OpenAPI 3.1', mediaType: 'application/json' },
    errors: [],
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'The process is alive',
    security: 'none',
    success: { status: 200, description: 'alive', mediaType: 'application/json' },
    errors: [],
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    tag: 'Service',
    summary: 'The service can take requests: database and models are there',
    security: 'none',
    success: { status: 200, description: 'ready', mediaType: 'application/json' },
    errors: ['not-ready'],
  },
];
