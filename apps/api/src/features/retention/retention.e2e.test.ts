import { parsePack } from '@svc/core/pack';
import { DAY_MS } from '@svc/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApi } from '../../compose/start-api.ts';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createLogSink } from '../../testing/test-api.ts';
import { addDevice, syncOf } from '../../testing/test-device.ts';
import { useApi } from '../../testing/use-api.ts';
import { LOCAL_WEBHOOKS, startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts';

const logs = createLogSink();
/** The tested node runs no jobs, so that its answers depend on what it reads, not on what was removed. */
const { api, clock, customer, inference } = useApi({
  logDestination: logs,
  environment: { ...LOCAL_WEBHOOKS, SVC_JOBS: 'off' },
});
const parts = { createInference: () => inference, clock, logDestination: logs };
let receiver: WebhookReceiver;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

const rows = async <Row extends object>(sql: string, ...values: unknown[]) => inDatabase<Row>(api, sql, values);
const count = async (table: string, listId: string): Promise<number> => {
  const [row] = await rows<{ n: string }>(`SELECT count(*) AS n FROM ${table} WHERE list_id = $1`, listId);
  return Number(row?.n);
};

/** Another node on the same database, with jobs: each job runs once at the start. */
async function withJobs(until: () => Promise<void>): Promise<void> {
  const config = { ...api.config, background: { ...api.config.background, jobs: true } };
  const node = await startApi(config, parts);
  try {
    await until();
  } finally {
    await node.close();
  }
}

const shortList = () => createList(customer, { name: 'Members', ongoing: true, retainDays: 2 });
const enrol = async (listId: string, personId: string) => {
  const { status } = await enrolPerson(listId, enrolBody(clock, { personId }), customer);
  expect(status).toBe(201);
};

async function eventList(): Promise<string> {
  const event = await customer.request<{ eventId: string }>('POST', '/v1/events', {
    name: 'Concert',
    startsAt: new Date(clock.now()).toISOString(),
    endsAt: new Date(clock.now() + DAY_MS).toISOString(),
  });
  return createList(customer, { name: 'Guests', eventId: event.body.eventId });
}

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
    // «late» is due within a day: a device that goes offline now could keep it for too long.
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

  it('is wiped from the devices of a list past its deadline, which accepts no enrolment', async () => {
    const listId = await eventList();
    await enrol(listId, 'guest');
    const device = await addDevice(customer, listId);
    expect((await syncOf(api, device)).manifest.command).toBe('keep');
    clock.advance(DAY_MS);
    expect((await syncOf(api, device)).manifest).toMatchObject({ command: 'wipe', reason: 'retention-deadline' });
    const answer = await enrolPerson(listId, enrolBody(clock, { personId: 'late' }), customer);
    expect(answer).toMatchObject({ status: 409, body: { code: 'list-ended' } });
    const page = await customer.request<{ items: unknown[] }>('GET', `/v1/lists/${listId}/people`);
    expect(page.body.items).toEqual([]);
  });
});

describe('the jobs', () => {
  it('delete faces at their deadline, each at a version of its own, and tell of it', async () => {
    const listId = await shortList();
    await customer.request('POST', '/v1/webhooks', { url: receiver.url, eventTypes: ['person.deleted'] });
    for (const personId of ['a', 'b', 'c']) await enrol(listId, personId);
    const device = await addDevice(customer, listId);
    clock.advance(1.5 * DAY_MS);
    // This sync withholds all three; another one is added, and none is withheld again.
    const before = (await syncOf(api, device)).manifest.toVersion;
    await enrol(listId, 'stays');
    clock.advance(DAY_MS);
    await withJobs(async () => {
      await expect.poll(() => count('faces', listId)).toBe(1);
      await expect.poll(() => receiver.received.length).toBe(3);
    });
    const people = await rows<{ person_id: string }>('SELECT person_id FROM people WHERE list_id = $1', listId);
    expect(people.map((row) => row.person_id)).toEqual(['stays']);
    const removals = await rows<{ version: number }>('SELECT version FROM face_removals WHERE list_id = $1', listId);
    expect(new Set(removals.map(({ version }) => Number(version))).size).toBe(3);
    expect(Math.max(...removals.map(({ version }) => Number(version)))).toBe(before);
    const told = receiver.received.map(({ body }) => body.data);
    expect(told).toEqual(
      expect.arrayContaining(['a', 'b', 'c'].map((personId) => ({ listId, personId, reason: 'expired' }))),
    );
    expect(logs.text).not.toContain('"personId"');
  });

  it('give what no device has been spared yet versions of its own', async () => {
    const listId = await shortList();
    for (const personId of ['a', 'b', 'c']) await enrol(listId, personId);
    const [list] = await rows<{ v: string }>('SELECT list_version AS v FROM lists WHERE list_id = $1', listId);
    clock.advance(3 * DAY_MS);
    await withJobs(() =>
      expect
        .poll(() => count('faces', listId))
        .toBe(0)
        .then(() => undefined),
    );
    const removals = await rows<{ version: string }>(
      'SELECT version FROM face_removals WHERE list_id = $1 ORDER BY version',
      listId,
    );
    const base = Number(list?.v);
    expect(removals.map(({ version }) => Number(version))).toEqual([base + 1, base + 2, base + 3]);
    const [after] = await rows<{ v: string }>('SELECT list_version AS v FROM lists WHERE list_id = $1', listId);
    expect(Number(after?.v)).toBe(base + 3);
  });

  it('shred a list past its deadline, wipe its devices and leave the ledger', async () => {
    const listId = await eventList();
    await customer.request('POST', '/v1/webhooks', { url: receiver.url });
    await enrol(listId, 'guest');
    const device = await addDevice(customer, listId);
    await syncOf(api, device);
    clock.advance(DAY_MS + 1);
    await withJobs(async () => {
      await expect.poll(() => count('lists', listId)).toBe(0);
      await expect
        .poll(() => receiver.received.map(({ body }) => body))
        .toEqual(
          expect.arrayContaining([
            expect.objectContaining({ type: 'person.deleted', data: { listId, personId: 'guest', reason: 'expired' } }),
            expect.objectContaining({ type: 'list.ended', data: { listId, reason: 'retention-deadline' } }),
          ]),
        );
    });
    for (const table of ['people', 'faces', 'list_epochs']) expect(await count(table, listId)).toBe(0);
    expect(await count('consents', listId)).toBe(1);
    expect((await customer.request('GET', `/v1/lists/${listId}`)).status).toBe(404);
    const late = await enrolPerson(listId, enrolBody(clock, { personId: 'late' }), customer);
    expect(late).toMatchObject({ status: 409, body: { code: 'list-ended' } });
    const stranger = await enrolPerson(listId, enrolBody(clock), await api.customer({ country: 'DE' }));
    expect(stranger).toMatchObject({ status: 404 });
    expect((await syncOf(api, device)).manifest).toMatchObject({ command: 'wipe', reason: 'retention-deadline' });
  });

  it('complete a deletion that a crash interrupted, and forget what is no longer needed', async () => {
    const listId = await shortList();
    await enrol(listId, 'guest');
    const device = await addDevice(customer, listId);
    const revoked = await addDevice(customer, listId);
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${revoked.id}`);
    await customer.request('DELETE', `/v1/lists/${listId}/people/guest`);
    const webhook = await customer.request<{ webhookId: string }>('POST', '/v1/webhooks', {
      url: receiver.url,
      eventTypes: ['list.closed'],
    });
    await customer.request('POST', `/v1/webhooks/${webhook.body.webhookId}/test`);
    const gone = await shortList();
    const dead = await addDevice(customer, gone);
    await customer.request('DELETE', `/v1/lists/${gone}`);

    clock.advance(31 * DAY_MS + 1);
    const interrupted = await shortList();
    await rows('UPDATE lists SET deleting_at = now() WHERE list_id = $1', interrupted);
    const deliveries = () => rows('SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1', webhook.body.webhookId);
    expect(await deliveries()).toHaveLength(1);
    await withJobs(async () => {
      await expect.poll(() => count('lists', interrupted)).toBe(0);
      await expect.poll(() => count('face_removals', listId)).toBe(0);
      await expect.poll(deliveries).toEqual([]);
    });
    expect(await count('devices', listId)).toBe(2);
    expect((await syncOf(api, revoked)).manifest.command).toBe('wipe');
    expect((await syncOf(api, dead)).manifest.command).toBe('wipe');
    // What follows a sync holds the device's row for a moment, in which its deletion would leave it for the next time.
    const told = (table: string, id: string) =>
      rows(`SELECT 1 FROM ${table} WHERE device_id = $1 AND wipe_told IS NOT NULL`, id);
    await expect.poll(() => told('devices', revoked.id)).toHaveLength(1);
    await expect.poll(() => told('wipe_tombstones', dead.id)).toHaveLength(1);

    clock.advance(370 * DAY_MS);
    await withJobs(async () => {
      await expect.poll(() => count('devices', listId)).toBe(1);
      await expect.poll(() => count('wipe_tombstones', gone)).toBe(0);
    });
    expect((await syncOf(api, device)).manifest.command).toBe('keep');
  });
});

describe('what webhooks are told of devices', () => {
  it('is each wipe once, and each sync that came after the lease', async () => {
    const listId = await createList(customer);
    const eventTypes = ['device.wipe-sent', 'device.synced-late'];
    await customer.request('POST', '/v1/webhooks', { url: receiver.url, eventTypes });
    const device = await addDevice(customer, listId);
    const pending = () =>
      rows<{ event_type: string }>(
        'SELECT event_type FROM webhook_deliveries WHERE account_id = $1 ORDER BY delivery_id',
        customer.accountId,
      ).then((found) => found.map((row) => row.event_type));
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
