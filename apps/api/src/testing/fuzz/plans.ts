import { buildOpenApiDocument, componentName, isStream, type Operation, operations } from '@svc/protocol';
import fc from 'fast-check';
import { type Drawn, kindOf } from './known.ts';
import { drawn, encode, hostileText, nearly, type Schema, seldom } from './values.ts';

/** The credential of a request; `right` is the operation's own kind, of the requesting tenant. */
export const credentials = [
  'right',
  'none',
  'mistyped',
  'garbage',
  'apiKey',
  'guestToken',
  'deviceToken',
  'foreign',
  'swapped',
] as const;

/** A part of a URL: a placeholder, or raw text that is not encoded. */
export type Part = Drawn | { readonly raw: string };

/** A request before the values from earlier answers are filled in. */
export interface Plan {
  readonly operation: Operation;
  readonly method: string;
  readonly tenant: number;
  readonly parameters: readonly Part[];
  /** Uses another tenant's identifiers. */
  readonly foreign: boolean;
  readonly mangle: 'no' | 'slash' | 'double' | 'case' | 'percent' | 'nul' | 'long' | 'absolute' | 'fragment';
  readonly query: readonly (readonly [string, Part])[];
  readonly credential: (typeof credentials)[number];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly value: unknown; readonly text: BodyText } | null;
}

/** Transformations of a body; most are sent unchanged. */
export const bodyTexts = [
  'plain',
  'cut',
  'doubled',
  'repeated-key',
  'deep',
  'long',
  'huge-number',
  'nul',
  'bom',
  'latin1',
  'empty',
  'text',
  'gzip',
  'no-type',
  'charset',
  'short-length',
] as const;
export type BodyText = (typeof bodyTexts)[number];

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { parameters?: readonly { name: string; in: string; schema: Schema }[] }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Operations that delete what others need are less frequent. */
const weightOf = ({ operationId, method, security }: Operation): number => {
  if (security === 'none') return 1;
  if (/^(end|close|delete(List|Event|Webhook))/.test(operationId)) return 1;
  if (/^(create|enrol|add)/.test(operationId)) return 8;
  return method === 'get' ? 4 : 3;
};

const mostly = <T>(usual: T, others: readonly T[], weight: number): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

/** Encoded as by a client, or not encoded. */
const hostilePart: fc.Arbitrary<Part> = fc.oneof(
  hostileText.map((text) => ({ raw: encode(text) })),
  fc
    .constantFrom('%', '%zz', '%E0%A4%A', '%c0%ae', '%ff', '%2e%2e', '%2F..%2F', ';', "'", '*', '')
    .map((raw) => ({ raw })),
);

const hostileHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.nat({ max: 30 }).map((n) => ({ 'Idempotency-Key': `key-${n}` }) as Record<string, string>),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'Idempotency-Key': '' },
      { 'Idempotency-Key': 'a b' },
      { 'Idempotency-Key': 'k'.repeat(256) },
      { Accept: 'application/x-ndjson' },
      { Accept: 'image/png;q=x' },
      { 'Accept-Language': 'xx;q=9,*' },
      { 'Accept-Language': 'de-AT, fr;q=0.3' },
      { Origin: 'https://evil.example' },
      { 'X-Request-Id': 'mine' },
      { 'X-Forwarded-For': "'; --" },
      { 'X-HTTP-Method-Override': 'DELETE' },
      { Expect: '100-continue' },
      { Range: 'bytes=0-1' },
      { 'If-None-Match': '*' },
      { Cookie: 'a'.repeat(9_000) },
      { 'Svc-Nonce': 'short' },
      { 'Svc-Device-Key': 'A'.repeat(87) },
    ),
  },
);

function planOf(operation: Operation, document: Document): fc.Arbitrary<Plan> {
  const resolve = (reference: string): Schema => document.components.schemas[reference.split('/').pop() ?? ''] ?? {};
  const parameters = document.paths[operation.path]?.[operation.method]?.parameters ?? [];
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const partOf = (name: string, schema: Schema): fc.Arbitrary<Part> => {
    if (kindOf(name) !== 'any') return drawn(kindOf(name));
    return nearly(name, schema, resolve).map((value) => ({ raw: encode(String(value)) }));
  };
  const query = fc.tuple(
    ...inQuery.map(({ name, schema }) =>
      fc.option(
        fc.tuple(
          fc.constant(name),
          fc.oneof({ weight: 5, arbitrary: partOf(name, schema) }, { weight: 1, arbitrary: hostilePart }),
        ),
      ),
    ),
    seldom(fc.tuple(fc.constantFrom('limit', 'cursor', 'x', 'limit[]', '__proto__', ''), hostilePart)),
  );
  const schema = operation.request === undefined ? undefined : resolve(componentName(operation.request.schema));
  const body = schema === undefined ? fc.jsonValue({ maxDepth: 2 }) : nearly('', schema, resolve);
  const bodyPlan = fc.record({ value: body, text: mostly<BodyText>('plain', bodyTexts, 12) });
  return fc.record<Plan>({
    operation: fc.constant(operation),
    method: mostly(
      operation.method.toUpperCase(),
      ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'],
      19,
    ),
    tenant: fc.nat({ max: 1 }),
    parameters: fc.tuple(
      ...inPath.map(({ name, schema: own }) =>
        fc.oneof({ weight: 11, arbitrary: partOf(name, own) }, { weight: 1, arbitrary: hostilePart }),
      ),
    ),
    foreign: fc.nat({ max: 9 }).map((n) => n === 0),
    mangle: mostly<Plan['mangle']>(
      'no',
      ['slash', 'double', 'case', 'percent', 'nul', 'long', 'absolute', 'fragment'],
      29,
    ),
    query: query.map((entries) => entries.filter((entry) => entry !== null)),
    credential: mostly<Plan['credential']>('right', credentials, 7),
    headers: hostileHeaders,
    body:
      schema === undefined
        ? seldom(bodyPlan)
        : fc.oneof({ weight: 19, arbitrary: bodyPlan }, { weight: 1, arbitrary: fc.constant(null) }),
  });
}

/** Requests for every operation of the document: valid, nearly valid, and hostile ones. */
export function plans(): fc.Arbitrary<Plan> {
  const document = buildOpenApiDocument() as Document;
  return fc.oneof(
    ...operations
      .filter((o) => !isStream(o))
      .map((operation) => ({ weight: weightOf(operation), arbitrary: planOf(operation, document) })),
  );
}
