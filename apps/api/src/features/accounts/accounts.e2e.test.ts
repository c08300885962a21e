import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Problem } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { keyFiles } from '../../testing/key-stores.ts';
import { createPerson } from '../../testing/person.ts';
import type { TestCustomer } from '../../testing/test-api.ts';
import { addDevice, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { useApi } from '../../testing/use-api.ts';

const { api, clock } = useApi({ customer: null });

async function sync(device: TestDevice) {
  const { command, reason } = (await syncOf(api, device)).manifest;
  return reason ?? command;
}

it('there is none to begin with', async () => {
  expect(await api.admin.accounts.list()).toEqual([]);
});

describe('a suspended account', () => {
  it('gets 401, its devices a wipe; resumed, the same key and the same device tokens work again', async () => {
    const owner = await api.customer();
    const listId = await createList(owner);
    const device = await addDevice(owner, listId);
    expect(await sync(device)).toBe('keep');
    await api.admin.accounts.suspend(owner.accountId);
    await api.admin.accounts.suspend(owner.accountId);
    expect(await owner.request('GET', '/v1/lists')).toMatchObject({ status: 401, body: { code: 'account-suspended' } });
    expect(await sync(device)).toBe('account-suspended');
    await api.admin.accounts.resume(owner.accountId);
    await api.admin.accounts.resume(owner.accountId);
    expect((await owner.request('GET', '/v1/lists')).status).toBe(200);
    expect(await sync(device)).toBe('keep');
    // What cannot be undone comes first.
    await owner.request('DELETE', `/v1/lists/${listId}/devices/${device.id}`);
    await api.admin.accounts.suspend(owner.accountId);
    expect(await sync(device)).toBe('device-revoked');
  });

  it('must be there', async () => {
    for (const act of ['suspend', 'resume', 'delete'] as const) {
      await expect(api.admin.accounts[act]('acc_unknown')).rejects.toMatchObject({ code: 'not-found' });
    }
  });
});

/** A request that is authenticated and stops in its body; resolves after the rest was sent. */
function halfSent(owner: TestCustomer, path: string, body: object, headers: Record<string, string>) {
  const bytes = Buffer.from(JSON.stringify(body));
  const own = { 'X-Api-Key': owner.apiKey, 'Content-Type': 'application/json', 'Content-Length': bytes.length };
  const sent = httpRequest(`${api.url}${path}`, { method: 'POST', headers: { ...own, ...headers } });
  sent.write(bytes.subarray(0, 5));
  // A refusal may come before the rest is sent, and its connection break behind it.
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => undefined);
  sent.on('error', () => undefined);
  return async () => {
    sent.end(bytes.subarray(5));
    const [response] = await answered;
    return { status: response.statusCode, body: JSON.parse(await text(response)) as Problem };
  };
}

describe('the deletion of an account', () => {
  it.each([
    ['webhook', '/v1/webhooks', { url: 'https://example.com/hook' }, 'invalid-credential'],
    ['list', '/v1/lists', { name: 'Members', ongoing: true }, 'invalid-credential'],
    ['device', '/v1/lists/LIST/devices', { name: 'Door' }, 'not-found'],
    ['person', '/v1/lists/LIST/people', enrolBody(clock), 'not-found'],
  ] as const)('is no fault to what is under way: a new %s', async (_, path, body, code) => {
    const owner = await api.customer({ country: 'DE' });
    const of = path.replace('LIST', await createList(owner));
    const [plain, keyed] = [halfSent(owner, of, body, {}), halfSent(owner, of, body, { 'Idempotency-Key': 'once' })];
    // Both are authenticated while the account exists; on a slow machine perhaps later, and then they get 401 anyway.
    await sleep(200);
    await api.admin.accounts.delete(owner.accountId);
    expect([code, 'invalid-credential']).toContain((await plain()).body.code);
    expect(await keyed()).toMatchObject({ status: 401, body: { code: 'invalid-credential' } });
  });

  it('destroys its keys and all its data, and wipes its devices', async () => {
    const owner = await api.customer({ country: 'DE' });
    const other = await api.customer({ country: 'DE' });
    const [listId, otherList] = [await createList(owner), await createList(other)];
    expect((await enrolPerson(listId, enrolBody(clock), owner)).status).toBe(201);
    expect((await enrolPerson(otherList, enrolBody(clock), other)).status).toBe(201);
    const device = await addDevice(owner, listId);
    const person = await createPerson(api, owner.accountId);
    await api.admin.users.link(owner.accountId, person.userId);
    await api.admin.accounts.delete(owner.accountId);
    expect((await owner.request('GET', '/v1/lists')).status).toBe(401);
    expect((await person.request('GET', '/v1/session')).status).toBe(401);
    expect(await sync(device)).toBe('list-deleted');
    const ofPeople = ['users', 'user_links', 'user_sessions', 'user_passkeys'];
    for (const table of ['accounts', 'api_keys', 'lists', 'faces', 'people', 'consents', 'events', ...ofPeople]) {
      const left = await inDatabase(api, `SELECT 1 FROM ${table} WHERE account_id = $1`, [owner.accountId]);
      expect([table, left]).toEqual([table, []]);
    }
    expect(await keyFiles(api.config, [owner.accountId, listId])).toEqual([]);
    expect(await keyFiles(api.config, [other.accountId, otherList])).toHaveLength(2);
    expect((await other.request('GET', `/v1/lists/${otherList}/people`)).status).toBe(200);
    await expect(api.admin.accounts.delete(owner.accountId)).rejects.toMatchObject({ code: 'not-found' });
  });
});
