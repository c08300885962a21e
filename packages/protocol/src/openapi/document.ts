import * as z from 'zod';
import { componentRef, requestSchemas, responseSchemas } from '../common.ts';
import { describeDeprecation } from '../deprecation.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../idempotency.ts';
import { MINUTE_MS } from '../limits.ts';
import { type TagName, tagDescriptions } from '../operations/descriptions.ts';
import type { ApiKeyScope, Security } from '../operations/endpoints.ts';
import { freshMsOf } from '../operations/fresh.ts';
import { type Operation, operations, type Parameter } from '../operations/operations.ts';
import { roleScopes, type UserRole, userRoles } from '../operations/roles.ts';
import { CSRF_HEADER, SESSION_COOKIE } from '../operations/sessions.ts';
import { webhookNotificationSchema, webhookNotifications } from '../operations/webhooks.ts';
import { deprecationComponents, headerComponents, isKeyed, responsesOf } from './responses.ts';

function toComponents(registry: typeof requestSchemas, io: 'input' | 'output'): Record<string, object> {
  const { schemas } = z.toJSONSchema(registry, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'throw',
    uri: (id) => `#/components/schemas/${id}`,
    // Answers may get more fields in later versions, so unknown fields are allowed there; requests must not have any.
    override: ({ jsonSchema }) => {
      // Members of any name have a schema of their own.
      if (io === 'input' && jsonSchema.type === 'object') jsonSchema.additionalProperties ??= false;
      else if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, id: _name, ...schema }]) => [id, schema]),
  );
}

/** `components.schemas` by name, generated from the schemas that validate requests and describe answers. */
export function buildComponents(): Record<string, object> {
  const all = { ...toComponents(requestSchemas, 'input'), ...toComponents(responseSchemas, 'output') };
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The product's version, as in its package.json files. */
const PRODUCT_VERSION = '0.2.0';

const SECURITY_SCHEMES: Readonly<Record<Exclude<Security, 'none'>, object>> = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'For your server. Starts with `svck_`, or with `svct_` for a test account. Keep it on the server.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'For a person in the dashboard, with the rights of the person’s role. Requests that change something also need `X-Csrf-Token`, and are only accepted from the dashboard’s own pages.',
  },
  guestToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'For a guest in the widget: an enrolment token. Starts with `svce_`; enrols one ticket, once.',
  },
  deviceToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'For a check-in device. Starts with `svcd_`; only gives access to the sync of one list.',
  },
};

/** `the role owner, manager or door` */
function rolesWith(scope: ApiKeyScope): string {
  const roles = userRoles.filter((role) => roleScopes[role].includes(scope)).map((role) => `\`${role}\``);
  const last = roles.pop() ?? '';
  return roles.length === 0 ? `the role ${last}` : `the role ${roles.join(', ')} or ${last}`;
}

/** The form of a body with photos. No schema can express how its JSON lacks what comes as parts of their own. */
function formOf(json: 'person' | 'people'): object {
  const of = json === 'person' ? '' : '; `.0` stands for the first item of `people`';
  const photo = { type: 'string', contentMediaType: 'image/jpeg', description: `a JPEG or PNG${of}` };
  const parts = {
    [json]: { contentMediaType: 'application/json', description: 'the JSON body without the photos' },
    [json === 'person' ? 'photo' : 'photo.0']: photo,
    [json === 'person' ? 'additionalPhoto' : 'additionalPhoto.0']: { type: 'array', items: photo },
  };
  return { schema: { type: 'object', required: [json], properties: parts } };
}

function requestBodyOf({ request }: Operation): object {
  if (request === undefined) return {};
  const example = request.example === undefined ? {} : { example: request.example };
  return {
    requestBody: {
      required: request.required !== false,
      content: {
        'application/json': { schema: componentRef(request.schema), ...example },
        ...(request.photos === undefined ? {} : { 'multipart/form-data': formOf(request.photos) }),
      },
    },
  };
}

const idempotencyKey: Parameter = {
  name: IDEMPOTENCY_KEY_HEADER,
  in: 'header',
  required: false,
  description:
    'a value of your choice, such as a UUID. For 24 hours, a repeat of this request with the same key has no further effect and gets the first response',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

const csrfToken: Parameter = {
  name: CSRF_HEADER,
  in: 'header',
  required: false,
  description: 'only with a person’s session: the `csrfToken` of `GET /v1/session`. Not needed with an API key',
  schema: { type: 'string', maxLength: 64 },
};

const isOfPeople = ({ security, method }: Operation) =>
  method !== 'get' && (security === 'apiKey' || security === 'session');

function parametersOf(operation: Operation): object {
  const parameters = [
    ...operation.parameters,
    ...(isKeyed(operation) ? [idempotencyKey] : []),
    ...(isOfPeople(operation) ? [csrfToken] : []),
  ];
  return parameters.length === 0 ? {} : { parameters };
}

/** How recent a person's sign-in has to be, in words. */
function describeFresh({ operationId, fresh }: Pick<Operation, 'operationId' | 'fresh'>): string {
  if (fresh === undefined) return '';
  const within = (role: UserRole) => `in the last ${freshMsOf(operationId, role) / MINUTE_MS} minutes`;
  const door = within('door') === within('owner') ? '' : ` (role \`door\`: ${within('door')})`;
  const where = { true: '', replacing: ' if an enrolled face could be replaced' };
  const asked = typeof fresh === 'object' ? ` if the body has \`${fresh.join('` or `')}\`` : where[`${fresh}`];
  return ` A person must have signed in, or confirmed with a passkey, ${within('owner')}${door}${asked}.`;
}

/** What an operation needs besides its credential, in words. */
function descriptionOf({ description, scope, deprecated, ...operation }: Operation): string {
  const rights = !scope ? '' : ` An API key needs the scope \`${scope}\`; a dashboard user needs ${rolesWith(scope)}.`;
  return `${description}${rights}${describeFresh(operation)}${deprecated === undefined ? '' : ` ${describeDeprecation(deprecated)}`}`;
}

/** A credential of the operation's kind; organisers' operations also take a person's session. */
function securityOf({ security }: Operation): object[] {
  if (security === 'none') return [];
  return security === 'apiKey' ? [{ apiKey: [] }, { session: [] }] : [{ [security]: [] }];
}

function operationObject(operation: Operation): object {
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: descriptionOf(operation),
    ...(operation.deprecated === undefined ? {} : { deprecated: true }),
    security: securityOf(operation),
    ...parametersOf(operation),
    ...requestBodyOf(operation),
    responses: responsesOf(operation),
  };
}

const signatureHeader = (name: string, description: string): Parameter => ({
  ...{ name, in: 'header', required: true, description },
  schema: { type: 'string' },
});

const signatureHeaders = [
  signatureHeader('webhook-id', 'ID of the notification, the same for every attempt and replay'),
  signatureHeader('webhook-timestamp', 'when this attempt was signed, in seconds since 1970'),
  signatureHeader('webhook-signature', 'one or more signatures `v1,…`, separated by spaces'),
];

/** A notification to an organiser's webhook. */
function webhookObject(type: string, summary: string): object {
  const schema = { ...componentRef(webhookNotificationSchema), properties: { type: { const: type } } };
  const tag: TagName = 'Webhooks';
  return {
    post: {
      operationId: type.replaceAll(/[.-](\w)/g, (_whole, letter: string) => letter.toUpperCase()),
      tags: [tag],
      summary,
      description: 'Signed according to Standard Webhooks. Delivered at least once, in no particular order.',
      security: [],
      parameters: signatureHeaders,
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: {
        '2XX': { description: 'accepted' },
        '410': { description: 'no longer wanted: the service disables the webhook' },
        default: { description: 'not accepted: the service tries again later' },
      },
    },
  };
}

/**
 * The OpenAPI 3.1 document of the whole API, from the schemas that validate requests. A new object at each call.
 * @param table the operations; another one for tests
 */
export function buildOpenApiDocument(table: readonly Operation[] = operations): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of table) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  const used = new Set<string>(table.flatMap(({ tag, security }) => [tag, security]));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Face check-in',
      version: PRODUCT_VERSION,
      description:
        'Opt-in enrolment and offline face verification at the door. Bodies are JSON in camelCase, times are in UTC, errors are problem details (RFC 9457), and collections are paged by cursor.',
      contact: { name: 'The operator of this deployment' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'this deployment' }],
    tags: (Object.keys(tagDescriptions) as TagName[])
      .filter((name) => used.has(name))
      .map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    webhooks: Object.fromEntries(
      Object.entries(webhookNotifications).map(([type, summary]) => [type, webhookObject(type, summary)]),
    ),
    components: {
      securitySchemes: Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name))),
      headers: table.some(({ deprecated }) => deprecated !== undefined)
        ? { ...headerComponents, ...deprecationComponents }
        : headerComponents,
      schemas: buildComponents(),
    },
  };
}
