import { randomInt } from 'node:crypto';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { buildOpenApiDocument, HOUR_MS, isStream, type Operation, operations } from '@svc/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { base64 } from '../../testing/enrolment-fixture.ts';
import { createSeededRandom } from '../../testing/robustness/seeded-random.ts';
import { createTenant, credentialOf, type Tenant, targetOf } from '../../testing/tenant.ts';
import { createLogSink, createManualClock, oneNodeOnly } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';

/** `npm run test:long` sends more, with a new seed each time; `SVC_TEST_FUZZ_SEED` repeats a run. */
const MANY = process.env.SVC_TEST_API_FUZZ_REQUESTS;
const REQUESTS = Number(MANY ?? 150);
const SEED = Number(process.env.SVC_TEST_FUZZ_SEED ?? (MANY === undefined ? 20_261_121 : randomInt(2 ** 31)));
const AT_ONCE = 25;
/** A tenant's resources last for so many requests: some of them delete. */
const REQUESTS_A_TENANT = 100;
/** Number of complaints after which the run ends. */
const ENOUGH = 10;
const GENEROUS_MS = 20_000;

/** Before the times in the document's examples. */
const clock = createManualClock(Date.parse('2027-06-02T10:00:00.000Z'));
const random = createSeededRandom(SEED);
const log = createLogSink();
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const environment = oneNodeOnly('how it answers what hardly is HTTP');
const { api } = useApi({ clock, logDestination: log, environment, customer: null });
let tenants: readonly [Tenant, Tenant];

const makeTenant = () => createTenant(api, clock.now());

beforeAll(async () => {
  tenants = [await makeTenant(), await makeTenant()];
});
afterAll(() => agent.destroy());

const HOSTILE: readonly [unknown, ...unknown[]] = [
  null,
  ...[true, -1, 0.5, 1e308, 2 ** 53, '', ' ', 'a\0b', '\ud800', 'x'.repeat(300), 'x'.repeat(70_000), 'Ａ́'],
  ...[[], {}, [[]], ['x', 'x'], { $ref: '#' }, '__proto__', '{"a":1}', '2027-02-30T00:00:00Z', '9999-12-31T23:59:60Z'],
  ...[
    '../../etc/passwd',
    "'; DROP TABLE people; --",
    '%00',
    'http://169.254.169.254/',
    'lst_01jwnafy00e2rbg3vfk4s6q9tz',
  ],
];

/** The same value with one place of it replaced, removed, or with a member too many. */
function changed(value: unknown): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length === 0 || random.chance(0.2)) return random.pick(HOSTILE);
  const key = random.pick(keys as [string, ...string[]]);
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value);
  const how = random.next();
  if (how < 0.15) delete copy[key];
  else if (how < 0.3) copy[`${key}2`] = copy[key];
  else copy[key] = changed(copy[key]);
  return copy;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Bodies that are no JSON of their kind, by what is wrong with them. */
const spoilt: readonly [Spoil, ...Spoil[]] = [
  (text) => ({ body: Buffer.from(text.slice(0, Math.ceil(text.length / 2))), headers: JSON_TYPE }),
  (text) => ({ body: Buffer.from(text + text), headers: JSON_TYPE }),
  (text) => ({ body: Buffer.from(text.replace('{', '{"name":"first","name":"second",')), headers: JSON_TYPE }),
  () => ({ body: Buffer.from(`{"name":${'['.repeat(3_000)}${']'.repeat(3_000)}}`), headers: JSON_TYPE }),
  (text) => ({ body: Buffer.from(text.replace(/\d+/, '1'.repeat(400))), headers: JSON_TYPE }),
  (text) => ({ body: Buffer.from(`${text}\0`), headers: JSON_TYPE }),
  (text) => ({ body: Buffer.from(`\ufeff${text}`), headers: JSON_TYPE }),
  (text) => ({ body: Buffer.concat([Buffer.from(text.slice(0, 8)), Buffer.from([0xe9, 0xff])]), headers: JSON_TYPE }),
  () => ({ body: Buffer.alloc(0), headers: JSON_TYPE }),
  (text) => ({ body: Buffer.from(text), headers: { 'Content-Type': 'text/plain' } }),
  (text) => ({ body: Buffer.from(text), headers: {} }),
  (text) => ({ body: Buffer.from(text), headers: { 'Content-Type': 'application/json; charset=utf-16' } }),
  (text) => ({ body: gzipSync(text), headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' } }),
];
type Spoil = (text: string) => { readonly body: Buffer; readonly headers: Record<string, string> };

const strangePaths: readonly [(path: string) => string, ...((path: string) => string)[]] = [
  (path) => `${path}/`,
  (path) => path.replace('/v1/', '/v1//'),
  (path) => path.toUpperCase(),
  (path) => `${path}%`,
  (path) => `${path}%00`,
  (path) => `${path}${'a'.repeat(12_000)}`,
  (path) => `http://elsewhere.example${path}`,
  (path) => `${path}#x`,
  (path) => `${path}${path.includes('?') ? '&' : '?'}limit=0&cursor=!&a[b]=c`,
  // One of the path's names, or its query, is another.
  (path) => path.replace(/[^/=]+$/, encodeURIComponent(String(random.pick(HOSTILE)).replaceAll('\ud800', ''))),
];

const strangeHeaders: readonly [Record<string, string>, ...Record<string, string>[]] = [
  { 'Idempotency-Key': 'x'.repeat(300) },
  { 'Idempotency-Key': 'two words' },
  { 'X-Request-Id': 'é', 'X-Forwarded-For': '1.2.3.4, , x' },
  { 'Accept-Language': '*;q=2', Accept: 'text/xml' },
  { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
  { Range: 'bytes=0-0', 'If-None-Match': '*', 'If-Modified-Since': 'yesterday' },
  { Expect: '200-ok' },
];

const exampleConsent = { consentVersion: 'eu-v2', explicitBiometricConsent: true, writtenRelease: true };

/** Parts of a valid body that no example can have. */
function validBody({ operationId, request }: Operation): unknown {
  if (['createEvent', 'updateEvent', 'copyEvent'].includes(operationId)) {
    const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
    return { name: 'Concert', startsAt: at(1), endsAt: at(5) };
  }
  if (operationId === 'createList') return { name: 'Members', ongoing: true };
  const example = request?.example as Record<string, unknown> | undefined;
  const person = {
    ...(example?.consent === undefined ? {} : example),
    consent: { ...exampleConsent, givenAt: new Date(clock.now()).toISOString() },
    imageBase64: base64('a face'),
  };
  if (operationId === 'enrolPeople') return { people: [{ ...person, personId: 'one of many' }] };
  return operationId === 'enrolPerson' || operationId === 'putPerson' ? person : example;
}

interface Exchange {
  readonly operation: Operation;
  readonly owner: Tenant;
  readonly stranger: Tenant;
  /** Whether the stranger's resources are named by the owner's credential. */
  readonly isForeign: boolean;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

const drawn = operations.filter((operation) => !isStream(operation)) as [Operation, ...Operation[]];

function draw(): Exchange {
  const operation = random.pick(drawn);
  const [owner, stranger] = random.chance(0.5) ? tenants : [tenants[1], tenants[0]];
  const isForeign = random.chance(0.1);
  const target = targetOf(operation, isForeign ? stranger : owner);
  const method = random.chance(0.05) ? random.pick(['GET', 'HEAD', 'PUT', 'DELETE', 'TRACE']) : operation.method;
  const security = random.chance(0.1) ? random.pick(drawn).security : operation.security;
  const value = validBody(operation);
  const text = JSON.stringify(random.chance(0.6) ? changed(value) : value) ?? 'null';
  const whole = { body: Buffer.from(text), headers: JSON_TYPE };
  const sent =
    value === undefined && random.chance(0.9) ? null : random.chance(0.15) ? random.pick(spoilt)(text) : whole;
  return {
    ...{ operation, owner, stranger, isForeign, method: method.toUpperCase() },
    path: random.chance(0.2) ? random.pick(strangePaths)(target) : target,
    headers: {
      ...sent?.headers,
      ...credentialOf(owner, security),
      ...(random.chance(0.1) ? random.pick(strangeHeaders) : {}),
    },
    body: sent?.body ?? null,
  };
}

interface Answer {
  readonly status: number;
  readonly mediaType: string;
  readonly text: string;
}

/** @throws Error of the connection */
function send({ method, path, headers, body }: Exchange): Promise<Answer> {
  const { hostname, port } = new URL(api.url);
  const length = body === null ? {} : { 'Content-Length': String(body.length) };
  return new Promise((resolve, reject) => {
    const outgoing = request({ agent, hostname, port, method, path, headers: { ...length, ...headers } });
    outgoing.setTimeout(GENEROUS_MS, () => outgoing.destroy(new Error('no answer came in generous time')));
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const mediaType = response.headers['content-type'] ?? '';
      const answer = (read: Buffer) => resolve({ status: response.statusCode ?? 0, mediaType, text: read.toString() });
      buffer(response).then(answer, reject);
    });
    outgoing.end(body ?? undefined);
  });
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false });
ajv.addSchema(buildOpenApiDocument(), 'openapi');
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Whether a body violates the document's schema, or is not JSON. */
function breaksItsSchema({ path, method }: Operation, body: Uint8Array): boolean {
  const pointer = ['paths', path, method, 'requestBody', 'content', 'application/json', 'schema'];
  const $ref = `openapi#/${pointer.map(escaped).join('/')}`;
  const validate = ajv.getSchema($ref) ?? ajv.compile({ $id: $ref, $ref });
  try {
    return !validate(JSON.parse(Buffer.from(body).toString()));
  } catch {
    return true;
  }
}

/** A problem without what it tells the holder of a token: the names that the token's page shows. */
function withoutToken(problem: string): string {
  try {
    return JSON.stringify({ ...JSON.parse(problem), token: undefined });
  } catch {
    return problem;
  }
}

/** Number of accepted bodies. */
let judged = 0;

/** Violations of rules for every answer, whatever the request; the test API compares it with the document besides. */
function complaintsAbout(exchange: Exchange, { status, mediaType, text }: Answer): string[] {
  const { operation, owner, stranger, isForeign, method, headers, body } = exchange;
  const complaints: string[] = [];
  const busy = status === 503 && /"code":"(overloaded|not-ready)"/.test(text);
  if (status >= 500 && !busy) {
    const requestId = /req_[\w-]+/.exec(text)?.[0] ?? text;
    const told = log.text.split('\n').filter((line) => line.includes(requestId) && line.includes('failed'));
    complaints.push(`answered ${status}: ${told.join('\n').slice(0, 1_500)}`);
  }
  if (status >= 400 && method !== 'HEAD' && !mediaType.startsWith('application/problem+json'))
    complaints.push(`answered ${status} as ${mediaType}`);
  if (status < 300 && operation.request !== undefined && body !== null && body.length > 0) {
    const isItsMethod = method === operation.method.toUpperCase();
    if (isItsMethod) judged += 1;
    // People of a batch are judged each by themselves.
    const isWhole = operation.request.envelope === undefined;
    if (isItsMethod && isWhole && breaksItsSchema(operation, body))
      complaints.push('took a body that its schema refuses');
  }
  if (!isForeign && text.includes(stranger.canary)) complaints.push('showed another tenant’s data');
  if (status >= 400 && withoutToken(text).includes(isForeign ? stranger.canary : owner.canary))
    complaints.push('echoed input in an error');
  if (Object.values(headers).join(' ').includes('svc') && /svc[ktedsl]_[0-9A-Za-z]{49}/.test(text) && status >= 400)
    complaints.push('showed a secret in an error');
  return complaints;
}

it(
  `${REQUESTS} requests made of the document`,
  async () => {
    process.stdout.write(`openapi.fuzz: seed ${SEED}, ${REQUESTS} requests\n`);
    const complaints: string[] = [];
    const succeeded = new Set<string>();
    const seen = new Set<string>();
    for (let sent = 0; sent < REQUESTS && complaints.length < ENOUGH; sent += AT_ONCE) {
      if (sent > 0 && sent % REQUESTS_A_TENANT === 0) {
        tenants = [await makeTenant(), tenants[0]];
        clock.advance(60_000);
      }
      const exchanges = Array.from({ length: AT_ONCE }, draw);
      const answers = await Promise.allSettled(exchanges.map(send));
      for (const [i, exchange] of exchanges.entries()) {
        const { operation, method, path, body } = exchange;
        const answer = answers[i];
        const what = `${operation.operationId}: ${method} ${path.slice(0, 300)} ${body?.toString().slice(0, 300) ?? ''}`;
        if (answer?.status !== 'fulfilled') complaints.push(`${what}\n  ${String(answer?.reason)}`);
        else complaints.push(...complaintsAbout(exchange, answer.value).map((complaint) => `${what}\n  ${complaint}`));
        if (answer?.status === 'fulfilled' && answer.value.status < 300) succeeded.add(operation.operationId);
      }
      complaints.push(...[...api.violations].filter((violation) => !seen.has(violation)));
      for (const violation of api.violations) seen.add(violation);
    }
    expect(complaints, `SVC_TEST_FUZZ_SEED=${SEED}`).toEqual([]);
    // A fuzzer whose requests never succeed would prove nothing. What signs in needs a link or a passkey.
    const never = drawn.filter(({ operationId, signsIn }) => !signsIn && !succeeded.has(operationId));
    process.stdout.write(`openapi.fuzz: never succeeded: ${never.map((o) => o.operationId).join(', ') || 'none'}\n`);
    expect(never.length).toBeLessThan(operations.length / (MANY === undefined ? 1.5 : 5));
    expect(judged).toBeGreaterThan(REQUESTS / 50);
  },
  60_000 + REQUESTS * 60,
);
