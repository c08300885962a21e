import { type AuditEntryResource, HOUR_MS, type InvitedUser, MAX_USERS, type UserResource } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { inDatabase } from '../../testing/enrolment-fixture.ts';
import { createPerson, signInWith, type TestPerson, tokenOf } from '../../testing/person.ts';
import { useApi } from '../../testing/use-api.ts';

const { api, clock, customer } = useApi();

beforeEach(async () => {
  clock.advance(HOUR_MS);
  owner = await createPerson(api, customer.accountId);
});

let owner: TestPerson;

const lastOwner = { status: 409, body: { code: 'last-owner' } };
const lacking = { status: 403, body: { code: 'insufficient-scope' } };
const invite = (email: string, role = 'manager') =>
  owner.request<InvitedUser>('POST', '/v1/users', { email, name: 'Somebody', role });

it('the node knows whether anybody may sign in', async () => {
  expect(await api.running.hasUsers()).toBe(true);
});

it('users are invited, listed, changed and removed', async () => {
  // After the owner: ids of one millisecond have no order.
  clock.advance(1);
  const { body: invited } = await invite('A@Example.org');
  const { invitationUrl, ...user } = invited;
  expect(user).toMatchObject({ email: 'a@example.org', role: 'manager', state: 'invited', passkeys: 0 });
  clock.advance(1);
  const person = await signInWith(api, invitationUrl);
  const { body } = await owner.request<{ items: UserResource[] }>('GET', '/v1/users');
  expect(body.items.map(({ userId, state }) => [userId, state])).toEqual([
    [person.userId, 'active'],
    [owner.userId, 'active'],
  ]);
  expect(JSON.stringify(body)).not.toMatch(/svc[a-z]_/);
  const path = `/v1/users/${person.userId}`;
  const changed = await owner.request('PATCH', path, { name: 'Robin', role: 'door', disabled: true });
  expect(changed.body).toMatchObject({ name: 'Robin', role: 'door', state: 'disabled' });
  expect(await owner.request('POST', `${path}/invitation`)).toMatchObject({ body: { code: 'user-disabled' } });
  clock.advance(1);
  expect((await owner.request('DELETE', path)).status).toBe(204);
  expect((await owner.request('GET', path)).status).toBe(404);
  expect((await owner.request('DELETE', path)).status).toBe(404);
  for (const table of ['users', 'user_links', 'user_sessions']) {
    const left = await inDatabase(api, `SELECT 1 FROM ${table} WHERE user_id = $1`, [person.userId]);
    expect([table, left]).toEqual([table, []]);
  }
  const { items } = (await owner.request<{ items: AuditEntryResource[] }>('GET', '/v1/audit-log')).body;
  const acts = items
    .filter(({ target }) => target === person.userId)
    .map(({ action, actor }) => [action, actor.userId]);
  expect(acts).toEqual([
    ['user.remove', owner.userId],
    ['user.update', owner.userId],
    ['user.invite', owner.userId],
  ]);
  expect(JSON.stringify(items)).not.toContain('example.org');
});

it('a change that changes nothing ends no session and is no act', async () => {
  const { body } = await invite('b@example.org');
  const person = await signInWith(api, body.invitationUrl);
  const count = async () => (await owner.request<{ items: unknown[] }>('GET', '/v1/audit-log')).body.items.length;
  const before = await count();
  const same = { name: 'Somebody', role: 'manager', disabled: false };
  expect((await owner.request('PATCH', `/v1/users/${person.userId}`, same)).status).toBe(200);
  expect((await owner.request('PATCH', `/v1/users/${person.userId}`, { name: 'Robin' })).status).toBe(200);
  expect((await person.request('GET', '/v1/session')).status).toBe(200);
  expect(await count()).toBe(before + 1);
});

it('an address is one user of an account, in any case and however often at once, and free in another account', async () => {
  expect(await invite('a@example.org\nBcc: x@y.z')).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
  const answers = await Promise.all(['c@example.org', 'C@example.org', 'c@EXAMPLE.org'].map((email) => invite(email)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  const other = await createPerson(api, (await api.customer()).accountId, { email: 'c@example.org' });
  expect(other.session.user.email).toBe('c@example.org');
});

it(`an account has ${MAX_USERS} users at most, however many are invited at once`, async () => {
  await inDatabase(
    api,
    `INSERT INTO users (account_id, user_id, email, name, role, created_at)
     SELECT $1, 'usr_' || n, n || '@example.org', 'N', 'door', now() FROM generate_series(1, $2) AS n`,
    [customer.accountId, MAX_USERS - 3],
  );
  const answers = await Promise.all([1, 2, 3, 4].map((n) => invite(`more${n}@example.org`)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.find(({ status }) => status !== 201)?.body).toMatchObject({ code: 'user-limit-reached' });
});

describe('the last owner', () => {
  it('is not demoted, disabled or removed, by itself or by a server', async () => {
    const path = `/v1/users/${owner.userId}`;
    const tries = [
      ['PATCH', { role: 'manager' }],
      ['PATCH', { disabled: true }],
      ['DELETE', undefined],
    ] as const;
    for (const [method, body] of tries) {
      expect(await owner.request(method, path, body)).toMatchObject(lastOwner);
      expect(await customer.request(method, path, body)).toMatchObject(lastOwner);
    }
    expect((await owner.request('PATCH', path, { name: 'Robin', role: 'owner' })).status).toBe(200);
    expect((await owner.request('GET', '/v1/session')).status).toBe(200);
  });

  it('is one who signed in: an invitation alone makes none', async () => {
    const { body } = await invite('d@example.org', 'owner');
    const path = `/v1/users/${owner.userId}`;
    expect(await owner.request('DELETE', path)).toMatchObject(lastOwner);
    expect((await owner.request('DELETE', `/v1/users/${body.userId}`)).status).toBe(204);
    const { body: second } = await invite('e@example.org', 'owner');
    await signInWith(api, second.invitationUrl);
    expect((await owner.request('DELETE', path)).status).toBe(204);
  });

  it.each([
    ['remove', 'DELETE', undefined],
    ['demote', 'PATCH', { role: 'door' }],
    ['disable', 'PATCH', { disabled: true }],
  ] as const)('stays when all owners %s each other at once', async (_what, method, body) => {
    const owners = [owner];
    for (let i = 0; i < 3; i += 1) owners.push(await createPerson(api, customer.accountId));
    const next = (i: number) => owners[(i + 1) % owners.length]?.userId;
    const answers = await Promise.all(owners.map((each, i) => each.request(method, `/v1/users/${next(i)}`, body)));
    expect(answers.some(({ status }) => status < 300)).toBe(true);
    const left = "SELECT 1 FROM users WHERE account_id = $1 AND role = 'owner' AND disabled_at IS NULL";
    expect(await inDatabase(api, left, [customer.accountId])).not.toEqual([]);
  });
});

describe('nobody gives, changes or takes rights that they lack', () => {
  it('not a key that may write users and little else', async () => {
    const scopes = ['users:write', 'users:read', 'events:read', 'lists:read', 'devices:read', 'devices:write'] as const;
    const { apiKey } = await api.admin.keys.create(customer.accountId, 'people', { scopes });
    const call = (method: string, path: string, body?: object) =>
      customer.request<InvitedUser>(method, path, body, { headers: { 'X-Api-Key': apiKey } });
    const request = { email: 'f@example.org', name: 'F' };
    for (const role of ['owner', 'manager', 'auditor']) {
      expect(await call('POST', '/v1/users', { ...request, role })).toMatchObject(lacking);
    }
    const door = await call('POST', '/v1/users', { ...request, role: 'door' });
    expect(door.status).toBe(201);
    const { userId } = door.body;
    expect(await call('PATCH', `/v1/users/${userId}`, { role: 'owner' })).toMatchObject(lacking);
    const manager = (await invite('g@example.org')).body.userId;
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'X' }],
      ['PATCH', '', { disabled: true }],
      ['DELETE', '', undefined],
      ['POST', '/invitation', undefined],
      ['DELETE', '/sessions', undefined],
    ] as const) {
      expect(await call(method, `/v1/users/${manager}${path}`, body)).toMatchObject(lacking);
    }
    expect((await call('POST', `/v1/users/${userId}/invitation`)).status).toBe(201);
  });

  it('a key with all rights may, also over owners', async () => {
    const request = { email: 'h@example.org', name: 'H', role: 'owner' };
    expect((await customer.request('POST', '/v1/users', request)).status).toBe(201);
  });

  it('an API key that an owner makes in the dashboard has all rights, and no others can be made there', async () => {
    const { body } = await owner.request('POST', '/v1/api-keys', { name: 'Shop' });
    expect(body).toMatchObject({ scopes: null, expiresAt: null });
  });
});

it('the link of an invitation is shown to the first request with its key, and stored nowhere', async () => {
  const request = { email: 'j@example.org', name: 'J', role: 'door' };
  const key = { 'Idempotency-Key': 'once' };
  const first = await owner.request<InvitedUser>('POST', '/v1/users', request, key);
  const second = await owner.request('POST', '/v1/users', request, key);
  expect(second).toMatchObject({ status: 409, body: { code: 'secret-already-issued', resourceId: first.body.userId } });
  const token = tokenOf(first.body.invitationUrl);
  const sql = "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
  const tables = await inDatabase<{ name: string }>(api, sql, []);
  for (const { name } of tables) {
    const found = await inDatabase(api, `SELECT 1 FROM ${name} AS row WHERE row::text LIKE '%' || $1 || '%'`, [token]);
    expect([name, found]).toEqual([name, []]);
  }
});
