import { DAY_MS, HOUR_MS } from '@svc/protocol';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { createLogSink } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';
import { LOCAL_WEBHOOKS, startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver.ts';

interface Created {
  readonly webhookId: string;
  readonly secret: string;
}
interface Delivery {
  readonly deliveryId: string;
  readonly eventType: string;
  readonly state: string;
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly lastStatus: number | null;
  readonly lastFailure: string | null;
}

const logs = createLogSink();
const { api, clock, customer } = useApi({ logDestination: logs, environment: LOCAL_WEBHOOKS });
let receiver: WebhookReceiver;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

async function createWebhook(request: object = {}, owner = customer): Promise<Created> {
  const created = await owner.request<Created>('POST', '/v1/webhooks', { url: receiver.url, ...request });
  expect(created.status).toBe(201);
  return created.body;
}

async function deliveriesOf({ webhookId }: Created, query = ''): Promise<Delivery[]> {
  const page = await customer.request<{ items: Delivery[] }>('GET', `/v1/webhooks/${webhookId}/deliveries${query}`);
  expect(page.status).toBe(200);
  return page.body.items;
}

/** Attempts of a delivery that is not in progress; during an attempt the next one is a minute after the last. */
const settled = ({ attempts, lastAttemptAt, nextAttemptAt }: Delivery) =>
  Date.parse(nextAttemptAt ?? '') - Date.parse(lastAttemptAt ?? '') === 60_000 ? 'on its way' : attempts;

const receivedTypes = () => receiver.received.map(({ body }) => body.type);
const waitFor = (types: string[]) => expect.poll(receivedTypes, { interval: 20 }).toEqual(types);
const waitForState = (webhook: Created, state: string) =>
  expect
    .poll(async () => (await deliveriesOf(webhook)).map((delivery) => delivery.state), { interval: 20 })
    .toEqual([state]);

describe('a webhook', () => {
  it('gets notifications signed by Standard Webhooks', async () => {
    const webhook = await createWebhook();
    const listId = await createList(customer);
    expect((await enrolPerson(listId, enrolBody(clock, { personId: 'ticket-77' }), customer)).status).toBe(201);
    await waitFor(['person.enrolled']);
    const [notification] = receiver.received;
    expect(notification?.body).toEqual({
      type: 'person.enrolled',
      timestamp: new Date(clock.now()).toISOString(),
      data: {
        listId,
        personId: 'ticket-77',
        modelId: 'mdl_01kdvdna00f3ab0bctdvgzftew',
        deleteAfter: new Date(clock.now() + 365 * DAY_MS).toISOString(),
      },
    });
    const headers = notification?.headers as Record<string, string>;
    expect(headers['content-type']).toBe('application/json');
    expect(() => new Webhook(webhook.secret).verify(notification?.text ?? '', headers)).not.toThrow();
    expect(() => new Webhook(webhook.secret).verify(`${notification?.text} `, headers)).toThrow();
    const [delivery] = await deliveriesOf(webhook);
    expect(delivery?.deliveryId).toBe(headers['webhook-id']);
  });

  it('gets every type of notification of its own account only', async () => {
    const stranger = await api.customer({ country: 'DE' });
    await createWebhook({}, stranger);
    await createWebhook();
    const listId = await createList(customer);
    const device = await customer.request<{ id: string }>('POST', `/v1/lists/${listId}/devices`);
    await waitFor(['device.added']);
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${device.body.id}`);
    await waitFor(['device.added', 'device.revoked']);
    await customer.request('DELETE', `/v1/lists/${listId}/devices/${device.body.id}`);
    await enrolPerson(listId, enrolBody(clock, { personId: 'guest' }), customer);
    await waitFor(['device.added', 'device.revoked', 'person.enrolled']);
    await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    await waitFor(['device.added', 'device.revoked', 'person.enrolled', 'list.closed']);
    await customer.request('DELETE', `/v1/lists/${listId}/people/guest?reason=consent-withdrawn`);
    await waitFor(['device.added', 'device.revoked', 'person.enrolled', 'list.closed', 'person.deleted']);
    expect(receiver.received.at(-1)?.body.data).toEqual({ listId, personId: 'guest', reason: 'consent-withdrawn' });
    await customer.request('DELETE', `/v1/lists/${listId}`);
    await expect.poll(receivedTypes).toHaveLength(6);
    expect(receiver.received.at(-1)?.body).toMatchObject({ type: 'list.ended', data: { listId, reason: 'deleted' } });
  });

  it('gets only the types that it subscribed to', async () => {
    await createWebhook({ eventTypes: ['list.ended'] });
    const listId = await createList(customer);
    await customer.request('POST', `/v1/lists/${listId}/close-enrollment`);
    await customer.request('POST', `/v1/lists/${listId}/end`);
    await waitFor(['list.ended']);
  });

  it('gets a test notification', async () => {
    const webhook = await createWebhook({ eventTypes: ['list.ended'] });
    const sent = await customer.request<Delivery>('POST', `/v1/webhooks/${webhook.webhookId}/test`);
    expect(sent.status).toBe(202);
    expect(sent.body).toMatchObject({ eventType: 'webhook.test', state: 'pending', attempts: 0 });
    await waitFor(['webhook.test']);
    expect(receiver.received[0]?.body.data).toEqual({ webhookId: webhook.webhookId });
  });

  it('is sent one test for one Idempotency-Key, also where the first try failed while it was remembered', async () => {
    const webhook = await createWebhook({ eventTypes: ['list.ended'] });
    const test = () =>
      customer.request<Delivery>('POST', `/v1/webhooks/${webhook.webhookId}/test`, undefined, {
        headers: { 'Idempotency-Key': 'one-test' },
      });
    await inDatabase(
      api,
      "ALTER TABLE idempotent_requests ADD CONSTRAINT broken CHECK (state <> 'answered') NOT VALID",
      [],
    );
    expect((await test()).status).toBe(500);
    await inDatabase(api, 'ALTER TABLE idempotent_requests DROP CONSTRAINT broken', []);
    const { status, body } = await test();
    expect(status).toBe(202);
    expect((await test()).body).toEqual(body);
    expect((await deliveriesOf(webhook)).map(({ deliveryId }) => deliveryId)).toEqual([body.deliveryId]);
  });

  it('is retried, then dead, and can be replayed', async () => {
    receiver.answerWith(500);
    const webhook = await createWebhook({ eventTypes: ['list.ended'] });
    const listId = await createList(customer);
    await customer.request('POST', `/v1/lists/${listId}/end`);
    for (let attempt = 1; attempt <= 9; attempt += 1) {
      await expect.poll(async () => (await deliveriesOf(webhook)).map(settled), { interval: 20 }).toEqual([attempt]);
      clock.advance(29 * HOUR_MS);
    }
    await waitForState(webhook, 'dead');
    expect(receiver.received).toHaveLength(10);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await deliveriesOf(webhook, '?state=pending')).toEqual([]);
    // As if no delivery had succeeded for days.
    await expect
      .poll(async () => (await customer.request('GET', `/v1/webhooks/${webhook.webhookId}`)).body)
      .toMatchObject({ enabled: false, disabledReason: 'failing' });

    const [dead] = await deliveriesOf(webhook, '?state=dead');
    const replay = () =>
      customer.request('POST', `/v1/webhooks/${webhook.webhookId}/deliveries/${dead?.deliveryId}/replay`);
    expect(await replay()).toMatchObject({ status: 409, body: { code: 'webhook-disabled' } });
    await customer.request('PATCH', `/v1/webhooks/${webhook.webhookId}`, { enabled: true });
    receiver.answerWith(200);
    expect(await replay()).toMatchObject({ status: 202, body: { state: 'pending', attempts: 0 } });
    await waitForState(webhook, 'delivered');
    expect(receiver.received).toHaveLength(11);
  });

  it('is disabled by 410', async () => {
    receiver.answerWith(410);
    const webhook = await createWebhook();
    await customer.request('POST', `/v1/webhooks/${webhook.webhookId}/test`);
    await waitForState(webhook, 'dead');
    await expect
      .poll(async () => (await customer.request('GET', `/v1/webhooks/${webhook.webhookId}`)).body)
      .toMatchObject({ enabled: false, disabledReason: 'gone' });
    const disabling = {
      action: 'webhook.disable',
      actor: { kind: 'system', keyId: null, userId: null, name: null },
      target: webhook.webhookId,
    };
    await expect
      .poll(async () => (await customer.request<{ items: unknown[] }>('GET', '/v1/audit-log')).body.items)
      .toContainEqual(expect.objectContaining(disabling));
    const test = await customer.request('POST', `/v1/webhooks/${webhook.webhookId}/test`);
    expect(test).toMatchObject({ status: 409, body: { code: 'webhook-disabled' } });
  });

  describe('whose secret was rotated', () => {
    async function rotate({ webhookId }: Created): Promise<string> {
      const rotated = await customer.request<{ secret: string }>('POST', `/v1/webhooks/${webhookId}/rotate-secret`);
      expect(rotated.status).toBe(200);
      return rotated.body.secret;
    }
    /** Which of the secrets sign a notification sent now, and the number of signatures. */
    async function signers({ webhookId }: Created, secrets: readonly string[]) {
      const before = receiver.received.length;
      await customer.request('POST', `/v1/webhooks/${webhookId}/test`);
      await expect.poll(() => receiver.received.length).toBe(before + 1);
      const { text, headers } = receiver.received[before] ?? {};
      const signatures = String(headers?.['webhook-signature']).split(' ');
      const at = new Date(Number(headers?.['webhook-timestamp']) * 1000);
      const [id, body] = [String(headers?.['webhook-id']), text ?? ''];
      const signed = secrets.map((secret) => signatures.includes(new Webhook(secret).sign(id, at, body)));
      return { signed, count: signatures.length };
    }

    it('bears each former one’s until its own day is over, whatever is rotated meanwhile', async () => {
      const webhook = await createWebhook();
      const secrets = [webhook.secret, await rotate(webhook)];
      clock.advance(12 * HOUR_MS);
      secrets.push(await rotate(webhook));
      await customer.request('PATCH', `/v1/webhooks/${webhook.webhookId}`, { eventTypes: ['list.ended'] });
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
      const { signed, count } = await signers(webhook, secrets);
      expect(count).toBe(10);
      expect(signed).toEqual(secrets.map((_, i) => i > 0));
    });
  });

  it('waits while it is disabled, and goes on when it is enabled', async () => {
    receiver.answerWith(503);
    const webhook = await createWebhook();
    await customer.request('POST', `/v1/webhooks/${webhook.webhookId}/test`);
    await expect.poll(async () => (await deliveriesOf(webhook))[0]).toMatchObject({ attempts: 1, lastStatus: 503 });
    await customer.request('PATCH', `/v1/webhooks/${webhook.webhookId}`, { enabled: false });
    clock.advance(HOUR_MS);
    await createList(customer).then((listId) => customer.request('POST', `/v1/lists/${listId}/end`));
    expect(await deliveriesOf(webhook)).toHaveLength(1);
    receiver.answerWith(200);
    await customer.request('PATCH', `/v1/webhooks/${webhook.webhookId}`, { enabled: true });
    await waitForState(webhook, 'delivered');
    expect(receiver.received).toHaveLength(2);
  });

  it('is gone with its deliveries once deleted', async () => {
    receiver.answerWith(500);
    const webhook = await createWebhook();
    await customer.request('POST', `/v1/webhooks/${webhook.webhookId}/test`);
    expect((await customer.request('DELETE', `/v1/webhooks/${webhook.webhookId}`)).status).toBe(204);
    expect((await customer.request('DELETE', `/v1/webhooks/${webhook.webhookId}`)).status).toBe(404);
    const sql = 'SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1';
    expect(await inDatabase(api, sql, [webhook.webhookId])).toEqual([]);
  });

  it('is one of twenty at most, however many are asked for at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => customer.request('POST', '/v1/webhooks', { url: receiver.url })),
    );
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
    receiver.answerWith(500);
    const webhook = await createWebhook();
    const listId = await createList(customer);
    await enrolPerson(listId, enrolBody(clock, { personId: 'canary-person-4711' }), customer);
    await expect.poll(() => receiver.received.length).toBe(1);
    const rows = await inDatabase<{ row: string }>(
      api,
      `SELECT d::text || encode(payload, 'escape') || w::text AS row
       FROM webhook_deliveries d JOIN webhooks w USING (account_id, webhook_id) WHERE webhook_id = $1`,
      [webhook.webhookId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.row).not.toContain('canary-person-4711');
    const key = webhook.secret.slice('whsec_'.length);
    expect(rows[0]?.row).not.toContain(key);
    expect(rows[0]?.row).not.toContain(Buffer.from(key, 'base64').toString('hex'));
    expect(logs.text).not.toMatch(/canary-person-4711|whsec_/);
    expect(logs.text).not.toContain(receiver.url);
  });

  it('is erased with the person: what was pending is not sent, what was sent is not sent again', async () => {
    const other = await createWebhook({ eventTypes: ['person.enrolled'] });
    const listId = await createList(customer);
    const elsewhere = await createList(customer);
    await enrolPerson(listId, enrolBody(clock, { personId: 'guest' }), customer);
    await waitFor(['person.enrolled']);
    clock.advance(1);
    await enrolPerson(elsewhere, enrolBody(clock, { personId: 'guest' }), customer);
    await waitFor(['person.enrolled', 'person.enrolled']);
    await expect.poll(() => deliveriesOf(other, '?state=delivered')).toHaveLength(2);
    receiver.answerWith(500);
    const slow = await createWebhook({ eventTypes: ['person.enrolled', 'person.deleted'] });
    await enrolPerson(listId, enrolBody(clock, { personId: 'guest' }), customer);
    await expect.poll(async () => (await deliveriesOf(slow))[0]).toMatchObject({ lastStatus: 500 });

    clock.advance(1);
    await customer.request('DELETE', `/v1/lists/${listId}/people/guest`);
    const states = (await deliveriesOf(slow)).map(({ eventType, state }) => `${eventType} ${state}`);
    expect(states).toEqual(['person.deleted pending', 'person.enrolled dead']);
    const kept = await deliveriesOf(other, '?state=delivered');
    const replays = await Promise.all(
      kept.map(({ deliveryId }) =>
        customer.request('POST', `/v1/webhooks/${other.webhookId}/deliveries/${deliveryId}/replay`),
      ),
    );
    // The enrolment into the other list is not erased.
    expect(replays.map(({ status }) => status)).toEqual([202, 409]);
    expect(replays[1]?.body).toMatchObject({ code: 'delivery-erased' });

    // Its pause begins with the failure, so that the failure has to come before the clock is advanced.
    await expect.poll(async () => (await deliveriesOf(slow))[0]).toMatchObject({ lastStatus: 500 });
    receiver.answerWith(200);
    clock.advance(10_000);
    await expect.poll(async () => (await deliveriesOf(slow))[0]?.state).toBe('delivered');
    const payloads = await inDatabase(
      api,
      'SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND payload IS NOT NULL',
      [slow.webhookId],
    );
    expect(payloads).toEqual([]);
  });
});
