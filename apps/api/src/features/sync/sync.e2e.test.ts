import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyDelta, indexPack, memorySource, parseDelta, parsePack, readPackContent } from '@svc/core/pack';
import type { DeviceResource } from '@svc/protocol';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { rowsOf } from '../../db/columns.ts';
import type { Transaction } from '../../db/connection.ts';
import { createList, enrolBody, enrolPerson, fillList } from '../../testing/enrolment-fixture.ts';
import { loseKeys } from '../../testing/key-stores.ts';
import { createLogSink, type TestCustomer } from '../../testing/test-api.ts';
import { addDevice, askSync, newDeviceKey, syncHeaders, syncOf, type TestDevice } from '../../testing/test-device.ts';
import { useApi, useDatabase } from '../../testing/use-api.ts';
import { buildSnapshot } from './snapshot.ts';
import { createSyncStore } from './store.ts';

const logs = createLogSink();
const { api, clock, database } = useApi({ clock: { now: Date.now }, logDestination: logs, customer: null });
let customer: TestCustomer;

beforeAll(async () => {
  customer = await api.customer({ country: 'DE' });
});

const newList = () => createList(customer);
const newDevice = (listId: string) => addDevice(customer, listId);
const ask = (device: TestDevice, since = 0) => askSync(api, device, since);
const sync = (device: TestDevice, since = 0) => syncOf(api, device, since);

const enrol = (listId: string, personId: string) => enrolPerson(listId, enrolBody(clock, { personId }), customer);

const fill = (listId: string, records: number) => fillList(database, { ...customer, listId }, records);

describe('a list that is going away', () => {
  it('is a wipe as soon as its deletion has begun, even if a crash keeps it from ending', async () => {
    const listId = await newList();
    const device = await newDevice(listId);
    await database.connection('lists').where({ list_id: listId }).update({ deleting_at: new Date() });
    expect((await sync(device)).manifest).toMatchObject({ command: 'wipe', reason: 'list-deleted' });
  });

  it('is no wipe because its key cannot be found: that is our failure, not the device’s', async () => {
    const listId = await newList();
    const device = await newDevice(listId);
    const { toVersion } = (await sync(device)).manifest;
    await loseKeys(api.config, listId);
    // Sealed keys are not served from memory.
    expect((await ask(device, toVersion)).status).toBe(500);
    expect((await ask(device)).status).toBe(500);
  });

  it('wipes a device that syncs while its list is deleted, or keeps it: nothing in between', async () => {
    const listId = await newList();
    const devices = await Promise.all(Array.from({ length: 8 }, () => newDevice(listId)));
    const syncs = devices.map((device) => sync(device));
    await customer.request('DELETE', `/v1/lists/${listId}`);
    for (const { manifest } of await Promise.all(syncs)) expect(['keep', 'wipe']).toContain(manifest.command);
    for (const device of devices) expect((await sync(device)).manifest.reason).toBe('list-deleted');
  });
});

describe('one version of a list', () => {
  it('is read from one snapshot of the database, in which nothing can be written', async () => {
    const listId = await newList();
    const { accountId } = customer;
    const store = createSyncStore(database.connection);
    await store.inSnapshot(async (tx) => {
      const before = await store.head(tx, { accountId, listId });
      await database.connection('lists').where({ list_id: listId }).increment('list_version', 1);
      expect(await store.head(tx, { accountId, listId })).toEqual(before);
    });
    const writing = store.inSnapshot((tx) => tx('lists').where({ list_id: listId }).increment('list_version', 1));
    await expect(writing).rejects.toMatchObject({ code: '25006' });
  });

  it('is one state, however many enrol meanwhile', async () => {
    const listId = await newList();
    const device = await newDevice(listId);
    const { toVersion: base } = (await sync(device)).manifest;
    let done = false;
    const finished = (async () => {
      for (let i = 0; i < 25; i += 1) expect((await enrol(listId, `T-${i}`)).status).toBe(201);
      done = true;
    })();
    const seen = new Map<number, string>();
    while (!done) {
      const { manifest, payload } = await sync(device);
      // Each enrolment takes one version and adds one record, so an inconsistent read would show here.
      expect(manifest.recordCount).toBe(manifest.toVersion - base);
      const pack = parsePack(payload.slice());
      expect(pack.recordCount).toBe(manifest.recordCount);
      expect(Buffer.from(pack.stateHash()).toString('base64url')).toBe(manifest.stateHash);
      expect(seen.get(manifest.toVersion) ?? manifest.stateHash).toBe(manifest.stateHash);
      seen.set(manifest.toVersion, manifest.stateHash);
    }
    await finished;
    expect((await sync(device)).manifest.recordCount).toBe(25);
    expect(new Set(seen.values()).size).toBe(seen.size);
  });
});

/** `SVC_TEST_SYNC_RECORDS` for a larger one. */
const SIZE = Number(process.env.SVC_TEST_SYNC_RECORDS ?? 25_000);

describe('a large list', () => {
  let listId: string;

  beforeAll(async () => {
    listId = await newList();
    await fill(listId, SIZE);
  });

  it('is sent whole and right, while others are still being answered', async () => {
    const devices = await Promise.all(Array.from({ length: 4 }, () => newDevice(listId)));
    let answered = 0;
    let busy = true;
    const others = (async () => {
      while (busy) {
        expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
        answered += 1;
      }
    })();
    const answers = await Promise.all(devices.map((device) => sync(device)));
    busy = false;
    await others;

    const [first] = answers;
    if (first === undefined) throw new Error('no answer');
    const { manifest, payload } = first;
    expect(manifest.recordCount).toBe(SIZE);
    expect(createHash('sha256').update(payload).digest('base64url')).toBe(manifest.payloadSha256);
    const pack = parsePack(payload.slice());
    expect(pack.recordCount).toBe(SIZE);
    expect(Buffer.from(pack.stateHash()).toString('base64url')).toBe(manifest.stateHash);
    for (const answer of answers) expect(Buffer.from(answer.payload).equals(payload)).toBe(true);
    // A pack built in one go would block all other answers meanwhile.
    expect(answered).toBeGreaterThan(SIZE / 5_000);
  });

  it('that changes a little sends the changes, from what was known of it before', async () => {
    const device = await newDevice(listId);
    const before = await sync(device);
    const since = before.manifest.toVersion;
    const row = () => database.connection('devices').where({ device_id: device.id }).first('last_sync_at');
    await vi.waitFor(async () => expect((await row())?.last_sync_at).not.toBeNull(), { timeout: 30_000, interval: 50 });
    expect((await enrol(listId, 'T-new')).status).toBe(201);
    const { payloadKind, manifest, payload } = await sync(device, since);
    expect([payloadKind, manifest.fromVersion, manifest.recordCount]).toEqual([2, since, SIZE + 1]);
    expect(payload.length).toBeLessThan(2_000);
    const base = await readPackContent(memorySource(before.payload));
    const hashes = { stateHash: true, sha256: () => createHash('sha256') };
    const index = await indexPack(applyDelta(base, parseDelta(payload)), hashes);
    expect(Buffer.from(index.stateHash ?? []).toString('base64url')).toBe(manifest.stateHash);
  });

  it('is built from what an earlier version left unchanged', async () => {
    const store = createSyncStore(database.connection);
    const list = { accountId: customer.accountId, listId };
    const base = await buildSnapshot(store, list);
    for (const personId of ['late-1', 'late-2', 'late-2']) expect((await enrol(listId, personId)).status).toBe(201);
    expect((await customer.request('DELETE', `/v1/lists/${listId}/people/late-1`)).status).toBe(204);
    const [next, whole] = [await buildSnapshot(store, list, base), await buildSnapshot(store, list)];
    if (base === null || next === null || whole === null) throw new Error('no list');
    expect(next.recordCount).toBe(base.recordCount + 1);
    expect(Buffer.concat(next.payload).equals(Buffer.concat(whole.payload))).toBe(true);
    const { payload: _parts, ...rest } = whole;
    expect(next).toMatchObject(rest);
    expect(next.packBytes).toBe(Buffer.concat(whole.payload).length);
    const pack = parsePack(Buffer.concat(next.payload));
    expect(Buffer.from(pack.stateHash())).toEqual(Buffer.from(next.stateHash));
    const shared = next.payload.filter((part) => part.length > 0 && base.payload.includes(part));
    expect(shared.length).toBeGreaterThan(250);
    expect(whole.payload.some((part) => base.payload.includes(part))).toBe(false);
  });

  it('counts as synced only when it was fully sent', async () => {
    const device = await newDevice(listId);
    const lastSyncAt = async () => {
      const path = `/v1/lists/${listId}/devices/${device.id}`;
      return (await customer.request<DeviceResource>('GET', path)).body.lastSyncAt;
    };
    await new Promise<void>((resolve, reject) => {
      const request = get(`${api.url}/v1/device/sync`, { headers: syncHeaders(device) }, (response) => {
        expect(response.statusCode).toBe(200);
        response.once('data', () => {
          response.destroy();
          resolve();
        });
        response.on('error', () => {});
      });
      request.on('error', reject);
    });
    await sleep(1500);
    expect(await lastSyncAt()).toBeNull();
    await sync(device);
    await expect.poll(lastSyncAt).not.toBeNull();
  });
});

it('answers no HEAD, which would pin a key that nobody may hold', async () => {
  const device = await newDevice(await newList());
  const head = await fetch(`${api.url}/v1/device/sync`, { method: 'HEAD', headers: syncHeaders(device) });
  expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET']);
  expect((await sync({ ...device, pair: newDeviceKey() })).manifest.command).toBe('keep');
});

it('writes no token, key or nonce into a log or the database', async () => {
  const device = await newDevice(await newList());
  const headers = syncHeaders(device);
  const otherKey = { 'Svc-Device-Key': newDeviceKey().getPublicKey('base64url', 'uncompressed') };
  await fetch(`${api.url}/v1/device/sync`, { headers });
  await fetch(`${api.url}/v1/device/sync`, { headers: { ...headers, ...otherKey } });
  await fetch(`${api.url}/v1/device/sync?since=x`, { headers });
  await expect.poll(() => logs.text).toContain(`"deviceId":"${device.id}"`);
  expect(logs.text).toContain('/v1/device/sync');
  for (const secret of [device.token, headers['Svc-Device-Key'], headers['Svc-Nonce']])
    expect(logs.text).not.toContain(secret);
  const stored = JSON.stringify((await database.connection.raw('SELECT devices::text AS row FROM devices')).rows);
  for (const secret of [device.token, Buffer.from(device.token).toString('hex')]) {
    expect(stored).not.toContain(secret);
  }
});

describe('store', () => {
  const FACES = 5_000;
  const list = { accountId: 'acc_1', listId: 'lst_1' };
  const key = { account_id: list.accountId, list_id: list.listId };
  const now = new Date('2026-03-02T10:00:00Z');
  const database = useDatabase();

  async function addList(on: Transaction, key: { readonly account_id: string; readonly list_id: string }) {
    const { account_id } = key;
    await on('accounts').insert({ account_id, name: 'Test', billing_currency: 'EUR', created_at: now });
    await on('lists').insert({ ...key, name: 'Members', retain_days: 0, list_version: 7, created_at: now });
  }

  /** Two epochs with due faces and one face that is not due, inserted without statistics for the planner. */
  async function fill(tx: Transaction): Promise<void> {
    await addList(tx, key);
    for (const epoch of [1, 2]) {
      const engine = { engine_id: 'engine', dimension: 128, match_threshold: 0.5, check_record: Buffer.alloc(16) };
      await tx('list_epochs').insert({ ...key, epoch, ...engine, created_at: now });
    }
    await tx.raw(
      `INSERT INTO faces (account_id, list_id, epoch, tag, record, delete_after, version)
    SELECT ?, ?, 1 + n % 2, decode(md5(CAST(n AS text)), 'hex'), '', CASE n WHEN 0 THEN timestamptz 'infinity' ELSE ? END, 7
    FROM generate_series(0, ?) n`,
      [list.accountId, list.listId, now, FACES],
    );
  }

  it('withholds a whole list whose faces the planner knows nothing of by reading each of them a few times', async () => {
    await database.transaction(async (tx) => {
      await fill(tx);
      const reads =
        "SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS n FROM pg_stat_xact_user_tables WHERE relname = 'faces'";
      const read = async () => (await rowsOf<{ n: number }>(tx, reads))[0]?.n ?? Number.NaN;
      const before = await read();
      await createSyncStore(database.connection).withholdDue(tx, list, now, now);
      expect((await read()) - before).toBeLessThan(10 * FACES);
    });
    const { connection } = database;
    const withheld: { epoch: number; tag: Buffer; version: number }[] = await connection('faces')
      .where(key)
      .whereNotNull('withheld_version')
      .orderBy('withheld_version')
      .select('epoch', 'tag', 'withheld_version as version');
    const noted = await connection('face_removals').where(key).orderBy('version').select('epoch', 'tag', 'version');
    expect(withheld).toEqual(noted);
    expect(withheld.map(({ version }) => version)).toEqual(Array.from({ length: FACES }, (_, nth) => 8 + nth));
    expect(await connection('lists').where(key).first('list_version')).toEqual({ list_version: 7 + FACES });
  });

  it('writes batches of the same devices at the same time, in any order, without a deadlock', async () => {
    const fleet = { account_id: 'acc_2', list_id: 'lst_2' };
    const { connection } = database;
    await database.transaction((tx) => addList(tx, fleet));
    const syncs = Array.from({ length: 200 }, (_, nth) => {
      const device = { accountId: fleet.account_id, listId: fleet.list_id, deviceId: `dev_${nth}` };
      return {
        ...{ ...device, at: now, shown: null, reason: 'account-suspended' as const },
        ...{ pack: { version: 1, people: 1 }, heldVersion: 1, isLinked: false },
        software: { sdkVersion: null, engineIds: [], attendances: [] },
      };
    });
    const devices = syncs.map(({ deviceId }) => ({ ...fleet, device_id: deviceId, created_at: now }));
    await connection('devices').insert(devices.map((row, nth) => ({ ...row, token_sha256: Buffer.alloc(32, nth) })));
    const store = createSyncStore(connection);
    const orders = [syncs, syncs.toReversed(), [...syncs.slice(100), ...syncs.slice(0, 100)]];
    // As many at a time as there are connections, so that none waits long for one.
    for (let round = 0; round < 8; round += 1) {
      await Promise.all(
        orders.flatMap((order) => [
          store.issueCounters(order),
          database.transaction((tx) => store.recordSyncs(tx, fleet.account_id, order, 0)),
          database.transaction((tx) => store.recordWipes(tx, fleet.account_id, order)),
        ]),
      );
    }
    expect(await connection('devices').where(fleet).distinct('sync_counter')).toEqual([{ sync_counter: 24 }]);
  });
});
