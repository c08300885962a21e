import { randomBytes } from 'node:crypto';
import { formatSecret, problemSchema, type SecretPrefix } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { PlainQueries } from '../db/plain-queries.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { createTenant } from '../testing/tenant.ts';
import { oneNodeOnly, requestJson, startTestApi, type TestApi } from '../testing/test-api.ts';
import { createLocalLimiter, createSharedLimiter } from './rate-limiter.ts';

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
    expect(told.map((text) => /^"api-key";r=(\d+);t=\d+$/.exec(text)?.[1])).toEqual([
      '5',
      '4',
      '3',
      '2',
      '1',
      '0',
      '0',
      '0',
    ]);
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

it('and do not lock out that address: keys, guests and devices seen for the first time are served', async () => {
  const { databaseUrl, dataDirectory } = first.config;
  const shared = { DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory };
  const unlimited = await startTestApi(inject('postgres'), parts, shared);
  const tenant = await createTenant(unlimited, Date.now());
  const asGuest = (token: string) =>
    requestJson<{ code?: string }>(`${first.url}/v1/widget/session`, { headers: { Authorization: `Bearer ${token}` } });
  const asDevice = (token: string) =>
    requestJson<{ code?: string }>(`${first.url}/v1/device/sync`, {
      headers: { ...tenant.deviceHeaders, Authorization: `Bearer ${token}` },
    });
  const bad = (prefix: SecretPrefix) => formatSecret(prefix, randomBytes(32));
  for (let i = 0; i < 40; i += 1) {
    await asGuest(bad('svce'));
    await asDevice(bad('svcd'));
    await get(first, bad('svck'));
  }
  expect((await asGuest(bad('svce'))).body.code).toBe('rate-limited');
  expect((await asGuest(tenant.guestToken)).status).toBe(200);
  expect((await asDevice(tenant.deviceToken)).status).toBe(200);
  const { apiKey } = await first.admin.keys.create(tenant.customer.accountId, 'new');
  expect((await get(first, apiKey)).status).toBe(200);
  await unlimited.close();
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

describe('a limiter', () => {
  it('counts by itself while the database does not answer', async () => {
    const broken: PlainQueries = { query: () => Promise.reject(new Error('away')) };
    const limiter = createSharedLimiter('api-key', 2, broken);
    const exceeded = [];
    for (let i = 0; i < 3; i += 1) exceeded.push((await limiter.count('a'))?.exceeded);
    expect(exceeded).toEqual([false, false, true]);
    expect((await limiter.count('b'))?.exceeded).toBe(false);
  });

  it('of nothing counts nothing', async () => {
    expect(await createLocalLimiter('device', 0).count('a')).toBeNull();
  });
});
