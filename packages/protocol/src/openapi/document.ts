import { IDEMPOTENCY_KEY_HEADER } from '../idempotency.ts';
import type { Security } from '../operations/endpoints.ts';
import { type Operation, operations, type Parameter } from '../operations/operations.ts';
import { buildComponents, componentRef } from './components.ts';
import { headerComponents, isKeyed, responsesOf } from './responses.ts';
import { type TagName, tagDescriptions } from './tags.ts';

const SECURITY_SCHEMES: Readonly<Record<Exclude<Security, 'none'>, object>> = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'The organiser’s server. Starts with `svck_`; stays on the server.',
  },
  guestToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A guest in the widget: an enrolment token. Starts with `svce_`; enrols one ticket, once.',
  },
  deviceToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A check-in device. Starts with `svcd_`; read-only, for one list.',
  },
};

function requestBodyOf({ request }: Operation): object {
  if (request === undefined) return {};
  const example = request.example === undefined ? {} : { example: request.example };
  return {
    requestBody: {
      required: request.required !== false,
      content: { 'application/json': { schema: componentRef(request.schema), ...example } },
    },
  };
}

const idempotencyKey: Parameter = {
  name: IDEMPOTENCY_KEY_HEADER,
  in: 'header',
  required: false,
  description:
    'names this request for 24 hours: a repeat with the same key has no further effect and is answered as the first one was',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
};

function parametersOf(operation: Operation): object {
  const parameters = [...operation.parameters, ...(isKeyed(operation) ? [idempotencyKey] : [])];
  return parameters.length === 0 ? {} : { parameters };
}

function operationObject(operation: Operation): object {
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: operation.security === 'none' ? [] : [{ [operation.security]: [] }],
    ...parametersOf(operation),
    ...requestBodyOf(operation),
    responses: responsesOf(operation),
  };
}

/** The OpenAPI 3.1 document of the whole API, built from the same schemas that validate requests. A fresh object at each call. */
export function buildOpenApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  const used = new Set<string>(operations.flatMap(({ tag, security }) => [tag, security]));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Face check-in',
      version: '1.0.0',
      description:
        'Opt-in enrolment and offline verification at the door. JSON in camelCase, timestamps in UTC, errors as problem details (RFC 9457), collections by cursor.',
      contact: { name: 'Whoever operates this deployment' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'this deployment' }],
    tags: (Object.keys(tagDescriptions) as TagName[])
      .filter((name) => used.has(name))
      .map((name) => ({ name, description: tagDescriptions[name] })),
    paths,
    components: {
      securitySchemes: Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name))),
      headers: headerComponents,
      schemas: buildComponents(),
    },
  };
}
