import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS, HOUR_MS } from '@svc/protocol';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createLogSink, startTestApi } from '../../testing/test-api.ts';
import { runJobs, useApi, useServices } from '../../testing/use-api.ts';
import { createDeliveries, LOCAL_WEBHOOKS, type ReceivedNotification } from '../../testing/webhook-receiver.ts';
import { createEvent, widgetSettings } from '../../testing/widget-fixture.ts';

interface Created {
  readonly webhookId: string;
  readonly secret: string;
}
interface Delivery {
  readonly deliveryId: string;
  readonly eventType: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastStatus: number | null;
}

const logs = createLogSink();
const { api, clock, customer } = useApi({ logDestination: logs });
const services = useServices(api, { clock });
const url = 'https://receiver.example/hook';
let { received, answerWith, deliver } = {} as ReturnType<typeof createDeliveries>;

beforeEach(async () => {
  await inDatabase(api, 'DELETE FROM webhooks', []);
  ({ received, answerWith, deliver } = createDeliveries(services));
});

async function createWebhook(request: object = {}, owner = customer): Promise<Created> {
  const created = await owner.request<Created>('POST', '/v1/webhooks', { url, ...request });
  expect(created.status).toBe(201);
  return created.body;
}
const read = async ({ webhookId }: Created) => (await customer.request('GET', `/v1/webhooks/${webhookId}`)).body;
const change = ({ webhookId }: Created, changes: object) =>
  customer.request('PATCH', `/v1/webhooks/${webhookId}`, changes);
const test = ({ webhookId }: Created, headers: Record<string, string> = {}) =>
  customer.request<Delivery>('POST', `/v1/webhooks/${webhookId}/test`, undefined, { headers });
const replay = ({ webhookId }: Created, delivery: Delivery | undefined) =>
  customer.request('POST', `/v1/webhooks/${webhookId}/deliveries/${delivery?.deliveryId}/replay`);
const enrol = async (listId: string, personId: string) =>
  expect((await enrolPerson(listId, enrolBody(clock, { personId }), customer)).status).toBe(201);

async function deliveriesOf({ webhookId }: Created, query = ''): Promise<Delivery[]> {
  const page = await customer.request<{ items: Delivery[] }>('GET', `/v1/webhooks/${webhookId}/deliveries${query}`);
  expect(page.status).toBe(200);
  return page.body.items;
}

describe('a webhook', () => {
  it('gets notifications signed by Standard Webhooks', async () => {
    const listId = await createList(customer);
    const webhook = await createWebhook();
    await enrol(listId, 'ticket-77');
    await deliver();
    const [{ text, headers, body }] = received as [ReceivedNotification];
    expect(body).toEqual({
      type: 'person.enrolled',
      timestamp: new Date(clock.now()).toISOString(),
      data: {
        listId,
        personId: 'ticket-77',
        modelId: 'mdl_0000000000fbwtxnwtak33sxps',
        deleteAfter: new Date(clock.now() + 365 * DAY_MS).toISOString(),
      },
    });
    const verify = (sent: string) => new Webhook(webhook.secret).verify(sent, headers as Record<string, string>);
    expect(() => verify(text)).not.toThrow();
    expect(() => verify(`${text} `)).toThrow();
    expect(await deliveriesOf(webhook)).toMatchObject([{ deliveryId: headers['webhook-id'], state: 'delivered' }]);
  });

  it('gets every type of notification, or those that it subscribed to, of its own account only', async () => {
    await createWebhook({}, await api.customer({ country: 'DE' }));
    await createWebhook();
    const one = await createWebhook({ eventTypes: ['list.ended'] });
    const listId = await createList(customer);
    const device = await customer.request<{ id: string }>('POST', `/v1/lists/${listId}/devices`);
    const revoke = () => customer.request('DELETE', `/v1/lists/${listId}/devices/${device.body.id}`);
    const close = () => customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    const steps: [string, () => Promise<unknown>][] = [
      ['device.revoked', revoke],
      ['person.enrolled', () => enrol(listId, 'guest')],
      ['list.closed', close],
      ['person.deleted', () => customer.request('DELETE', `/v1/lists/${listId}/people/guest?reason=consent-withdrawn`)],
    ];
    await deliver();
    expect(received.map(({ body }) => body.type).sort()).toEqual(['device.added', 'list.created']);
    const types = received.map(({ body }) => body.type);
    for (const [type, step] of steps) {
      await step();
      if (step === revoke || step === close) await step();
      types.push(type);
      await deliver();
      expect(received.map(({ body }) => body.type)).toEqual(types);
    }
    expect(received.at(-1)?.body.data).toEqual({ listId, personId: 'guest', reason: 'consent-withdrawn' });
    await customer.request('DELETE', `/v1/lists/${listId}`);
    await deliver();
    const ended = { type: 'list.ended', data: { listId, reason: 'deleted' } };
    expect(received.slice(types.length).map(({ body }) => body)).toMatchObject([ended, ended]);
    expect(await deliveriesOf(one)).toHaveLength(1);
  });

  it('is told of events and their lists: what is created, changed, over and deleted, each once', async () => {
    await createWebhook();
    const at = (hours: number) => new Date(clock.now() + hours * HOUR_MS).toISOString();
    const eventId = await createEvent(customer, clock, 2);
    const [path, over] = [`/v1/events/${eventId}`, at(2)];
    const told = async () => {
      const before = received.length;
      await Promise.all([services.events.tellEnds(), services.events.tellEnds()]);
      await deliver();
      return received.slice(before).map(({ body: { type, data } }) => ({ type, ...data }));
    };
    expect(await told()).toEqual([{ type: 'event.created', eventId }]);
    const listId = await createList(customer, { name: 'x', eventId, retainDays: 1 });
    expect(await told()).toEqual([{ type: 'list.created', listId, eventId }]);
    await customer.request('PATCH', path, { name: 'Concert', metadata: {} });
    expect(await told()).toEqual([]);
    await customer.request('PATCH', path, { metadata: { note: 'canary' } });
    await customer.request('POST', `${path}/widget`, widgetSettings);
    expect(await told()).toEqual(Array(2).fill({ type: 'event.updated', eventId }));
    clock.advance(2 * HOUR_MS);
    expect(await told()).toEqual([{ type: 'event.ended', eventId, endsAt: over }]);
    await customer.request('PATCH', path, { endsAt: at(1) });
    clock.advance(HOUR_MS);
    expect((await told()).map(({ type }) => type).sort()).toEqual(['event.ended', 'event.updated']);
    await customer.request('DELETE', `/v1/lists/${listId}`);
    await customer.request('DELETE', path);
    expect((await told()).map(({ type }) => type).sort()).toEqual(['event.deleted', 'list.ended']);
  });

  it('is sent one test for one Idempotency-Key, also where the first try failed while it was remembered', async () => {
    const webhook = await createWebhook({ eventTypes: ['list.ended'] });
    const keyed = () => test(webhook, { 'Idempotency-Key': 'one-test' });
    await inDatabase(
      api,
      "ALTER TABLE idempotent_requests ADD CONSTRAINT broken CHECK (state <> 'answered') NOT VALID",
      [],
    );
    expect((await keyed()).status).toBe(500);
    await inDatabase(api, 'ALTER TABLE idempotent_requests DROP CONSTRAINT broken', []);
    const { status, body } = await keyed();
    expect([status, body]).toMatchObject([202, { eventType: 'webhook.test', state: 'pending', attempts: 0 }]);
    expect((await keyed()).body).toEqual(body);
    await deliver();
    expect(received.map((each) => each.body.data)).toEqual([{ webhookId: webhook.webhookId }]);
  });

  it('is retried, then dead, and can be replayed', async () => {
    answerWith(500);
    const webhook = await createWebhook();
    await test(webhook);
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await deliver();
      expect(await deliveriesOf(webhook)).toMatchObject([{ attempts: attempt, lastStatus: 500 }]);
      clock.advance(29 * HOUR_MS);
    }
    const [dead] = await deliveriesOf(webhook, '?state=dead');
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(10).fill(dead?.deliveryId));
    expect(await deliveriesOf(webhook, '?state=pending')).toEqual([]);
    // No delivery had succeeded for days.
    expect(await read(webhook)).toMatchObject({ enabled: false, disabledReason: 'failing' });
    expect(await replay(webhook, dead)).toMatchObject({ status: 409, body: { code: 'webhook-disabled' } });
    await change(webhook, { enabled: true });
    answerWith(200);
    expect(await replay(webhook, dead)).toMatchObject({ status: 202, body: { state: 'pending', attempts: 0 } });
    await deliver();
    expect(await deliveriesOf(webhook)).toMatchObject([{ state: 'delivered' }]);
    expect(received).toHaveLength(11);
  });

  it('is disabled by 410', async () => {
    answerWith(410);
    const webhook = await createWebhook();
    await test(webhook);
    await deliver();
    expect(await deliveriesOf(webhook)).toMatchObject([{ state: 'dead' }]);
    expect(await read(webhook)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    const actor = { kind: 'system', keyId: null, userId: null, name: null };
    const { body } = await customer.request<{ items: unknown[] }>('GET', '/v1/audit-log');
    const disabling = { action: 'webhook.disable', actor, target: webhook.webhookId };
    expect(body.items).toContainEqual(expect.objectContaining(disabling));
    expect(await test(webhook)).toMatchObject({ status: 409, body: { code: 'webhook-disabled' } });
  });

  describe('whose secret was rotated', () => {
    async function rotate({ webhookId }: Created): Promise<string> {
      const rotated = await customer.request<{ secret: string }>('POST', `/v1/webhooks/${webhookId}/rotate-secret`);
      expect(rotated.status).toBe(200);
      return rotated.body.secret;
    }
    /** Which of the secrets sign a notification sent now, and the number of signatures. */
    async function signers(webhook: Created, secrets: readonly string[]) {
      await test(webhook);
      await deliver();
      const { text = '', headers = {} } = received.at(-1) ?? {};
      const signatures = String(headers['webhook-signature']).split(' ');
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      const sign = (secret: string) => new Webhook(secret).sign(String(headers['webhook-id']), at, text);
      return { signed: secrets.map((secret) => signatures.includes(sign(secret))), count: signatures.length };
    }

    it('bears each former one’s until its own day is over, whatever is rotated meanwhile', async () => {
      const webhook = await createWebhook();
      const secrets = [webhook.secret, await rotate(webhook)];
      clock.advance(12 * HOUR_MS);
      secrets.push(await rotate(webhook));
      await change(webhook, { eventTypes: ['list.ended'] });
      expect(await signers(webhook, secrets)).toEqual({ signed: [true, true, true], count: 3 });
      clock.advance(13 * HOUR_MS);
      expect(await signers(webhook, secrets)).toEqual({ signed: [false, true, true], count: 2 });
      clock.advance(12 * HOUR_MS);
      expect(await signers(webhook, secrets)).toEqual({ signed: [false, false, true], count: 1 });
    });

    it('bears ten signatures at most', async () => {
      const webhook = await createWebhook();
      const secrets = [webhook.secret];
      for (let i = 0; i < 10; i += 1) secrets.push(await rotate(webhook));
      expect(await signers(webhook, secrets)).toEqual({ signed: secrets.map((_, i) => i > 0), count: 10 });
    });
  });

  it('waits while it is disabled, and goes on when it is enabled', async () => {
    answerWith(503);
    const webhook = await createWebhook();
    await test(webhook);
    await deliver();
    await change(webhook, { enabled: false });
    clock.advance(HOUR_MS);
    await createList(customer).then((listId) => customer.request('POST', `/v1/lists/${listId}/end`));
    await deliver();
    expect(await deliveriesOf(webhook)).toMatchObject([{ attempts: 1, lastStatus: 503 }]);
    answerWith(200);
    await change(webhook, { enabled: true });
    await deliver();
    expect(await deliveriesOf(webhook)).toMatchObject([{ attempts: 2, state: 'delivered' }]);
  });

  it('is gone with its deliveries once deleted', async () => {
    const webhook = await createWebhook();
    await test(webhook);
    expect((await customer.request('DELETE', `/v1/webhooks/${webhook.webhookId}`)).status).toBe(204);
    expect((await customer.request('DELETE', `/v1/webhooks/${webhook.webhookId}`)).status).toBe(404);
    const sql = 'SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1';
    expect(await inDatabase(api, sql, [webhook.webhookId])).toEqual([]);
  });

  it('is one of twenty at most, however many are asked for at once', async () => {
    const asked = Array.from({ length: 25 }, () => customer.request('POST', '/v1/webhooks', { url }));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.find(({ status }) => status !== 201)?.body).toMatchObject({ code: 'webhook-limit-reached' });
  });

  it.each([
    ['a private address', { url: 'http://10.0.0.1/' }],
    ['credentials', { url: 'https://user:canary@example.com/' }],
    ['a control character', { url: 'https://example.com/a\u0000b' }],
    ['a type twice', { url: 'https://example.com/', eventTypes: ['list.ended', 'list.ended'] }],
  ])('is refused with %s', async (_name, body) => {
    const answer = await customer.request('POST', '/v1/webhooks', body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request' } });
    expect(JSON.stringify(answer.body)).not.toContain('canary');
  });
});

describe('what a delivery says of a person', () => {
  it('lies sealed in the database, and nowhere in the log', async () => {
    const listId = await createList(customer);
    const webhook = await createWebhook();
    await enrol(listId, 'canary-person-4711');
    const rows = await inDatabase<{ row: string }>(
      api,
      `SELECT d::text || encode(payload, 'escape') || w::text AS row
       FROM webhook_deliveries d JOIN webhooks w USING (account_id, webhook_id) WHERE webhook_id = $1`,
      [webhook.webhookId],
    );
    expect(rows).toHaveLength(1);
    const key = webhook.secret.slice('whsec_'.length);
    for (const secret of ['canary-person-4711', key, Buffer.from(key, 'base64').toString('hex')]) {
      expect(rows[0]?.row).not.toContain(secret);
    }
    expect(logs.text).not.toMatch(/canary-person-4711|whsec_|receiver\.example/);
  });

  it('is erased with the person: what was pending is not sent, what was sent is not sent again', async () => {
    const [listId, elsewhere] = [await createList(customer), await createList(customer)];
    const [other, slow] = [await createWebhook({ eventTypes: ['person.enrolled'] }), await createWebhook()];
    for (const list of [listId, elsewhere]) {
      clock.advance(1);
      await enrol(list, 'guest');
      await deliver();
    }
    answerWith(500);
    clock.advance(1);
    await enrol(listId, 'guest');
    await deliver();
    clock.advance(1);
    await customer.request('DELETE', `/v1/lists/${listId}/people/guest`);
    const states = (await deliveriesOf(slow)).map(({ eventType, state }) => `${eventType} ${state}`);
    const sent = ['person.enrolled delivered', 'person.enrolled delivered'];
    expect(states).toEqual(['person.deleted pending', 'person.enrolled dead', ...sent]);
    // The enrolment into the other list is not erased.
    const kept = await deliveriesOf(other, '?state=delivered');
    expect(await replay(other, kept[0])).toMatchObject({ status: 202 });
    expect(await replay(other, kept[1])).toMatchObject({ status: 409, body: { code: 'delivery-erased' } });
    answerWith(200);
    clock.advance(10_000);
    await deliver();
    expect((await deliveriesOf(slow))[0]).toMatchObject({ eventType: 'person.deleted', state: 'delivered' });
    const payloads = await inDatabase<{ list_id: string }>(
      api,
      'SELECT list_id FROM webhook_deliveries WHERE webhook_id = $1 AND payload IS NOT NULL',
      [slow.webhookId],
    );
    expect(payloads).toEqual([{ list_id: elsewhere }]);
  });
});

describe('a service with jobs', () => {
  const { SVC_WEBHOOK_ALLOW: _, ...noneAllowed } = LOCAL_WEBHOOKS;
  const refused = { state: 'pending', lastStatus: null, lastFailure: 'address-not-allowed' };
  it.each([
    ['delivers to this machine where that is permitted', LOCAL_WEBHOOKS, 201, { state: 'delivered', lastStatus: 204 }],
    ['sends nothing to this machine where nobody permitted it', noneAllowed, 400, refused],
  ])('%s, and ends with the service', async (_name, environment, literal, outcome) => {
    const arrived: [text: string, headers: Record<string, string>][] = [];
    const receiver = createServer();
    receiver.on('request', (request, response) => {
      void textOf(request).then((text) => {
        arrived.push([text, request.headers as Record<string, string>]);
        response.writeHead(204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void receiver.close());
    const { port } = receiver.address() as AddressInfo;
    const log = createLogSink();
    const parts = { logDestination: log, resolveHost: () => Promise.resolve(['127.0.0.1']) };
    const service = await startTestApi(inject('postgres'), parts, environment);
    try {
      const owner = await service.customer({ country: 'DE' });
      const create = (host: string) =>
        owner.request<Created>('POST', '/v1/webhooks', { url: `http://${host}:${port}/` });
      expect((await create('127.0.0.1')).status).toBe(literal);
      const { webhookId, secret } = (await create('receiver.example')).body;
      expect((await owner.request('POST', `/v1/webhooks/${webhookId}/test`)).status).toBe(202);
      const deliveries = async () => (await owner.request('GET', `/v1/webhooks/${webhookId}/deliveries`)).body;
      await expect.poll(deliveries, { timeout: 5_000 }).toMatchObject({ items: [{ attempts: 1, ...outcome }] });
      const signed = arrived.map(([text, headers]) => new Webhook(secret).verify(text, headers));
      expect(signed).toMatchObject(outcome === refused ? [] : [{ type: 'webhook.test', data: { webhookId } }]);
    } finally {
      await service.close();
    }
    // Longer than the pause between two looks for what is due.
    await sleep(600);
    expect(log.text).not.toContain('webhooks could not be delivered');
  });
});

describe('a webhook whose notifications are fetched', () => {
  const pull = (hook: Created, deliveryIds: readonly string[] = [], owner = customer) =>
    owner.request<{ items: { deliveryId: string; body: string }[] }>('POST', `/v1/webhooks/${hook.webhookId}/pull`, {
      taken: deliveryIds.map((deliveryId) => ({ deliveryId })),
    });

  it('may be on the caller’s machine, is sent nothing, and tells each notification until it was taken', async () => {
    const hook = await createWebhook({ url: 'http://localhost:3000/hooks', delivery: 'pull' });
    const listId = await createList(customer);
    clock.advance(1);
    await enrol(listId, 'ticket-1');
    await deliver();
    expect(received).toEqual([]);
    const first = (await pull(hook)).body.items;
    expect(first.map(({ body }) => JSON.parse(body).type)).toEqual(['list.created', 'person.enrolled']);
    expect(JSON.parse(first[1]?.body ?? '').data).toMatchObject({ listId, personId: 'ticket-1' });
    expect((await pull(hook)).body.items).toEqual(first);
    const [created = { deliveryId: '' }, enrolled] = first;
    // Those of another account, too, stay where they are.
    const other = await api.customer();
    expect((await pull(hook, [created.deliveryId], other)).status).toBe(404);
    expect((await pull(hook, [created.deliveryId])).body.items).toEqual([enrolled]);
    await customer.request('DELETE', `/v1/lists/${listId}/people/ticket-1`);
    const [gone] = (await pull(hook)).body.items;
    expect(JSON.parse(gone?.body ?? '')).toMatchObject({ type: 'person.deleted' });
    expect((await pull(hook, [gone?.deliveryId ?? ''])).body.items).toEqual([]);
    const kept =
      'SELECT payload FROM webhook_deliveries WHERE webhook_id = $1 AND payload IS NOT NULL AND list_id IS NOT NULL';
    expect(await inDatabase(api, kept, [hook.webhookId])).toEqual([]);
    expect(await deliveriesOf(hook, '?state=delivered')).toHaveLength(2);
    const { body } = await customer.request<{ items: { action: string }[] }>('GET', '/v1/audit-log');
    expect(body.items.filter(({ action }) => action === 'webhook.pull')).toHaveLength(2);
    await change(hook, { enabled: false });
    expect(await pull(hook)).toMatchObject({ status: 409, body: { code: 'webhook-disabled' } });
    const pushed = await createWebhook();
    expect(await pull(pushed)).toMatchObject({ status: 409, body: { code: 'webhook-pushed' } });
  });

  it('has an http address without a password', async () => {
    for (const url of ['http://user:secret@localhost/', 'javascript:0', 'ftp://localhost/'])
      expect((await customer.request('POST', '/v1/webhooks', { url, delivery: 'pull' })).status).toBe(400);
  });

  it('is disabled when nobody has fetched for a day', async () => {
    const hook = await createWebhook({ url: 'http://localhost:3000/', delivery: 'pull' });
    clock.advance(DAY_MS / 2);
    await pull(hook);
    clock.advance(DAY_MS - 1);
    await runJobs(services);
    expect(await read(hook)).toMatchObject({ enabled: true });
    clock.advance(1);
    await runJobs(services);
    expect(await read(hook)).toMatchObject({ enabled: false, disabledReason: 'failing' });
  });
});
