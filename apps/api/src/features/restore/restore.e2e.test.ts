import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDelta, parsePack } from '@svc/core/pack';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { DAY_MS, type ListResource } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openAdmin } from '../../compose/operator.ts';
import { type RunningApi, startApi } from '../../compose/start-api.ts';
import { keyStorageTarget } from '../../compose/targets.ts';
import { type ApiConfig, readConfig } from '../../config/config.ts';
import { type KeyStorage, openKeyStorage } from '../../crypto/key-storage.ts';
import { systemRandom } from '../../platform/ports.ts';
import { TestAuthenticator } from '../../testing/authenticator.ts';
import { DatabaseCopy } from '../../testing/database-copy.ts';
import { enrolBody } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { keyFiles } from '../../testing/key-stores.ts';
import { addPasskey, signInWith, type TestPerson } from '../../testing/person.ts';
import { createMigratedDatabase, createTestDatabase, queryDatabase } from '../../testing/postgres.ts';
import { createLogSink, createManualClock, sendJson } from '../../testing/test-api.ts';
import { addDevice, syncOf, type TestDevice } from '../../testing/test-device.ts';

const clock = createManualClock();
const logs = createLogSink();
const dataDirectory = temporaryFolder();
let config: ApiConfig;
let api: RunningApi;
let apiKey: string;
let accountId: string;

const ask = <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  sendJson<T>(api.url + path, method, body, { 'X-Api-Key': apiKey, ...headers });

async function start(): Promise<void> {
  api = await startApi(config, { clock, createInference: createFakeInference, logDestination: logs });
}

async function newList(name = 'L', retainDays = 365): Promise<string> {
  return (await ask<ListResource>('POST', '/v1/lists', { name, ongoing: true, retainDays })).body.listId;
}

async function enrol(listId: string, personId: string): Promise<void> {
  const { status } = await ask('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId }));
  expect(status).toBe(201);
}

const newDevice = (listId: string) => addDevice({ request: (method, path, body) => ask(method, path, body) }, listId);

async function sync(device: TestDevice, since?: number) {
  const { manifest, payload, payloadKind } = await syncOf(api, device, since);
  // For changes, the list's epochs afterwards.
  const epochs = payloadKind === 0 ? [] : (payloadKind === 1 ? parsePack(payload) : parseDelta(payload)).epochs;
  const people = epochs.reduce((sum, { recordCount }) => sum + recordCount, 0);
  return { manifest, people };
}

const rows = <Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  queryDatabase<Row>(config.databaseUrl, sql, values);

beforeAll(async () => {
  config = readConfig({
    PORT: '0',
    SVC_DATA_DIR: dataDirectory,
    DATABASE_URL: await createMigratedDatabase(inject('postgres')),
    SVC_KEY_STORE_DIR: join(dataDirectory, 'keys'),
  });
  await start();
  const admin = await openAdmin(config, { clock });
  ({ accountId } = await admin.accounts.create({ name: 'Test', billingCurrency: 'EUR', plan: 'pilot' }));
  ({ apiKey } = await admin.keys.create(accountId, 'test'));
  await admin.close();
});
afterAll(() => api.close());

describe('an older backup of the database, with the key store as it is now', () => {
  it('brings back no deleted list, no erased person, no expired one, no webhook that was deleted and no revoked credential', async () => {
    const kept = await newList('kept');
    const deleted = await newList('deleted');
    const short = await newList('short', 2);
    for (const personId of ['stays', 'erased', 'erased-and-back']) await enrol(kept, personId);
    await enrol(deleted, 'of-the-deleted');
    await enrol(short, 'expires');
    const [device, lost, ofDeleted] = [await newDevice(kept), await newDevice(kept), await newDevice(deleted)];
    const admin = await openAdmin(config, { clock });
    const leaked = await admin.keys.create(accountId, 'leaked');
    const doomed = await admin.accounts.create({ name: 'Doomed', billingCurrency: 'EUR', plan: 'pilot' });
    const staff = await Promise.all(
      ['stays', 'leaves', 'signed-out'].map(async (name) => {
        const email = `${name}@example.org`;
        const { user, invitationUrl } = await admin.users.invite(accountId, { email, name, role: 'owner' });
        return { name, userId: user.userId, person: await signInWith(api, invitationUrl) };
      }),
    );
    const passkeyId = await addPasskey(api, staff[0]?.person as TestPerson, new TestAuthenticator());
    await addPasskey(api, staff[0]?.person as TestPerson, new TestAuthenticator());
    for (const { userId } of staff) await admin.users.link(accountId, userId);
    const hooks: string[] = [];
    for (const path of ['stays', 'deleted']) {
      const url = `https://receiver.invalid/${path}`;
      hooks.push((await ask<{ webhookId: string }>('POST', '/v1/webhooks', { url })).body.webhookId);
    }
    for (const each of [device, lost, ofDeleted]) expect((await sync(each)).manifest.command).toBe('keep');

    const database = await DatabaseCopy.open(config.databaseUrl ?? '');
    const backup = await database.read();

    expect((await ask('DELETE', `/v1/lists/${deleted}`)).status).toBe(204);
    expect((await ask('DELETE', `/v1/lists/${kept}/people/erased`)).status).toBe(204);
    expect((await ask('DELETE', `/v1/lists/${kept}/people/erased-and-back`)).status).toBe(204);
    await enrol(kept, 'erased-and-back');
    expect((await ask('DELETE', `/v1/lists/${kept}/devices/${lost.id}`)).status).toBe(204);
    expect((await ask('DELETE', `/v1/webhooks/${hooks[1]}`)).status).toBe(204);
    await admin.keys.revoke(accountId, leaked.keyId);
    await admin.users.remove(accountId, staff[1]?.userId ?? '');
    expect((await ask('DELETE', `/v1/users/${staff[2]?.userId}/sessions`)).status).toBe(204);
    expect((await staff[0]?.person.request('DELETE', `/v1/session/passkeys/${passkeyId}`))?.status).toBe(204);
    await admin.accounts.delete(doomed.accountId);
    await admin.close();
    const before = await sync(device);
    expect(before.people).toBe(2);
    await api.close();
    clock.advance(3 * DAY_MS);
    await database.write(backup);
    await database.close();

    // Before the replay the rows are back, but nothing opens those of the deleted list.
    expect(await rows('SELECT 1 FROM faces')).toHaveLength(5);
    expect(await keyFiles(config, [deleted])).toEqual([]);
    expect(await keyFiles(config, [kept])).not.toEqual([]);

    await start();
    // A person erased and enrolled again after the backup must be enrolled once more: the backup's face was erased.
    expect(await rows('SELECT 1 FROM faces')).toHaveLength(1);
    expect(await rows('SELECT person_id FROM people')).toEqual([{ person_id: 'stays' }]);
    expect((await ask('GET', `/v1/lists/${deleted}`)).status).toBe(404);
    for (const personId of ['erased', 'erased-and-back']) {
      expect((await ask('GET', `/v1/lists/${kept}/people/${personId}`)).status).toBe(404);
    }
    expect((await ask('GET', `/v1/lists/${short}/people/expires`)).status).toBe(404);
    const webhooks = await ask<{ items: { webhookId: string }[] }>('GET', '/v1/webhooks');
    expect(webhooks.body.items.map(({ webhookId }) => webhookId)).toEqual([hooks[0]]);
    expect((await ask('GET', `/v1/lists`, undefined, { 'X-Api-Key': leaked.apiKey })).status).toBe(401);
    expect(await rows('SELECT 1 FROM accounts WHERE account_id = $1', [doomed.accountId])).toEqual([]);
    expect(await rows('SELECT name FROM users ORDER BY name')).toEqual([{ name: 'signed-out' }, { name: 'stays' }]);
    expect(await rows('SELECT user_id FROM user_links')).toEqual([{ user_id: staff[0]?.userId }]);
    expect(await rows('SELECT passkey_id = $1 AS gone FROM user_passkeys', [passkeyId])).toEqual([{ gone: false }]);

    expect((await sync(lost)).manifest).toMatchObject({ command: 'wipe', reason: 'device-revoked' });
    expect((await sync(ofDeleted)).manifest).toMatchObject({ command: 'wipe', reason: 'list-deleted' });
    const after = await sync(device, before.manifest.toVersion);
    expect(after.people).toBe(1);
    expect(after.manifest.toVersion).toBeGreaterThan(before.manifest.toVersion);
    expect(logs.text).toContain('older than the key store');

    // Enrolled after the restore: the next replay must not mistake this face for the erased one.
    await enrol(kept, 'erased');
    await api.close();
    await start();
    expect((await ask('GET', `/v1/lists/${kept}/people/erased`)).status).toBe(200);
  });

  it('is refused when it is older than what the key store remembers, and starts when the operator says so', async () => {
    const listId = await newList('x');
    await enrol(listId, 'gone');
    await ask('DELETE', `/v1/lists/${listId}/people/gone`);
    const keyless = await newList('deleted longer ago than anything is remembered');
    clock.advance(40 * DAY_MS);
    await api.close();
    const storage = await openKeyStorage({ kind: 'folder', path: config.keyStoreDirectory ?? '' }, systemRandom);
    await storage.erasures.forget(clock.now() - 37 * DAY_MS, await storage.erasures.last());
    await storage.keys.shred(keyless, clock.now());
    await storage.close();
    // The mark in a backup of that age.
    await rows('UPDATE key_store_link SET replayed_at = $1', [new Date(clock.now() - 40 * DAY_MS)]);
    await expect(start()).rejects.toThrow('SVC_BACKUP_RETENTION_DAYS');
    config = { ...config, acceptOldBackup: true };
    await start();
    expect((await ask('GET', `/v1/lists/${keyless}`)).status).toBe(404);
    expect((await ask('GET', `/v1/lists/${listId}`)).status).toBe(200);
  });
});

describe('a key store', () => {
  it('is refused when it is another one than the database knows', async () => {
    await api.close();
    const folder = await mkdtemp(join(dataDirectory, 'other-'));
    const database = await createTestDatabase(inject('postgres'));
    await expect(startApi({ ...config, keyStoreDirectory: folder })).rejects.toThrow('another key store');
    await expect(startApi({ ...config, keyStoreDirectory: undefined, keyDatabaseUrl: database })).rejects.toThrow(
      'another key store',
    );
    await start();
  });

  it('is not made anew where the keys lie in the main database, as before 0.1.0', async () => {
    await api.close();
    await rows('DELETE FROM key_store_link');
    await rows(
      "INSERT INTO wrapped_keys (owner_id, epoch, kek_id, wrapped, created_at) VALUES ('a', 1, 'k', '', now())",
    );
    await expect(start()).rejects.toThrow('svc keys move');
    await rows('DELETE FROM wrapped_keys');
    await start();
  });
});

/** One node restarted after a crash stands for both. */
async function restart(): Promise<void> {
  await api.close();
  await start();
}

async function faceOf(listId: string, personId: string) {
  const [face] = await rows<{ epoch: number; tag: Buffer; version: number }>(
    `SELECT f.epoch, f.tag, f.version FROM faces f JOIN people p ON (f.account_id, f.list_id, f.epoch, f.tag)
      = (p.account_id, p.list_id, p.face_epoch, p.face_tag) WHERE p.list_id = $1 AND p.person_id = $2`,
    [listId, personId],
  );
  if (face === undefined) throw new Error('no face');
  const { epoch, tag, version } = face;
  return { kind: 'face', accountId, listId, epoch, tag: tag.toString('base64url'), version: Number(version) } as const;
}

describe('a crash between the two stores', () => {
  let storage: KeyStorage;
  beforeAll(async () => {
    storage = await openKeyStorage(keyStorageTarget(config), systemRandom);
  });
  afterAll(() => storage.close());

  it('after a list’s key was made and before its row: a key that opens nothing, and nothing else', async () => {
    await storage.keys.add({ ownerId: 'lst_never', epoch: 1 }, { kekId: 'x', bytes: new Uint8Array(72) }, 1);
    await storage.keys.shred('lst_never', 2);
    await restart();
    expect((await ask('GET', '/v1/lists')).status).toBe(200);
  });

  it('after a deletion began and before its keys went, or before its rows went: the next start finishes it', async () => {
    const [begun, shredded] = [await newList(), await newList()];
    for (const listId of [begun, shredded]) {
      await enrol(listId, 'p');
      await rows('UPDATE lists SET deleting_at = now() WHERE list_id = $1', [listId]);
    }
    await storage.keys.shred(shredded, clock.now());
    await restart();
    for (const listId of [begun, shredded]) {
      await expect.poll(() => rows('SELECT 1 FROM faces WHERE list_id = $1', [listId])).toEqual([]);
      expect(await storage.keys.get({ ownerId: listId, epoch: 1 })).toBeNull();
    }
    const remembered = await storage.erasures.after(0, 1_000);
    expect(remembered.map(({ erasure }) => erasure)).toContainEqual({ kind: 'list', accountId, listId: begun });
  });

  it.each(['the next start', 'a replay', 'a command'])(
    'after an account’s deletion began without an entry in the audit log, as in 0.2.0: %s finishes and tells it',
    async (way) => {
      const admin = await openAdmin(config, { clock });
      const doomed = await admin.accounts.create({ name: 'Doomed', billingCurrency: 'EUR', plan: 'pilot' });
      await rows('UPDATE accounts SET deleting_at = now() WHERE account_id = $1', [doomed.accountId]);
      const erasure = { kind: 'account', accountId: doomed.accountId } as const;
      if (way === 'a replay') await storage.erasures.remember([erasure], clock.now());
      await (way === 'a command' ? admin.accounts.delete(doomed.accountId) : restart());
      await admin.close();
      await expect.poll(() => rows('SELECT FROM accounts WHERE account_id = $1', [doomed.accountId])).toEqual([]);
      const entries = "SELECT FROM audit_log WHERE action = 'account.delete' AND target = $1";
      expect(await rows(entries, [doomed.accountId])).toHaveLength(1);
    },
  );

  it('after an erasure was remembered and before it was committed: it is done at the next start', async () => {
    const listId = await newList();
    await enrol(listId, 'p');
    await enrol(listId, 'q');
    await storage.erasures.remember([await faceOf(listId, 'p')], clock.now());
    await restart();
    expect((await ask('GET', `/v1/lists/${listId}/people/p`)).status).toBe(404);
    expect((await ask('GET', `/v1/lists/${listId}/people/q`)).status).toBe(200);
    const removals = await rows('SELECT 1 FROM face_removals WHERE list_id = $1', [listId]);
    expect(removals).toHaveLength(1);
  });

  it('after a restore, a device that was revoked has no key of what is enrolled from then on, of whichever epoch', async () => {
    const listId = await newList();
    const device = await newDevice(listId);
    await sync(device);
    const epochs = () => rows('SELECT epoch FROM list_epochs WHERE list_id = $1', [listId]);
    expect((await ask('DELETE', `/v1/lists/${listId}/devices/${device.id}`)).status).toBe(204);
    expect(await epochs()).toEqual([{ epoch: 2 }]);
    // The state in an older backup. The second epoch's key was given to other devices since, which may be revoked too.
    await rows('UPDATE list_epochs SET epoch = 1 WHERE list_id = $1', [listId]);
    await rows('UPDATE lists SET last_epoch = 0 WHERE list_id = $1', [listId]);
    await rows('UPDATE devices SET revoked_at = NULL WHERE list_id = $1', [listId]);
    await rows('UPDATE key_store_link SET replayed_through = 0');
    await restart();
    expect(await epochs()).toEqual([{ epoch: 3 }]);
    expect((await storage.keys.get({ ownerId: listId, epoch: 3 }))?.bytes.length).toBeGreaterThan(0);
  });

  it('what belongs to an erasure that was only remembered is done with it: ledger, notification, kept answer', async () => {
    const listId = await newList();
    const { body } = await ask<{ webhookId: string }>('POST', '/v1/webhooks', { url: 'https://receiver.invalid/hook' });
    const request = enrolBody(clock, { personId: 'p' });
    const once = () =>
      ask<{ code: string }>('POST', `/v1/lists/${listId}/people`, request, { 'Idempotency-Key': 'once' });
    expect((await once()).status).toBe(201);
    const { body: added } = await ask<{ id: string }>('POST', `/v1/lists/${listId}/devices`, {});
    const device = { kind: 'device', accountId, listId, deviceId: added.id } as const;
    const face = { ...(await faceOf(listId, 'p')), reason: 'consent-withdrawn' } as const;
    await storage.erasures.remember([face, device], clock.now());
    await restart();
    const kinds = await rows<{ kind: string }>('SELECT kind FROM consents WHERE list_id = $1 ORDER BY seq', [listId]);
    expect(kinds.map(({ kind }) => kind)).toEqual(['given', 'withdrawn']);
    const told = 'SELECT event_type AS type FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY event_type';
    const types = (await rows<{ type: string }>(told, [body.webhookId])).map(({ type }) => type);
    expect(types).toEqual(['device.added', 'device.revoked', 'person.deleted', 'person.enrolled']);
    expect((await once()).body.code).toBe('answer-erased');
    await restart();
    expect(await rows('SELECT 1 FROM consents WHERE list_id = $1', [listId])).toHaveLength(2);
  });

  it('of a list that was only remembered, the kept answers go too', async () => {
    const listId = await newList();
    const kept = () => rows('SELECT 1 FROM idempotent_requests WHERE list_id = $1', [listId]);
    await ask('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId: 'p' }), {
      'Idempotency-Key': 'of-the-list',
    });
    expect(await kept()).toHaveLength(1);
    await storage.erasures.remember([{ kind: 'list', accountId, listId }], clock.now());
    await restart();
    expect(await kept()).toEqual([]);
  });

  it('keeps people who were enrolled again since', async () => {
    const listId = await newList();
    await enrol(listId, 'p');
    const first = await faceOf(listId, 'p');
    await storage.erasures.remember([first], clock.now());
    await enrol(listId, 'p');
    await restart();
    expect((await ask('GET', `/v1/lists/${listId}/people/p`)).status).toBe(200);
    await restart();
    expect((await ask('GET', `/v1/lists/${listId}/people/p`)).status).toBe(200);
  });

  it('replays what is remembered twice as once, also while a node runs', async () => {
    const listId = await newList();
    await enrol(listId, 'p');
    const face = await faceOf(listId, 'p');
    await storage.erasures.remember([face, face, { ...face, listId: 'lst_unknown' }], clock.now());
    const others = await Promise.all(
      [1, 2].map(() => startApi(config, { clock, createInference: createFakeInference, logDestination: logs })),
    );
    expect((await ask('GET', `/v1/lists/${listId}/people/p`)).status).toBe(404);
    await Promise.all(others.map((other) => other.close()));
  });

  it('makes no key for a list whose keys were destroyed', async () => {
    const listId = await newList();
    await storage.keys.shred(listId, clock.now());
    const answer = await ask('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId: 'p' }));
    expect(answer.status).toBe(404);
    expect(await storage.keys.get({ ownerId: listId, epoch: 1 })).toBeNull();
  });

  it('hands no version out again that a device has seen', async () => {
    const listId = await newList();
    await storage.erasures.noteVersion({ accountId, listId, version: 40 });
    await restart();
    const versions = () => rows('SELECT list_version::int AS v FROM lists WHERE list_id = $1', [listId]);
    expect(await versions()).toEqual([{ v: 41 }]);
    await restart();
    expect(await versions()).toEqual([{ v: 41 }]);
  });
});
