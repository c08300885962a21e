import {
  type ApiKeyResource,
  apiKeyScopes,
  type CreatedApiKey,
  HOUR_MS,
  isStream,
  MAX_API_KEYS,
  operations,
} from '@svc/protocol';
import { beforeEach, expect, it } from 'vitest';
import { createList, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createTenant, type Tenant } from '../../testing/tenant.ts';
import { useApi } from '../../testing/use-api.ts';

const { api, clock } = useApi({ customer: null });

beforeEach(async () => {
  clock.advance(HOUR_MS);
  tenant = await createTenant(api, clock.now());
});

let tenant: Tenant;

const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();

type Answered = CreatedApiKey & { readonly items: ApiKeyResource[]; readonly code?: string; readonly errors?: unknown };
const call = (method: string, path: string, body?: object, apiKey = tenant.customer.apiKey) =>
  tenant.customer.request<Answered>(method, path, body, { headers: { 'X-Api-Key': apiKey } });

async function create(body: object, apiKey?: string): Promise<CreatedApiKey> {
  const answer = await call('POST', '/v1/api-keys', { name: 'Shop', ...body }, apiKey);
  expect(answer.status).toBe(201);
  return answer.body;
}

const listed = async (): Promise<ApiKeyResource[]> => (await call('GET', '/v1/api-keys')).body.items;

it('a key made by the API works, shows itself once, and is listed with its rights', async () => {
  const scopes = ['lists:read'];
  const { apiKey, ...key } = await create({ scopes, expiresAt: at(24) });
  expect(key).toMatchObject({ name: 'Shop', scopes, state: 'active', expiresAt: at(24), lastUsedAt: null });
  expect((await call('GET', '/v1/lists', undefined, apiKey)).status).toBe(200);
  const text = JSON.stringify(await listed());
  expect(text).toContain(key.keyId);
  expect(text).not.toContain(apiKey);
});

it('an operation is called with its own scope, and with all others it is not', async () => {
  const ofScope = new Map<string, readonly [own: string, others: string]>();
  for (const scope of apiKeyScopes) {
    const others = apiKeyScopes.filter((other) => other !== scope);
    ofScope.set(scope, [(await create({ scopes: [scope] })).apiKey, (await create({ scopes: others })).apiKey]);
  }
  for (const operation of operations.filter((o) => o.scope && o.security === 'apiKey' && !isStream(o))) {
    // Of nothing that exists, so that the next operation finds everything as it was.
    const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
    const isRefused = async (apiKey = '') =>
      (await call(operation.method.toUpperCase(), path, undefined, apiKey)).body?.code === 'insufficient-scope';
    const [own, others] = ofScope.get(operation.scope ?? '') ?? [];
    expect([operation.operationId, await isRefused(own), await isRefused(others)]).toEqual([
      ...[operation.operationId, false, true],
    ]);
  }
});

it('a key of any scope is told what it is, and what is on the bill with its scope alone', async () => {
  const { accountId } = tenant.customer;
  for (const scope of apiKeyScopes) {
    const { apiKey, ...key } = await create({ scopes: [scope], expiresAt: at(24) });
    const { status, body } = await call('GET', '/v1/api-key', undefined, apiKey);
    const usage = scope === 'account:read' ? expect.objectContaining({ peopleLimit: 500 }) : null;
    const told = {
      account: { accountId, name: 'Test' },
      key: { ...key, lastUsedAt: expect.anything() },
      plan: 'pilot',
      usage,
    };
    expect([status, { ...body, key: { ...(body as { key?: object }).key, lastUsedAt: 'x' } }]).toEqual([200, told]);
  }
  const ofPerson = await tenant.person.request('GET', '/v1/api-key');
  expect(ofPerson.body).toMatchObject({ account: { accountId }, key: null, usage: { peopleLimit: 500 } });
});

it('a key is renamed, revoked too', async () => {
  const { apiKey, ...key } = await create({ scopes: ['lists:read'], expiresAt: at(1), metadata: { system: 'shop-2' } });
  const path = `/v1/api-keys/${key.keyId}`;
  const renamed = await call('PATCH', path, { name: 'Kiosk' });
  expect([renamed.status, renamed.body]).toEqual([200, { ...key, name: 'Kiosk' }]);
  await call('DELETE', path);
  expect((await call('PATCH', path, { name: 'Gone' })).body).toMatchObject({ name: 'Gone', state: 'revoked' });
});

it('an account is read by its own keys, and its name and country changed by those that may', async () => {
  const account = {
    ...{ accountId: tenant.customer.accountId, mode: 'live', name: 'Test', plan: 'pilot' },
    ...{ country: 'DE', billingCurrency: 'EUR' },
  };
  expect((await call('GET', '/v1/account')).body).toEqual(account);
  const list = `/v1/lists/${await createList(tenant.customer)}`;
  expect((await call('GET', list)).body).toMatchObject({ consentVersion: 'eu-v2' });
  const next = { ...account, name: 'Riverside Hall', country: 'GB' };
  expect((await call('PATCH', '/v1/account', { name: next.name, country: 'GB' })).body).toEqual(next);
  expect((await call('GET', '/v1/account')).body).toEqual(next);
  expect((await call('GET', list)).body).toMatchObject({ consentVersion: 'uk-v2' });
  expect((await call('PATCH', '/v1/account', { country: null })).body).toMatchObject({ country: null });
  expect((await call('PATCH', '/v1/account', { country: 'UK' })).body.errors).toMatchObject([{ pointer: '/country' }]);
  const { apiKey } = await create({ scopes: ['account:read', 'keys:write'] });
  expect((await call('PATCH', '/v1/account', { name: 'x' }, apiKey)).body.code).toBe('insufficient-scope');
});

it('every operation of the organiser has a scope, reading ones one for reading', () => {
  for (const { security, method, scope, operationId } of operations) {
    // IDs that do not fit into a path are looked up by a POST.
    const isReading = method === 'get' || operationId === 'lookUpPeople';
    const kind = operationId === 'getOwnApiKey' ? undefined : isReading ? 'read' : 'write';
    expect([operationId, scope?.split(':')[1]]).toEqual([operationId, security === 'apiKey' ? kind : undefined]);
    expect([operationId, scope === null]).toEqual([operationId, operationId === 'getOwnApiKey']);
  }
});

it('a key creates none with more rights or a longer life than its own', async () => {
  const { apiKey } = await create({ scopes: ['keys:write', 'lists:read'], expiresAt: at(10) });
  const refused = await call('POST', '/v1/api-keys', { name: 'x', scopes: ['people:write'] }, apiKey);
  expect([refused.status, refused.body.code]).toEqual([403, 'insufficient-scope']);
  const all = await call('POST', '/v1/api-keys', { name: 'x', scopes: null }, apiKey);
  expect([all.status, all.body.code]).toEqual([403, 'insufficient-scope']);
  expect(await create({ expiresAt: null }, apiKey)).toMatchObject({ expiresAt: at(10) });
  expect(await create({}, apiKey)).toMatchObject({ scopes: ['keys:write', 'lists:read'], expiresAt: at(10) });
  expect(await create({ scopes: ['lists:read'], expiresAt: at(99) }, apiKey)).toMatchObject({ expiresAt: at(10) });
  expect(await create({ scopes: ['lists:read'], expiresAt: at(1) }, apiKey)).toMatchObject({ expiresAt: at(1) });
});

it('a key stops working at its end, and says so in the list', async () => {
  const { apiKey, keyId } = await create({ expiresAt: at(1) });
  clock.advance(HOUR_MS - 1);
  expect((await call('GET', '/v1/lists', undefined, apiKey)).status).toBe(200);
  clock.advance(1);
  expect((await call('GET', '/v1/lists', undefined, apiKey)).body).toMatchObject({ code: 'invalid-credential' });
  expect((await listed()).find((key) => key.keyId === keyId)).toMatchObject({ state: 'expired', revokedAt: null });
});

it('the hour of the last use is noted', async () => {
  const { apiKey, keyId } = await create({});
  clock.advance(2.5 * HOUR_MS);
  await call('GET', '/v1/lists', undefined, apiKey);
  const lastUsedAt = new Date(Math.floor(clock.now() / HOUR_MS) * HOUR_MS).toISOString();
  await expect.poll(async () => (await listed()).find((key) => key.keyId === keyId)?.lastUsedAt).toBe(lastUsedAt);
});

it('a revoked key stops at once, its own request included; a second time changes nothing', async () => {
  const { apiKey, keyId } = await create({});
  expect((await call('DELETE', `/v1/api-keys/${keyId}`, undefined, apiKey)).status).toBe(204);
  expect((await call('GET', '/v1/lists', undefined, apiKey)).status).toBe(401);
  expect((await call('DELETE', `/v1/api-keys/${keyId}`)).status).toBe(204);
  expect((await listed()).find((key) => key.keyId === keyId)?.state).toBe('revoked');
});

it('an end in the past is refused', async () => {
  const answer = await call('POST', '/v1/api-keys', { name: 'Shop', expiresAt: '2020-01-01T00:00:00Z' });
  expect([answer.status, answer.body.errors]).toMatchObject([400, [{ pointer: '/expiresAt' }]]);
});

it(`there are at most ${MAX_API_KEYS} in use, however many are asked for at once`, async () => {
  const inUse = (await listed()).filter(({ state }) => state === 'active').length;
  await inDatabase(
    api,
    `INSERT INTO api_keys (account_id, key_id, key_sha256, name, created_at)
      SELECT $1, 'key_' || i, sha256(int4send(i)), 'one of many', now() FROM generate_series(1, $2::int) AS i`,
    [tenant.customer.accountId, MAX_API_KEYS - inUse - 2],
  );
  const asked = Array.from({ length: 8 }, () => call('POST', '/v1/api-keys', { name: 'one of few' }));
  const answers = await Promise.all(asked);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409, 409, 409]);
  const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body.code);
  expect(new Set(refused)).toEqual(new Set(['api-key-limit-reached']));
  await call('DELETE', `/v1/api-keys/${answers.find(({ status }) => status === 201)?.body.keyId}`);
  await create({});
});
