import { problemSchema } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createList, enrolBody, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import {
  createManualClock,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/test-api.ts';

const clock = createManualClock();
const parts = { clock, createInference: createFakeInference };
let first: TestApi;
let second: TestApi;
let customer: TestCustomer;

beforeAll(async () => {
  first = await startTestApi(inject('postgres'), parts, { SVC_JOBS: 'off' });
  const { databaseUrl, dataDirectory } = first.config;
  const environment = { DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory, SVC_JOBS: 'off' };
  second = await startTestApi(inject('postgres'), parts, environment);
  customer = await first.customer({ country: 'FR' });
});
afterAll(async () => {
  await second.close();
  await first.close();
});

let keys = 0;
function nextKey(): string {
  keys += 1;
  return `key-${keys}`;
}

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
    const rows = await inDatabase<{ answer_sealed: unknown }>(
      first,
      'SELECT answer_sealed FROM idempotent_requests WHERE resource_id = $1',
      [added.body.id],
    );
    expect(rows).toEqual([{ answer_sealed: null }]);
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
    const [{ dump }] = (await inDatabase<{ dump: string }>(
      first,
      "SELECT string_agg(r::text || encode(coalesce(r.answer_sealed, ''), 'escape'), '') AS dump FROM idempotent_requests r",
      [],
    )) as [{ dump: string }];
    expect(dump.length).toBeGreaterThan(100);
    for (const secret of [
      'canary',
      personId,
      Buffer.from(personId).toString('hex'),
      Buffer.from(image).toString('hex'),
    ]) {
      expect(dump).not.toContain(secret);
    }
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
