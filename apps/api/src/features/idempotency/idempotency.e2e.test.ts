import { isKeyed, type Operation, operations, problemSchema } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { base64, createList, enrolBody, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { createTenant, credentialOf, type Tenant, targetOf } from '../../testing/tenant.ts';
import {
  type Answer,
  createManualClock,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
  testEngines,
  testModels,
} from '../../testing/test-api.ts';

/** `npm run test:long`: of every operation, a hundred requests at once. */
const ALL = process.env.SVC_TEST_ALL === '1';
const AT_ONCE = ALL ? 100 : 10;
/** One of each way in which an effect is carried out once. */
const KINDS = ['createList', 'enrolPerson', 'addDevice', 'createEnrolmentTokenBatch', 'enrolGuest', 'undoDecline'];
/** Before the times in the document's examples. */
const clock = createManualClock(Date.parse('2027-06-02T10:00:00.000Z'));
const parts = { clock, createInference: createFakeInference, engines: testEngines() };
const few = { SVC_DATABASE_CONNECTIONS: '5' };
let first: TestApi;
let second: TestApi;
let customer: TestCustomer;

beforeAll(async () => {
  first = await startTestApi(inject('postgres'), parts, few);
  const { databaseUrl, dataDirectory } = first.config;
  const environment = { ...few, DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory };
  second = await startTestApi(inject('postgres'), parts, environment);
  customer = await first.customer({ country: 'FR' });
});
afterAll(async () => {
  await second.close();
  await first.close();
});

let keys = 0;
const nextKey = () => `key-${++keys}`;

const post = (
  key: string,
  path: string,
  body: unknown,
  { url, owner = customer }: { url?: string; owner?: TestCustomer } = {},
) =>
  requestJson<Record<string, unknown>>(`${url ?? first.url}${path}`, {
    method: 'POST',
    headers: { 'X-Api-Key': owner.apiKey, 'Idempotency-Key': key, 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const list = { name: 'Members', ongoing: true };
const codeOf = (answer: { body: unknown }) => problemSchema.parse(answer.body).code;
const countLists = async (owner = customer) =>
  (await owner.request<{ items: unknown[] }>('GET', '/v1/lists?limit=200')).body.items.length;

describe('a repeat', () => {
  it('is answered as the first request was, on any node, and does nothing', async () => {
    const key = nextKey();
    const made = await post(key, '/v1/lists', list);
    const before = await countLists();
    for (const { url } of [first, second]) {
      const again = await post(key, '/v1/lists', list, { url });
      expect([again.status, again.body]).toEqual([201, made.body]);
      expect(again.headers.get('location')).toBe(made.headers.get('location'));
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    expect(made.headers.get('idempotent-replayed')).toBeNull();
    expect(await countLists()).toBe(before);
  });

  it('under another API key of the account is the same request', async () => {
    const key = nextKey();
    const { apiKey } = await first.admin.keys.create(customer.accountId, 'next');
    const made = await post(key, '/v1/lists', list);
    const again = await post(key, '/v1/lists', list, { owner: { ...customer, apiKey } });
    expect(again.body.listId).toBe(made.body.listId);
  });

  it.each(['', 'two words', 'é', 'x'.repeat(256)])('needs a key that is one: %j', async (key) => {
    const before = await countLists();
    const answer = await post(Buffer.from(key, 'utf8').toString('latin1'), '/v1/lists', list);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid-request']);
    expect(await countLists()).toBe(before);
  });
});

describe('a secret that is shown once', () => {
  it('is not stored: a repeat gets the id of the resource', async () => {
    const [key, listId] = [nextKey(), await createList(customer)];
    const path = `/v1/lists/${listId}/devices`;
    const added = await post(key, path, {});
    expect(added.status).toBe(201);
    const again = await post(key, path, {}, { url: second.url });
    expect([again.status, codeOf(again), again.body.resourceId]).toEqual([409, 'secret-already-issued', added.body.id]);
    const devices = await customer.request<{ items: unknown[] }>('GET', path);
    expect(devices.body.items).toHaveLength(1);
    const kept = 'SELECT answer_sealed FROM idempotent_requests WHERE resource_id = $1';
    expect(await inDatabase(first, kept, [added.body.id])).toEqual([{ answer_sealed: null }]);
  });
});

describe('what is kept of an enrolment', () => {
  const personId = 'canary-person-4711';

  it('shows neither the person nor the key in the database, nor anything of the photo', async () => {
    const [key, listId] = [`canary-key-${personId}`, await createList(customer)];
    const image = 'canary-photo';
    const body = enrolBody(clock, { personId, image });
    const path = `/v1/lists/${listId}/people`;
    const enrolled = await post(key, path, body);
    expect(enrolled.status).toBe(201);
    const again = await post(key, path, body, { url: second.url });
    expect([again.status, again.body]).toEqual([201, enrolled.body]);
    expect(again.headers.get('location')).toBe(enrolled.headers.get('location'));
    const all = "SELECT r::text || encode(coalesce(r.answer_sealed, ''), 'escape') AS row FROM idempotent_requests r";
    const dump = JSON.stringify(await inDatabase(first, all, []));
    expect(dump.length).toBeGreaterThan(100);
    const inHex = [personId, image].map((text) => Buffer.from(text).toString('hex'));
    for (const secret of ['canary', personId, ...inHex]) expect(dump).not.toContain(secret);
  });

  it('is erased with the person, and a late repeat does not enrol again', async () => {
    const [key, listId] = [nextKey(), await createList(customer)];
    const path = `/v1/lists/${listId}/people`;
    const body = enrolBody(clock, { personId });
    expect((await post(key, path, body)).status).toBe(201);
    expect((await customer.request('DELETE', `${path}/${personId}`)).status).toBe(204);
    const again = await post(key, path, body);
    expect([again.status, codeOf(again)]).toEqual([409, 'answer-erased']);
    expect((await customer.request('GET', `${path}/${personId}`)).status).toBe(404);
    expect(JSON.stringify(again.body)).not.toContain(personId);
  });
});

type Body = Record<string, unknown>;
/** What changes nothing, and what tells of each of many by itself. */
const OTHERS = ['lookUpPeople', 'enrolPeople'];
const isAsked = (id: string) => (ALL ? !OTHERS.includes(id) : KINDS.includes(id));
const posts = operations.filter((operation) => isKeyed(operation) && isAsked(operation.operationId));

/** The parts of a body that the document's example leaves open. */
async function bodyOf({ operationId, request }: Operation, tenant: Tenant): Promise<unknown> {
  if (operationId === 'createList') return { name: 'Members', ongoing: true };
  if (operationId === 'changeModel') return { modelId: testModels.addOn.modelId };
  const withPhoto = { ...(request?.example as Body), imageBase64: base64('a face') };
  if (operationId === 'enrolPerson' || operationId === 'putPerson') return withPhoto;
  if (operationId === 'erasePeople') return { personIds: [tenant.parameters.personId] };
  if (operationId !== 'enrolGuest') return request?.example;
  const headers = { Authorization: `Bearer ${tenant.guestToken}` };
  const { body } = await requestJson<Body>(`${first.url}/v1/widget/session`, { headers });
  const { consentVersion, language, wordingSha256 } = body;
  const consent = { consentVersion, explicitBiometricConsent: true, writtenRelease: true };
  return { consent, language, wordingSha256, imageBase64: base64('a face') };
}

/** Sends one request several times at once, alternating between both nodes. */
async function send(operation: Operation, tenant: Tenant, times: number): Promise<Answer<Body>[]> {
  const body = await bodyOf(operation, tenant);
  const headers = {
    ...credentialOf(tenant, operation.security),
    'Idempotency-Key': operation.operationId,
    'Content-Type': 'application/json',
  };
  const init = {
    method: operation.method.toUpperCase(),
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  const urls = [first.url, second.url];
  const target = targetOf(operation, tenant);
  return Promise.all(Array.from({ length: times }, (_, i) => requestJson<Body>(`${urls[i % 2]}${target}`, init)));
}

/** Number of an account's rows in each table, and of its declined tokens, and its lists' versions. */
async function rowsOf(accountId: string): Promise<Record<string, number>> {
  const tables = await inDatabase<{ name: string }>(
    first,
    "SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'account_id'",
    [],
  );
  const counting = (name: string, what: string, table: string) =>
    `SELECT '${name}' AS name, ${what}::int AS n FROM ${table} WHERE account_id = $1`;
  const counts = [
    ...tables.map(({ name }) => counting(name, 'count(*)', name)),
    counting('declined', 'count(declined_at)', 'enrolment_tokens'),
    counting('versions', 'sum(list_version)', 'lists'),
  ];
  const rows = await inDatabase<{ name: string; n: number }>(first, counts.join(' UNION ALL '), [accountId]);
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/** The changes of a request in row counts; every act of an organiser adds one to the audit log. */
async function effectOf(operation: Operation, times: number) {
  const tenant = await createTenant(first, clock.now());
  const { accountId } = tenant.customer;
  // What can be undone has the key of the request that did it.
  if (operation.operationId === 'undoDecline') {
    const headers = { ...credentialOf(tenant, 'guestToken'), 'Idempotency-Key': operation.operationId };
    expect((await requestJson(`${first.url}/v1/widget/decline`, { method: 'POST', headers })).status).toBe(204);
  }
  const before = await rowsOf(accountId);
  const answers = await send(operation, tenant, times);
  const after = await rowsOf(accountId);
  const changes = Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const);
  return { answers, effect: Object.fromEntries(changes.filter(([, change]) => change !== 0)) };
}

const isSuccess = ({ status }: Answer<Body>) => status < 300;

describe('many requests at once with one key', () => {
  it.each(posts.map((operation) => [operation.operationId, operation] as const))(
    '%s: have the effect of one',
    async (_name, operation) => {
      const one = await effectOf(operation, 1);
      expect(one.answers.map(({ status }) => status)).toEqual([operation.success.status]);
      expect(Object.keys(one.effect)).not.toEqual([]);
      const many = await effectOf(operation, AT_ONCE);
      expect(many.effect).toEqual(one.effect);

      const made = many.answers.filter(isSuccess);
      const firsts = made.filter(({ headers }) => headers.get('idempotent-replayed') === null);
      // A guest's token detects repeats itself and marks none.
      if (operation.security === 'apiKey') expect(firsts).toHaveLength(1);
      expect(made.length).toBeGreaterThan(0);
      expect(new Set(made.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const refusals = ['409 request-in-flight', '409 secret-already-issued', '409 photo-in-progress'];
      for (const { status, body } of many.answers.filter((answer) => !isSuccess(answer))) {
        expect(refusals).toContain(`${status} ${body.code}`);
      }
    },
  );
});
