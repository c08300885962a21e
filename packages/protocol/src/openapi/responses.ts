import { componentRef } from '../common.ts';
import { type ErrorCode, errorTable } from '../errors.ts';
import type { Success } from '../operations/descriptions.ts';
import type { Security } from '../operations/endpoints.ts';
import type { Operation } from '../operations/operations.ts';
import { createProblem, PROBLEM_MEDIA_TYPE, problemSchema } from '../operations/problem.ts';

/** Error codes of callers who are counted, and of every step of signing in. */
const CODES_OF_LIMITS: readonly ErrorCode[] = ['rate-limited', 'overloaded', 'not-ready'];
const CODES_OF_CREDENTIALS: readonly ErrorCode[] = [
  ...(['missing-credential', 'invalid-credential', 'wrong-credential'] as const),
  ...CODES_OF_LIMITS,
];
const CODES_OF_SESSIONS: readonly ErrorCode[] = [
  ...CODES_OF_CREDENTIALS,
  ...(['account-suspended', 'csrf-token-invalid', 'foreign-page'] as const),
];
/** Error codes that depend on the credential, for every operation. */
const CODES_OF_SECURITY: Readonly<Record<Security, readonly ErrorCode[]>> = {
  apiKey: [...CODES_OF_SESSIONS, 'insufficient-scope'],
  session: CODES_OF_SESSIONS,
  guestToken: [...CODES_OF_CREDENTIALS, 'account-suspended'],
  deviceToken: CODES_OF_CREDENTIALS,
  none: [],
};

/** Error codes that no reading of a person in the dashboard has: it changes nothing that a foreign page could want. */
const CODES_OF_CHANGES: ReadonlySet<ErrorCode> = new Set(['csrf-token-invalid', 'foreign-page']);

/** Codes of everything that takes an `Idempotency-Key`. */
const CODES_OF_KEYS: readonly ErrorCode[] = [
  'request-in-flight',
  'secret-already-issued',
  'answer-erased',
  'idempotency-key-reused',
];

/** Error codes of every POST, PUT and PATCH, also of those without a body. */
const CODES_OF_BODIES: readonly ErrorCode[] = [
  'invalid-json',
  'invalid-request',
  'request-timeout',
  'request-too-large',
  'unsupported-media-type',
];

/**
 * True for a request that takes an `Idempotency-Key`: each POST of servers and guests, and what replaces a face. What a
 * person does to its session has challenges that work once.
 */
export const isKeyed = ({ method, keyed, security }: Operation): boolean =>
  keyed === true || (method === 'post' && security !== 'none' && security !== 'session');

/**
 * Error codes of every operation: a missing or repeated `Host`, invalid HTTP, unknown parameters, a failure of the
 * service.
 */
const CODES_OF_ALL: readonly ErrorCode[] = ['invalid-request', 'unknown-parameter', 'internal-error'];

const REQUEST_ID = 'req_example';

/** Headers of several answers, by their names in `components.headers`. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'ID of the request; quote it when you ask for help',
    required: true,
    schema: { type: 'string', pattern: '^req_[A-Za-z0-9_-]+$' },
  },
  RateLimit: {
    description: 'remaining requests (`r`), and seconds until the rate limit resets (`t`)',
    schema: { type: 'string', examples: ['"api-key";r=5999;t=60'] },
  },
  'RateLimit-Policy': {
    description: 'the rate limit: requests (`q`) in each window of `w` seconds',
    schema: { type: 'string', examples: ['"api-key";q=6000;w=60'] },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': { description: 'seconds to wait before you try again', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': {
    description: 'the kind of credential that the operation accepts',
    required: true,
    schema: { type: 'string' },
  },
} as const;

/** Headers of deprecated operations. */
export const deprecationComponents = {
  Deprecation: {
    description: 'when the operation was deprecated (RFC 9745): `@` and seconds since 1970',
    required: true,
    schema: { type: 'string', pattern: '^@[0-9]+$', examples: ['@1798761600'] },
  },
  Sunset: {
    description: 'from when the operation may be removed (RFC 8594)',
    required: true,
    schema: { type: 'string', examples: ['Sat, 01 Jan 2028 00:00:00 GMT'] },
  },
  Link: {
    description: 'with `rel="deprecation"`: the operation’s entry in the reference',
    required: true,
    schema: { type: 'string' },
  },
} as const;

const header = (name: keyof typeof headerComponents | keyof typeof deprecationComponents) => ({
  [name]: { $ref: `#/components/headers/${name}` },
});

/** Answers to authenticated callers, and to those who sign in, carry the rate limit headers. */
const rateLimitHeaders = (operation: Operation) =>
  operation.security === 'none' && !operation.signsIn ? {} : { ...header('RateLimit'), ...header('RateLimit-Policy') };

const deprecationHeaders = ({ deprecated }: Operation) =>
  deprecated === undefined ? {} : { ...header('Deprecation'), ...header('Sunset'), ...header('Link') };

/** Every error code of an operation, in table order. */
export function errorCodesOf(operation: Operation): readonly ErrorCode[] {
  const ofKeys = isKeyed(operation) ? CODES_OF_KEYS : [];
  const ofBodies = operation.method === 'get' || operation.method === 'delete' ? [] : CODES_OF_BODIES;
  const ofPath: ErrorCode[] = operation.path.includes('{') ? ['not-found'] : [];
  const ofSecurity = CODES_OF_SECURITY[operation.security];
  const ofCaller: ErrorCode[] = [
    ...(operation.method === 'get' ? ofSecurity.filter((code) => !CODES_OF_CHANGES.has(code)) : ofSecurity),
    ...(operation.fresh ? (['reauthentication-required'] as const) : []),
    ...(operation.signsIn ? CODES_OF_LIMITS : []),
    ...(operation.signsIn && operation.method === 'post' ? (['foreign-page'] as const) : []),
  ];
  const wanted = new Set<ErrorCode>([
    ...operation.errors,
    ...ofPath,
    ...ofCaller,
    ...ofKeys,
    ...ofBodies,
    ...CODES_OF_ALL,
  ]);
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => wanted.has(code));
}

function problemResponse(operation: Operation, status: number, codes: readonly ErrorCode[]): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].title}`).join('. '),
    headers: {
      ...header('X-Request-Id'),
      ...deprecationHeaders(operation),
      ...rateLimitHeaders(operation),
      ...(status === 408 || status === 429 || status === 503 || codes.includes('request-in-flight')
        ? header('Retry-After')
        : {}),
      ...(status === 401 ? header('WWW-Authenticate') : {}),
    },
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { ...componentRef(problemSchema), properties: { status: { const: status }, code: { enum: codes } } },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: createProblem(code, { requestId: REQUEST_ID }) }]),
        ),
      },
    },
  };
}

const anyProblem = {
  description: 'any other error',
  headers: header('X-Request-Id'),
  content: { [PROBLEM_MEDIA_TYPE]: { schema: componentRef(problemSchema) } },
};

/** Schema of a body of bytes or text; its description names its parts, which no schema can express. */
function opaqueSchema({ mediaType, part }: Pick<Success, 'mediaType' | 'part'>): object {
  if (mediaType === 'application/json') return { type: 'object' };
  return { contentMediaType: mediaType, ...(part === undefined ? {} : { $defs: { part: componentRef(part) } }) };
}

function successContent(success: Operation['success']): object {
  const example = success.example === undefined ? {} : { example: success.example };
  const content: Record<string, object> = {};
  if (success.schema !== undefined) {
    content['application/json'] = { schema: componentRef(success.schema), ...example };
  } else if (success.mediaType !== undefined) {
    content[success.mediaType] = { schema: opaqueSchema(success), ...example };
  }
  for (const other of success.alternatives ?? []) content[other.mediaType] = { schema: opaqueSchema(other) };
  return Object.keys(content).length === 0 ? {} : { content };
}

/** `responses` of an operation: its success, and one entry per error status. */
export function responsesOf(operation: Operation): Record<string, object> {
  const { success } = operation;
  const headers = Object.fromEntries(
    Object.entries(success.headers ?? {}).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' } },
    ]),
  );
  const answer = (description: string, own = headers) => ({
    description,
    headers: {
      ...header('X-Request-Id'),
      ...deprecationHeaders(operation),
      ...rateLimitHeaders(operation),
      ...(isKeyed(operation) ? header('Idempotent-Replayed') : {}),
      ...own,
    },
    ...successContent(success),
  });
  const Location = { description: 'path of the created resource', schema: { type: 'string' } };
  const responses: Record<string, object> = {
    [success.status]: answer(success.description),
    ...(success.created === undefined ? {} : { 201: answer(success.created, { Location }) }),
  };
  if (success.headers?.ETag !== undefined) {
    responses[304] = { description: 'not modified', headers: { ...header('X-Request-Id'), ...headers } };
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(operation)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  for (const [status, codes] of byStatus) responses[status] = problemResponse(operation, status, codes);
  // What leads a browser elsewhere has no answer of its own; the rule that operations have one takes this for it.
  if (success.status === 303) responses.default = anyProblem;
  return responses;
}
