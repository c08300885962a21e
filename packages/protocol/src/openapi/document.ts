import { type ErrorCode, errorTable } from '../errors.ts';
import { createProblem, PROBLEM_MEDIA_TYPE } from '../problem.ts';
import { SYNC_MEDIA_TYPE } from '../sync.ts';
import { buildComponents, componentRef } from './components.ts';
import type { Operation, Security, Success } from './operation.ts';
import { operations } from './operations/index.ts';

const SECURITY_SCHEMES = {
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
} as const;

/** Codes that follow from who calls, whatever the operation. */
const CODES_OF_SECURITY: Readonly<Record<Security, readonly ErrorCode[]>> = {
  apiKey: [
    'missing-credential',
    'invalid-credential',
    'wrong-credential',
    'account-suspended',
    'rate-limited',
    'not-ready',
  ],
  deviceToken: ['missing-credential', 'invalid-credential', 'wrong-credential', 'rate-limited', 'not-ready'],
  guestToken: ['missing-credential', 'invalid-credential', 'wrong-credential', 'rate-limited', 'not-ready'],
  none: [],
};

const REQUEST_ID = 'req_example';
const requestIdHeader = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } } as const;

/** Every code that an operation may answer, in the order of the table. */
export function errorCodesOf(operation: Operation): readonly ErrorCode[] {
  const wanted = new Set<ErrorCode>([...operation.errors, ...CODES_OF_SECURITY[operation.security], 'internal-error']);
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => wanted.has(code));
}

function problemResponse(codes: readonly ErrorCode[]): object {
  const retryAfter = codes.some((code) => errorTable[code].status === 429 || errorTable[code].status === 503);
  const authenticate = codes.some((code) => errorTable[code].status === 401);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].title}`).join('. '),
    headers: {
      ...requestIdHeader,
      ...(retryAfter ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
      ...(authenticate ? { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } } : {}),
    },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: componentRef('Problem'),
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: createProblem(code, { requestId: REQUEST_ID }) }]),
        ),
      },
    },
  };
}

function successContent(success: Success): object {
  if (success.schema !== undefined) {
    const example = success.example === undefined ? {} : { example: success.example };
    return { content: { 'application/json': { schema: componentRef(success.schema), ...example } } };
  }
  if (success.mediaType === undefined) return {};
  // OpenAPI 3.1: a body of bytes has a media type and no schema of its own
  return {
    content: { [success.mediaType]: success.mediaType === SYNC_MEDIA_TYPE ? {} : { schema: { type: 'object' } } },
  };
}

function responsesOf(operation: Operation): Record<string, object> {
  const { success } = operation;
  const headers = Object.fromEntries(
    Object.entries(success.headers ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
  const responses: Record<string, object> = {
    [success.status]: {
      description: success.description,
      headers: { ...requestIdHeader, ...headers },
      ...successContent(success),
    },
  };
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) responses[status] = problemResponse(codes);
  return responses;
}

function operationObject(operation: Operation): object {
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: operation.security === 'none' ? [] : [{ [operation.security]: [] }],
    ...(operation.parameters === undefined ? {} : { parameters: operation.parameters }),
    ...(operation.request === undefined
      ? {}
      : {
          requestBody: {
            required: operation.request.required,
            content: {
              'application/json': {
                schema: componentRef(operation.request.schema),
                ...(operation.request.example === undefined ? {} : { example: operation.request.example }),
              },
            },
          },
        }),
    responses: responsesOf(operation),
  };
}

/** The OpenAPI 3.1 document of the whole API, built from the same schemas that validate requests. A fresh object at each call. */
export function buildOpenApiDocument(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: operationObject(operation) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Face check-in',
      version: '1.0.0',
      description:
        'Opt-in enrolment and offline verification at the door. JSON in camelCase, timestamps in UTC, errors as problem details (RFC 9457), collections by cursor.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      headers: {
        'X-Request-Id': { description: 'identifier of the request, for support', schema: { type: 'string' } },
        'Retry-After': { description: 'seconds to wait', schema: { type: 'integer', minimum: 0 } },
        'WWW-Authenticate': { description: 'the kind of credential that is expected', schema: { type: 'string' } },
      },
      schemas: buildComponents(),
    },
  };
}
