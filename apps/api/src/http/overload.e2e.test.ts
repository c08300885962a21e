import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { problemSchema } from '@svc/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { createList, enrolBody, enrolPerson } from '../testing/enrolment-fixture.ts';
import { createFakeInference, type FakeInference } from '../testing/fake-inference.ts';
import { createTenant } from '../testing/tenant.ts';
import {
  createManualClock,
  oneNodeOnly,
  requestJson,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../testing/test-api.ts';
import { createStage, onStage } from '../testing/widget-fixture.ts';

const MIB = 2 ** 20;
const PATIENCE = { timeout: 30_000 };
const clock = createManualClock();
let inference: FakeInference;
const gone: AbortSignal[] = [];
let api: TestApi;
let customer: TestCustomer;
let listId: string;

beforeAll(async () => {
  inference = createFakeInference();
  const { admit } = inference;
  inference.admit = (accountId, signal) => {
    gone.push(signal);
    return admit(accountId, signal);
  };
  const parts = { clock, createInference: () => inference };
  const environment = { SVC_BODY_MEMORY_MB: '16', ...oneNodeOnly('what it takes at one time') };
  api = await startTestApi(inject('postgres'), parts, environment);
});
afterAll(() => api.close());
beforeEach(async () => {
  inference.places = 1_000;
  inference.hold = null;
  customer = await api.customer({ country: 'FR' });
  listId = await createList(customer);
});

/** An enrolment whose body is declared but not sent yet. */
function beginEnrolment(contentLength: number): ClientRequest {
  const { hostname, port } = new URL(api.url);
  const request = httpRequest({
    ...{ hostname, port, method: 'POST', path: `/v1/lists/${listId}/people` },
    headers: { 'X-Api-Key': customer.apiKey, 'Content-Type': 'application/json', 'Content-Length': contentLength },
  });
  request.on('error', () => undefined);
  request.flushHeaders();
  return request;
}

/** The error code of an enrolment that was begun; null if the service waits for its body, and then it is aborted. */
async function codeOfBegun(contentLength: number): Promise<string | null> {
  const request = beginEnrolment(contentLength);
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  const first = await Promise.race([answered, sleep(2_000).then(() => null)]);
  if (first === null) {
    answered.catch(() => undefined);
    request.destroy();
    return null;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of first[0]) chunks.push(chunk as Buffer);
  request.destroy();
  return problemSchema.parse(JSON.parse(Buffer.concat(chunks).toString('utf8'))).code;
}

describe('a place', () => {
  it('is not taken by a caller that is still sending', async () => {
    const slow = Array.from({ length: 5 }, () => beginEnrolment(1_000));
    for (const request of slow) request.write('{');
    inference.places = 1;
    expect((await enrolPerson(listId, enrolBody(clock), customer)).status).toBe(201);
    for (const request of slow) request.destroy();
  });

  it('is not needed by a repeat, only by a new request', async () => {
    const body = enrolBody(clock, { personId: 'repeated' });
    const send = (key: string) =>
      customer.request('POST', `/v1/lists/${listId}/people`, body, { headers: { 'Idempotency-Key': key } });
    expect((await send('first')).status).toBe(201);
    inference.places = 0;
    const again = await send('first');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect((await send('second')).status).toBe(503);
    inference.places = 1_000;
    expect((await send('second')).status).toBe(201);
  });

  it('that is gone by the time the photo is there is 503, and leaves the key free', async () => {
    const { admit } = inference;
    inference.admit = () => null;
    const headers = { 'Idempotency-Key': 'late' };
    const send = () => customer.request('POST', `/v1/lists/${listId}/people`, enrolBody(clock), { headers });
    expect((await send()).body.code).toBe('overloaded');
    inference.admit = admit;
    expect((await send()).status).toBe(201);
  });
});

describe('a guest’s token', () => {
  it('has one body and one place, and its slow connections block no one', async () => {
    const stage = await createStage(customer, clock);
    const { open } = onStage(() => ({ api, customer, stage }));
    const { page, token } = await open();
    await page.open();
    const { hostname, port } = new URL(api.url);
    const path = '/v1/widget/enrolments';
    const headers = {
      ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...{ 'Content-Length': 1_000, Expect: '100-continue' },
    };
    const slow = httpRequest({ hostname, port, method: 'POST', path, headers }).on('error', () => undefined);
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write('{');
    expect((await page.enrol()).body.code).toBe('photo-in-progress');
    expect(inference.admitted).toBe(0);
    inference.places = 1;
    expect((await enrolPerson(listId, enrolBody(clock), customer)).status).toBe(201);
    const other = await open({ ticketId: 'another' });
    expect((await other.page.enrol()).status).toBe(201);
    slow.destroy();
    await vi.waitUntil(async () => (await page.enrol()).status === 201, PATIENCE);
  });
});

describe('when every place is taken', () => {
  it('the rest of the service answers', async () => {
    const added = await customer.request<{ token: string }>('POST', `/v1/lists/${listId}/devices`, {});
    inference.places = 0;
    const refused = await enrolPerson(listId, enrolBody(clock), customer);
    expect([refused.status, refused.body.code]).toEqual([503, 'overloaded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const path of ['/healthz', '/readyz']) {
      await expect.poll(async () => (await fetch(`${api.url}${path}`)).status).toBe(200);
    }
    expect((await customer.request('GET', '/v1/lists')).status).toBe(200);
    const headers = { Authorization: `Bearer ${added.body.token}` };
    const sync = await requestJson<Record<string, unknown>>(`${api.url}/v1/device/sync?since=0`, { headers });
    expect(sync.body.code).toBe('device-key-invalid');
  });
});

describe('bodies', () => {
  it('are refused before they are read when they would not fit beside those that are read', async () => {
    const slow = beginEnrolment(14 * MIB);
    slow.write(Buffer.alloc(10 * MIB, ' '));
    // Rejected bodies are not read: wait until the first sender has disconnected.
    await vi.waitUntil(async () => (await codeOfBegun(8 * MIB)) === 'overloaded', PATIENCE);
    slow.destroy();
    await vi.waitUntil(async () => (await enrolPerson(listId, enrolBody(clock), customer)).status === 201, PATIENCE);
  });
});

describe('a caller that has gone', () => {
  it('is signalled to the work for it', async () => {
    gone.length = 0;
    let finish = (): void => undefined;
    inference.hold = new Promise((resolve) => {
      finish = resolve;
    });
    const controller = new AbortController();
    const sent = customer.request('POST', `/v1/lists/${listId}/people`, enrolBody(clock), {
      signal: controller.signal,
    });
    await vi.waitUntil(() => gone.length === 1 && inference.admitted === 1, PATIENCE);
    expect(gone[0]?.aborted).toBe(false);
    controller.abort();
    await expect(sent).rejects.toThrow();
    await vi.waitUntil(() => gone[0]?.aborted === true, PATIENCE);
    finish();
    await vi.waitUntil(() => inference.admitted === 0, PATIENCE);
    inference.hold = null;
    expect((await enrolPerson(listId, enrolBody(clock, { personId: 'next' }), customer)).status).toBe(201);
    expect(gone.at(-1)?.aborted).toBe(false);
  });
});

describe('drain', () => {
  it('a node that stops says so first, answers on for a while, then finishes what is in progress and takes no more', async () => {
    const environment = { SVC_DRAIN_MS: '6000', ...oneNodeOnly('how it stops') };
    const held = createFakeInference();
    const api = await startTestApi(inject('postgres'), { createInference: () => held }, environment);
    const customer = await api.customer({ country: 'FR' });
    const listId = await createList(customer);
    await expect.poll(async () => (await fetch(`${api.url}/readyz`)).status).toBe(200);
    let release = (): void => undefined;
    held.hold = new Promise((resolve) => {
      release = resolve;
    });
    const enrolment = enrolPerson(listId, enrolBody({ now: Date.now }), customer);
    await vi.waitUntil(() => held.sealed > 0, PATIENCE);
    // The second close waits for the first.
    const stopped = Promise.all([api.running.close(), api.running.close()]);
    // At once, as they have six seconds together.
    const [readiness, lists, made] = await Promise.all([
      fetch(`${api.url}/readyz`),
      customer.request('GET', '/v1/lists'),
      customer.request('POST', '/v1/lists', { name: 'x', ongoing: true }),
    ]);
    expect([readiness.status, readiness.headers.get('connection')]).toEqual([503, 'close']);
    expect([lists.status, lists.headers.get('connection')]).toEqual([200, 'close']);
    expect(made.status).toBe(201);
    const answers = () => fetch(`${api.url}/healthz`).then(Boolean, () => false);
    await expect.poll(answers).toBe(false);
    release();
    expect((await enrolment).status).toBe(201);
    await stopped;
    await api.close();
  });
});

describe('rate limits', () => {
  const inference = createFakeInference();
  const parts = { createInference: () => inference };
  const LIMITS = {
    ...oneNodeOnly('its own counts; there is a second node beside it'),
    SVC_RATE_LIMIT_API_KEY: '6',
    SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS: '3',
  };
  let first: TestApi;
  let second: TestApi;

  beforeAll(async () => {
    first = await startTestApi(inject('postgres'), parts, LIMITS);
    const { databaseUrl, dataDirectory } = first.config;
    const shared = { DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory };
    second = await startTestApi(inject('postgres'), parts, { ...LIMITS, ...shared });
  });
  afterAll(async () => {
    await second.close();
    await first.close();
  });

  const get = (api: TestApi, apiKey: string) =>
    requestJson<Record<string, unknown>>(`${api.url}/v1/lists`, { headers: { 'X-Api-Key': apiKey } });

  describe('the limit of an API key', () => {
    it('is one for all nodes, told in every answer, and refuses what is beyond it', async () => {
      const { apiKey } = await first.customer();
      const answers = [];
      for (let i = 0; i < 8; i += 1) answers.push(await get(i % 2 === 0 ? first : second, apiKey));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
      const told = answers.map(({ headers }) => headers.get('ratelimit') ?? '');
      expect(told.map((text) => /^"api-key";r=(\d+);t=\d+$/.exec(text)?.[1]).join('')).toBe('54321000');
      for (const { headers } of answers) expect(headers.get('ratelimit-policy')).toBe('"api-key";q=6;w=60');
      const refused = answers[7];
      expect(problemSchema.parse(refused?.body).code).toBe('rate-limited');
      expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    });

    it('is its own, also among the keys of one account', async () => {
      const { accountId, apiKey } = await first.customer();
      for (let i = 0; i < 7; i += 1) await get(first, apiKey);
      expect((await get(first, apiKey)).status).toBe(429);
      const other = await first.admin.keys.create(accountId, 'other');
      expect((await get(first, other.apiKey)).status).toBe(200);
      expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    });

    it('counts a request before its Idempotency-Key and its body are looked at', async () => {
      const { apiKey } = await first.customer();
      for (let i = 0; i < 6; i += 1) await get(first, apiKey);
      const init = { method: 'POST', headers: { 'X-Api-Key': apiKey, 'Idempotency-Key': 'not a key' }, body: '{' };
      expect((await requestJson(`${first.url}/v1/lists`, init)).status).toBe(429);
    });

    it('takes precedence over a full queue', async () => {
      const owner = await first.customer();
      inference.places = 0;
      const statuses = [];
      for (let i = 0; i < 8; i += 1) statuses.push((await owner.request('POST', '/v1/lists/lst_1/people', {})).status);
      inference.places = 1_000;
      expect(statuses).toEqual([503, 503, 503, 503, 503, 503, 429, 429]);
    });
  });

  it('credentials that do not exist are counted by address', async () => {
    const { accountId } = await first.customer();
    const { keyId, apiKey: revoked } = await first.admin.keys.create(accountId, 'short-lived');
    await first.admin.keys.revoke(accountId, keyId);
    const statuses = [];
    for (let i = 0; i < 5; i += 1) statuses.push((await get(first, revoked)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const pretended = { headers: { 'X-Api-Key': revoked, 'X-Forwarded-For': '192.0.2.7', Forwarded: 'for=192.0.2.7' } };
    expect((await requestJson(`${first.url}/v1/lists`, pretended)).status).toBe(429);
  });

  it('guests and devices have limits of their own', async () => {
    const own = { SVC_RATE_LIMIT_GUEST_TOKEN: '3', SVC_RATE_LIMIT_DEVICE: '4' };
    const limited = await startTestApi(inject('postgres'), parts, { ...oneNodeOnly('its count of devices'), ...own });
    const tenant = await createTenant(limited, Date.now());
    const statuses = async (path: string, headers: Record<string, string>) => {
      const seen: number[] = [];
      for (let i = 0; i < 6; i += 1) seen.push((await fetch(`${limited.url}${path}`, { headers })).status);
      return seen;
    };
    const guest = { Authorization: `Bearer ${tenant.guestToken}` };
    expect(await statuses('/v1/widget/session', guest)).toEqual([200, 200, 200, 429, 429, 429]);
    const device = { ...tenant.deviceHeaders, Authorization: `Bearer ${tenant.deviceToken}` };
    expect(await statuses('/v1/device/sync', device)).toEqual([200, 200, 200, 200, 429, 429]);
    await limited.close();
  });
});
