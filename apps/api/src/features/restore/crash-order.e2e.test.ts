import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openAdmin } from '../../compose/operator.ts';
import { type RunningApi, startApi } from '../../compose/start-api.ts';
import { keyStorageTarget } from '../../compose/targets.ts';
import { type ApiConfig, readConfig } from '../../config/config.ts';
import { type KeyStorage, openKeyStorage } from '../../crypto/key-storage.ts';
import { systemRandom } from '../../platform/ports.ts';
import { enrolBody } from '../../testing/enrolment-fixture.ts';
import { createFakeInference } from '../../testing/fake-inference.ts';
import { createTestDatabase, queryDatabase } from '../../testing/postgres.ts';
import { deviceHeaders } from '../../testing/tenant.ts';
import { createLogSink, createManualClock, requestJson } from '../../testing/test-api.ts';

const clock = createManualClock();
let config: ApiConfig;
let dataDirectory: string;
let keyDatabase: string;
let storage: KeyStorage;
let api: RunningApi;
let accountId: string;
let apiKey: string;

/** One node restarted after a crash stands for both. */
async function restart(): Promise<void> {
  await api?.close();
  api = await startApi(config, { clock, createInference: createFakeInference, logDestination: createLogSink() });
}

const inMain = <Row extends object>(sql: string, values: unknown[]) =>
  queryDatabase<Row>(config.databaseUrl, sql, values);

const ask = <T>(method: string, path: string, body?: unknown, key?: string) =>
  requestJson<T>(`${api.url}${path}`, {
    method,
    headers: {
      'X-Api-Key': apiKey,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const newList = async () =>
  (await ask<{ listId: string }>('POST', '/v1/lists', { name: 'L', ongoing: true })).body.listId;

async function enrol(listId: string, personId: string): Promise<void> {
  expect((await ask('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId }))).status).toBe(201);
}

async function faceOf(listId: string, personId: string) {
  const [face] = await inMain<{ epoch: number; tag: Buffer; version: number }>(
    `SELECT f.epoch, f.tag, f.version FROM faces f JOIN people p ON (f.account_id, f.list_id, f.epoch, f.tag)
      = (p.account_id, p.list_id, p.face_epoch, p.face_tag) WHERE p.list_id = $1 AND p.person_id = $2`,
    [listId, personId],
  );
  if (face === undefined) throw new Error('no face');
  const { epoch, tag, version } = face;
  return { kind: 'face', accountId, listId, epoch, tag: tag.toString('base64url'), version: Number(version) } as const;
}

beforeAll(async () => {
  const postgres = inject('postgres');
  dataDirectory = await mkdtemp(join(tmpdir(), 'svc-order-'));
  keyDatabase = await createTestDatabase(postgres);
  config = readConfig({
    PORT: '0',
    DATABASE_URL: await createTestDatabase(postgres),
    SVC_KEY_DATABASE_URL: keyDatabase,
    SVC_KEK: Buffer.from(systemRandom.bytes(32)).toString('base64'),
    SVC_DATA_DIR: dataDirectory,
  });
  await restart();
  const admin = await openAdmin(config, { clock });
  ({ accountId } = await admin.accounts.create({ name: 'Test', billingCurrency: 'EUR', plan: 'pilot' }));
  ({ apiKey } = await admin.keys.create(accountId, 'test'));
  await admin.close();
  storage = await openKeyStorage(keyStorageTarget(config), systemRandom);
});
afterAll(async () => {
  await storage.close();
  await api.close();
  await rm(dataDirectory, { recursive: true, force: true });
});

describe('keys in a database of their own', () => {
  it('leave none in the main one', async () => {
    await newList();
    expect(await inMain('SELECT 1 FROM wrapped_keys', [])).toEqual([]);
    expect((await storage.keys.page(null, 10)).length).toBeGreaterThan(1);
  });
});

describe('a crash between the two stores', () => {
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
      await inMain('UPDATE lists SET deleting_at = now() WHERE list_id = $1', [listId]);
    }
    await storage.keys.shred(shredded, clock.now());
    await restart();
    for (const listId of [begun, shredded]) {
      await expect.poll(() => inMain('SELECT 1 FROM faces WHERE list_id = $1', [listId])).toEqual([]);
      expect(await storage.keys.get({ ownerId: listId, epoch: 1 })).toBeNull();
    }
    const remembered = await storage.erasures.after(0, 1_000);
    expect(remembered.map(({ erasure }) => erasure)).toContainEqual({ kind: 'list', accountId, listId: begun });
  });

  it('after an erasure was remembered and before it was committed: it is done at the next start', async () => {
    const listId = await newList();
    await enrol(listId, 'p');
    await enrol(listId, 'q');
    await storage.erasures.remember([await faceOf(listId, 'p')], clock.now());
    await restart();
    expect((await ask('GET', `/v1/lists/${listId}/people/p`)).status).toBe(404);
    expect((await ask('GET', `/v1/lists/${listId}/people/q`)).status).toBe(200);
    const removals = await inMain('SELECT 1 FROM face_removals WHERE list_id = $1', [listId]);
    expect(removals).toHaveLength(1);
  });

  it('after a restore, a device that was revoked has no key of what is enrolled from then on, of whichever epoch', async () => {
    const listId = await newList();
    const added = await ask<{ id: string; token: string }>('POST', `/v1/lists/${listId}/devices`, {});
    const headers = { Authorization: `Bearer ${added.body.token}`, ...deviceHeaders() };
    expect((await fetch(`${api.url}/v1/device/sync`, { headers })).status).toBe(200);
    const epochs = () =>
      inMain<{ epoch: number }>('SELECT epoch FROM list_epochs WHERE list_id = $1', [listId]).then((rows) =>
        rows.map(({ epoch }) => epoch),
      );
    expect((await ask('DELETE', `/v1/lists/${listId}/devices/${added.body.id}`)).status).toBe(204);
    expect(await epochs()).toEqual([2]);
    // The state in an older backup. The second epoch's key was given to other devices since, which may be revoked too.
    await inMain('UPDATE list_epochs SET epoch = 1 WHERE list_id = $1', [listId]);
    await inMain('UPDATE lists SET last_epoch = 0 WHERE list_id = $1', [listId]);
    await inMain('UPDATE devices SET revoked_at = NULL WHERE list_id = $1', [listId]);
    await inMain('UPDATE key_store_link SET replayed_through = 0', []);
    await restart();
    expect(await epochs()).toEqual([3]);
    expect((await storage.keys.get({ ownerId: listId, epoch: 3 }))?.bytes.length).toBeGreaterThan(0);
  });

  it('what belongs to an erasure that was only remembered is done with it: ledger, notification, kept answer', async () => {
    const { body } = await ask<{ webhookId: string }>('POST', '/v1/webhooks', { url: 'https://receiver.invalid/hook' });
    const listId = await newList();
    const request = enrolBody(clock, { personId: 'p' });
    const once = () => ask<{ code: string }>('POST', `/v1/lists/${listId}/people`, request, 'once');
    expect((await once()).status).toBe(201);
    const added = await ask<{ id: string }>('POST', `/v1/lists/${listId}/devices`, {});
    const deviceId = added.body.id;
    await storage.erasures.remember(
      [
        { ...(await faceOf(listId, 'p')), reason: 'consent-withdrawn' },
        { kind: 'device', accountId, listId, deviceId },
      ],
      clock.now(),
    );
    await restart();
    const kinds = await inMain<{ kind: string }>('SELECT kind FROM consents WHERE list_id = $1 ORDER BY seq', [listId]);
    expect(kinds.map(({ kind }) => kind)).toEqual(['given', 'withdrawn']);
    const told = await inMain<{ event_type: string }>(
      'SELECT event_type FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY delivery_id',
      [body.webhookId],
    );
    const types = told.map((delivery) => delivery.event_type);
    expect(types.sort()).toEqual(['device.added', 'device.revoked', 'person.deleted', 'person.enrolled']);
    expect((await once()).body.code).toBe('answer-erased');
    await restart();
    expect(await inMain('SELECT 1 FROM consents WHERE list_id = $1', [listId])).toHaveLength(2);
  });

  it('of a list that was only remembered, the kept answers go too', async () => {
    const listId = await newList();
    const kept = () => inMain('SELECT 1 FROM idempotent_requests WHERE list_id = $1', [listId]);
    await ask('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId: 'p' }), 'of-the-list');
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
      [1, 2].map(() =>
        startApi(config, { clock, createInference: createFakeInference, logDestination: createLogSink() }),
      ),
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
});

describe('a version that a device has seen', () => {
  it('is never handed out again after a restore of the database', async () => {
    const listId = await newList();
    await storage.erasures.noteVersion({ accountId, listId, version: 40 });
    await restart();
    const [row] = await inMain<{ list_version: string }>('SELECT list_version FROM lists WHERE list_id = $1', [listId]);
    expect(Number(row?.list_version)).toBe(41);
    await restart();
    const [again] = await inMain<{ list_version: string }>('SELECT list_version FROM lists WHERE list_id = $1', [
      listId,
    ]);
    expect(Number(again?.list_version)).toBe(41);
  });
});
