import { execFile } from 'node:child_process';
import { createECDH, randomBytes } from 'node:crypto';
import { chown, mkdtemp, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openRecord, parseDelta, parseEnvelope, parsePack } from '@svc/core/pack';
import { createNodeAead } from '@svc/core/testing/peers';
import { type AddedDevice, DAY_MS, type ListResource, syncManifestSchema } from '@svc/protocol';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openAdmin } from '../../compose/operator.ts';
import { type RunningApi, startApi } from '../../compose/start-api.ts';
import { type ApiConfig, readConfig } from '../../config/config.ts';
import { openKeyEncryption } from '../../crypto/key-encryption.ts';
import { createKeyRing } from '../../crypto/key-ring.ts';
import { openKeyStorage } from '../../crypto/key-storage.ts';
import type { DatabaseTarget } from '../../db/connection.ts';
import { startEmbeddedServer } from '../../db/embedded/index.ts';
import { systemRandom } from '../../platform/ports.ts';
import { TestAuthenticator } from '../../testing/authenticator.ts';
import { enrolBody } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { addPasskey, signInWith, type TestPerson } from '../../testing/person.ts';
import { createTestDatabase, removeDataDirectory } from '../../testing/postgres.ts';
import { createLogSink, createManualClock, requestJson } from '../../testing/test-api.ts';

const run = promisify(execFile);
const clock = createManualClock();
const logs = createLogSink();
let dataDirectory: string;
let config: ApiConfig;
let api: RunningApi;
let apiKey: string;
let accountId: string;

const ask = <T>(method: string, path: string, body?: unknown, key = apiKey) =>
  requestJson<T>(`${api.url}${path}`, {
    method,
    headers: { 'X-Api-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function start(): Promise<void> {
  api = await startApi(config, { clock, createInference: createFakeInference, logDestination: logs });
}

async function newList(name: string, retainDays = 365): Promise<string> {
  return (await ask<ListResource>('POST', '/v1/lists', { name, ongoing: true, retainDays })).body.listId;
}

async function enrol(listId: string, personId: string): Promise<void> {
  const { status } = await ask('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId }));
  expect(status).toBe(201);
}

async function newDevice(listId: string) {
  const { body } = await ask<AddedDevice>('POST', `/v1/lists/${listId}/devices`);
  return { ...body, key: createECDH('prime256v1').generateKeys('base64url', 'uncompressed') };
}

async function sync(device: { token: string; key: string }, since = 0) {
  const response = await fetch(`${api.url}/v1/device/sync?since=${since}`, {
    headers: {
      Authorization: `Bearer ${device.token}`,
      'Svc-Device-Key': device.key,
      'Svc-Nonce': randomBytes(16).toString('base64url'),
    },
  });
  if (response.status !== 200) return { status: response.status, manifest: null, people: 0 };
  const { manifest, payload, payloadKind } = parseEnvelope(new Uint8Array(await response.arrayBuffer()));
  // For changes, the list's epochs afterwards.
  const epochs = payloadKind === 0 ? [] : (payloadKind === 1 ? parsePack(payload) : parseDelta(payload)).epochs;
  const people = epochs.reduce((sum, { recordCount }) => sum + recordCount, 0);
  return { status: 200, manifest: syncManifestSchema.parse(JSON.parse(Buffer.from(manifest).toString())), people };
}

/** The folder of the embedded cluster, which may belong to another OS user. */
async function cluster(): Promise<string> {
  const state = join(dataDirectory, 'postgres');
  return join(await readlink(state).catch(() => state), 'cluster');
}

/** A base backup of the running server, as pg_basebackup makes it: files, label, and the log written meanwhile. */
async function baseBackup(target: DatabaseTarget): Promise<string> {
  const source = await cluster();
  const backup = join(dataDirectory, 'backup');
  const client = new pg.Client(target);
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('test', true)");
    await run('cp', ['-a', source, backup]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await run('cp', ['-a', '--update', `${join(source, 'pg_wal')}/.`, join(backup, 'pg_wal')]);
    const label = join(backup, 'backup_label');
    await writeFile(label, rows[0]?.labelfile ?? '', { mode: 0o600 });
    const { uid, gid } = await stat(join(source, 'PG_VERSION'));
    await chown(label, uid, gid);
    await rm(join(backup, 'postmaster.pid'), { force: true });
  } finally {
    await client.end();
  }
  return backup;
}

async function restore(backup: string): Promise<void> {
  const path = await cluster();
  await rm(path, { recursive: true });
  await run('cp', ['-a', backup, path]);
}

async function target(): Promise<{ target: DatabaseTarget; stop(): Promise<void> }> {
  return startEmbeddedServer({ dataDirectory, random: systemRandom, share: true });
}

async function rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  const server = await target();
  const client = new pg.Client(server.target);
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
    await server.stop();
  }
}

interface FaceRow {
  readonly list_id: string;
  readonly epoch: number;
  readonly record: Buffer;
  readonly engine_id: string;
  readonly dimension: number;
}

const FACES = `SELECT f.list_id, f.epoch, f.record, e.engine_id, e.dimension FROM faces f
  JOIN list_epochs e USING (account_id, list_id, epoch) ORDER BY f.list_id, f.tag`;

/** The people whose records the available keys can open. */
async function readable(faces: readonly FaceRow[], personIds: readonly string[]): Promise<string[]> {
  const storage = await openKeyStorage({ kind: 'folder', path: config.keyStoreDirectory ?? '' }, systemRandom);
  const keyEncryption = await openKeyEncryption({ random: systemRandom, dataDirectory });
  const keyRing = createKeyRing({ keyEncryption, keyStore: storage.keys, clock, random: systemRandom });
  const aead = createNodeAead();
  const found: string[] = [];
  for (const stored of await storage.keys.page(null, 1_000)) {
    const { ownerId, epoch } = stored.name;
    if (!ownerId.startsWith('lst_')) continue;
    const listKey = await keyRing.unwrapListKey(ownerId, epoch);
    for (const face of faces) {
      for (const personId of personIds) {
        const context = {
          listId: face.list_id,
          epoch: face.epoch,
          engineId: face.engine_id,
          dimension: face.dimension,
        };
        const opened = await openRecord(aead, { ...context, listKey, record: face.record, personId }).catch(() => null);
        if (opened !== null) found.push(personId);
      }
    }
  }
  await storage.close();
  return found.sort();
}

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'svc-restore-'));
  config = readConfig({
    PORT: '0',
    SVC_DATA_DIR: dataDirectory,
    SVC_KEY_STORE_DIR: join(dataDirectory, 'keys'),
  });
  await start();
  const admin = await openAdmin(config, { clock });
  ({ accountId } = await admin.accounts.create({ name: 'Test', billingCurrency: 'EUR', plan: 'pilot' }));
  ({ apiKey } = await admin.keys.create(accountId, 'test'));
  await admin.close();
});
afterAll(async () => {
  await api.close();
  await removeDataDirectory(dataDirectory);
});

describe('an older base backup of the database, with the key store as it is now', () => {
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
    for (const each of [device, lost, ofDeleted]) expect((await sync(each)).manifest?.command).toBe('keep');

    // The job of the start that rewrites the cluster's files and removes its log: no backup is made beside it.
    const isScrubbed = `SELECT 1 FROM recurring_jobs
      WHERE name = 'scrub-database' AND taken_by IS NULL AND (last_done_at IS NOT NULL OR failures > 0)`;
    await expect.poll(() => rows(isScrubbed)).toHaveLength(1);
    const server = await target();
    const backup = await baseBackup(server.target);
    await server.stop();

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
    await restore(backup);

    // Before the replay: the rows are back, but no available key opens those of the deleted list.
    const everybody = ['stays', 'erased', 'erased-and-back', 'of-the-deleted', 'expires'];
    const revived = await rows<FaceRow>(FACES);
    expect(revived).toHaveLength(5);
    expect(await readable(revived, everybody)).not.toContain('of-the-deleted');
    expect(await readable(revived, everybody)).toContain('stays');

    await start();
    // A person erased and enrolled again after the backup must be enrolled once more: the backup's face was erased.
    const left = await rows<FaceRow>(FACES);
    expect(left).toHaveLength(1);
    expect(await readable(left, everybody)).toEqual(['stays']);
    const people = await rows<{ person_id: string }>('SELECT person_id FROM people');
    expect(people.map((row) => row.person_id)).toEqual(['stays']);
    expect((await ask('GET', `/v1/lists/${deleted}`)).status).toBe(404);
    for (const personId of ['erased', 'erased-and-back']) {
      expect((await ask('GET', `/v1/lists/${kept}/people/${personId}`)).status).toBe(404);
    }
    expect((await ask('GET', `/v1/lists/${short}/people/expires`)).status).toBe(404);
    const webhooks = await ask<{ items: { webhookId: string }[] }>('GET', '/v1/webhooks');
    expect(webhooks.body.items.map(({ webhookId }) => webhookId)).toEqual([hooks[0]]);
    expect((await ask('GET', `/v1/lists`, undefined, leaked.apiKey)).status).toBe(401);
    expect(await rows('SELECT 1 FROM accounts WHERE account_id = $1', [doomed.accountId])).toEqual([]);
    const users = await rows<{ name: string }>('SELECT name FROM users ORDER BY name');
    expect(users.map(({ name }) => name)).toEqual(['signed-out', 'stays']);
    const links = await rows<{ user_id: string }>('SELECT user_id FROM user_links');
    expect(links.map((row) => row.user_id)).toEqual([staff[0]?.userId]);
    const passkeys = await rows<{ passkey_id: string }>('SELECT passkey_id FROM user_passkeys');
    expect(passkeys.map((row) => row.passkey_id)).not.toContain(passkeyId);
    expect(passkeys).toHaveLength(1);

    expect((await sync(lost)).manifest).toMatchObject({ command: 'wipe', reason: 'device-revoked' });
    expect((await sync(ofDeleted)).manifest).toMatchObject({ command: 'wipe', reason: 'list-deleted' });
    const after = await sync(device, before.manifest?.toVersion);
    expect(after.people).toBe(1);
    expect(after.manifest?.toVersion).toBeGreaterThan(before.manifest?.toVersion ?? Number.POSITIVE_INFINITY);
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
});
