import { parsePack } from '@svc/core/pack';
import { DAY_MS } from '@svc/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createLogSink } from '../../testing/test-api.ts';
import { addDevice, syncOf } from '../../testing/test-device.ts';
import { runJobs, useApi, useServices } from '../../testing/use-api.ts';
import { createDeliveries } from '../../testing/webhook-receiver.ts';
import { createStage } from '../../testing/widget-fixture.ts';

const logs = createLogSink();
const { api, clock, customer } = useApi({ logDestination: logs });
const services = useServices(api, { clock });
const url = 'https://receiver.example/hook';

beforeEach(() => inDatabase(api, 'DELETE FROM webhooks', []));

const rows = async <Row extends object>(sql: string, ...values: unknown[]) => inDatabase<Row>(api, sql, values);
const numbers = async (sql: string, listId: string) => (await rows<{ n: number }>(sql, listId)).map(({ n }) => n);
const count = async (table: string, listId: string) =>
  (await numbers(`SELECT count(*)::int AS n FROM ${table} WHERE list_id = $1`, listId))[0] ?? Number.NaN;
const versionOf = async (listId: string) =>
  (await numbers('SELECT list_version::int AS n FROM lists WHERE list_id = $1', listId))[0] ?? Number.NaN;
const removalsOf = (listId: string) =>
  numbers('SELECT version::int AS n FROM face_removals WHERE list_id = $1 ORDER BY version', listId);

const shortList = () => createList(customer, { name: 'Members', ongoing: true, retainDays: 2 });
const eventList = async () => (await createStage(customer, clock, 24)).listId;
const enrol = async (listId: string, ...people: string[]) => {
  for (const personId of people) {
    expect((await enrolPerson(listId, enrolBody(clock, { personId }), customer)).status).toBe(201);
  }
};

describe('an expired person, while no job runs', () => {
  it('is not found and not served to devices', async () => {
    const listId = await shortList();
    await enrol(listId, 'early');
    clock.advance(DAY_MS / 2);
    await enrol(listId, 'late');
    const device = await addDevice(customer, listId);
    expect((await syncOf(api, device)).manifest.recordCount).toBe(2);

    clock.advance(1.5 * DAY_MS);
    expect(await count('faces', listId)).toBe(2);
    expect((await customer.request('GET', `/v1/lists/${listId}/people/early`)).status).toBe(404);
    const page = await customer.request<{ items: { personId: string }[] }>('GET', `/v1/lists/${listId}/people`);
    expect(page.body.items.map(({ personId }) => personId)).toEqual(['late']);
    // “late” is due within a day: a device that goes offline now could keep it for too long.
    const { manifest, payload } = await syncOf(api, device);
    expect(manifest.recordCount).toBe(0);
    expect(parsePack(payload).epochs.reduce((sum, { recordCount }) => sum + recordCount, 0)).toBe(0);
  });

  it('counts as new when enrolled again', async () => {
    const listId = await shortList();
    await enrol(listId, 'guest');
    clock.advance(3 * DAY_MS);
    await enrol(listId, 'guest');
    const { body } = await customer.request('GET', `/v1/lists/${listId}/people/guest`);
    expect(body).toMatchObject({ enrolledAt: new Date(clock.now()).toISOString() });
  });
});

describe('the jobs', () => {
  it('delete faces at their deadline, each at a version of its own, and tell of it', async () => {
    const { received, deliver } = createDeliveries(services);
    const listId = await shortList();
    await customer.request('POST', '/v1/webhooks', { url, eventTypes: ['person.deleted'] });
    await enrol(listId, 'a', 'b', 'c');
    const device = await addDevice(customer, listId);
    clock.advance(1.5 * DAY_MS);
    // This sync withholds all three; another one is added, and none is withheld again.
    const before = (await syncOf(api, device)).manifest.toVersion;
    await enrol(listId, 'stays');
    clock.advance(DAY_MS);
    await runJobs(services);
    await deliver();
    expect(await count('faces', listId)).toBe(1);
    expect(await rows('SELECT person_id AS id FROM people WHERE list_id = $1', listId)).toEqual([{ id: 'stays' }]);
    expect(await removalsOf(listId)).toEqual([before - 2, before - 1, before]);
    const told = received.map(({ body }) => body.data.personId);
    expect(told.toSorted()).toEqual(['a', 'b', 'c']);
    expect(received[0]?.body).toMatchObject({ type: 'person.deleted', data: { listId, reason: 'expired' } });
    expect(logs.text).not.toContain('"personId"');
    expect(await services.metrics.render()).toMatch(/svc_person_expiry_delay_seconds_count [1-9]/);
  });

  it('give what no device has been spared yet versions of its own', async () => {
    const listId = await shortList();
    await enrol(listId, 'a', 'b', 'c');
    const base = await versionOf(listId);
    clock.advance(3 * DAY_MS);
    await runJobs(services);
    expect(await count('faces', listId)).toBe(0);
    expect(await removalsOf(listId)).toEqual([base + 1, base + 2, base + 3]);
    expect(await versionOf(listId)).toBe(base + 3);
  });

  it('shred a list past its deadline, which takes nobody, wipe its devices and leave the ledger', async () => {
    const { received, deliver } = createDeliveries(services);
    const listId = await eventList();
    await customer.request('POST', '/v1/webhooks', { url, eventTypes: ['person.deleted', 'list.ended'] });
    await enrol(listId, 'guest');
    const device = await addDevice(customer, listId);
    expect((await syncOf(api, device)).manifest.command).toBe('keep');
    clock.advance(DAY_MS);
    const wipe = { command: 'wipe', reason: 'retention-deadline' };
    async function expectOver() {
      expect((await syncOf(api, device)).manifest).toMatchObject(wipe);
      const answer = await enrolPerson(listId, enrolBody(clock, { personId: 'late' }), customer);
      expect(answer).toMatchObject({ status: 409, body: { code: 'list-ended' } });
    }
    await expectOver();
    expect((await customer.request('GET', `/v1/lists/${listId}/people`)).body).toMatchObject({ items: [] });
    await runJobs(services);
    await deliver();
    const told = new Map(received.map(({ body }) => [body.type, body.data]));
    expect(Object.fromEntries(told)).toEqual({
      'person.deleted': { listId, personId: 'guest', reason: 'expired' },
      'list.ended': { listId, reason: 'retention-deadline' },
    });
    for (const table of ['lists', 'people', 'faces', 'list_epochs']) expect(await count(table, listId)).toBe(0);
    expect(await count('consents', listId)).toBe(1);
    expect((await customer.request('GET', `/v1/lists/${listId}`)).status).toBe(404);
    await expectOver();
    const stranger = await enrolPerson(listId, enrolBody(clock), await api.customer({ country: 'DE' }));
    expect(stranger).toMatchObject({ status: 404 });
  });

  it('complete a deletion that a crash interrupted, and forget what is no longer needed', async () => {
    const listId = await shortList();
    await enrol(listId, 'guest');
    const device = await addDevice(customer, listId);
    const revoked = await addDevice(customer, listId);
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${revoked.id}`);
    await customer.request('DELETE', `/v1/lists/${listId}/people/guest`);
    const hook = { url, eventTypes: ['list.ended'] };
    const { body } = await customer.request<{ webhookId: string }>('POST', '/v1/webhooks', hook);
    await customer.request('POST', `/v1/webhooks/${body.webhookId}/test`);
    const deliveries = () => rows('SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1', body.webhookId);
    expect(await deliveries()).toHaveLength(1);
    const gone = await shortList();
    const dead = await addDevice(customer, gone);
    await customer.request('DELETE', `/v1/lists/${gone}`);

    clock.advance(31 * DAY_MS + 1);
    const interrupted = await shortList();
    await rows('UPDATE lists SET deleting_at = now() WHERE list_id = $1', interrupted);
    await runJobs(services);
    expect([await count('lists', interrupted), await count('face_removals', listId)]).toEqual([0, 0]);
    expect(await deliveries()).toEqual([]);
    expect(await count('devices', listId)).toBe(2);
    expect((await syncOf(api, revoked)).manifest.command).toBe('wipe');
    expect((await syncOf(api, dead)).manifest.command).toBe('wipe');
    // What follows a sync holds the device's row for a moment, in which its deletion would leave it for the next time.
    const told = (table: string, id: string) =>
      rows(`SELECT 1 FROM ${table} WHERE device_id = $1 AND wipe_told IS NOT NULL`, id);
    await expect.poll(() => told('devices', revoked.id)).toHaveLength(1);
    await expect.poll(() => told('wipe_tombstones', dead.id)).toHaveLength(1);

    clock.advance(370 * DAY_MS);
    await runJobs(services);
    expect([await count('devices', listId), await count('wipe_tombstones', gone)]).toEqual([1, 0]);
    expect((await syncOf(api, device)).manifest.command).toBe('keep');
  });
});

describe('what webhooks are told of devices', () => {
  it('is each wipe once, and each sync that came after the lease', async () => {
    const listId = await createList(customer);
    const eventTypes = ['device.wipe-sent', 'device.synced-late'];
    await customer.request('POST', '/v1/webhooks', { url, eventTypes });
    const device = await addDevice(customer, listId);
    const types = 'SELECT event_type AS type FROM webhook_deliveries WHERE account_id = $1 ORDER BY delivery_id';
    const pending = async () => (await rows<{ type: string }>(types, customer.accountId)).map(({ type }) => type);
    const syncedAt = () => rows('SELECT 1 FROM devices WHERE device_id = $1 AND last_sync_at = $2', device.id, at());
    const at = () => new Date(clock.now());
    await syncOf(api, device);
    await expect.poll(syncedAt).toHaveLength(1);
    clock.advance(DAY_MS / 2);
    await syncOf(api, device);
    await expect.poll(syncedAt).toHaveLength(1);
    expect(await pending()).toEqual([]);
    clock.advance(DAY_MS + 1);
    await syncOf(api, device);
    await expect.poll(pending).toEqual(['device.synced-late']);

    clock.advance(1);
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${device.id}`);
    await syncOf(api, device);
    await expect.poll(pending).toEqual(['device.synced-late', 'device.wipe-sent']);
    await syncOf(api, device);
    await customer.request('DELETE', `/v1/lists/${listId}`);
    await syncOf(api, device);
    await expect.poll(pending).toEqual(['device.synced-late', 'device.wipe-sent', 'device.wipe-sent']);
  });
});
