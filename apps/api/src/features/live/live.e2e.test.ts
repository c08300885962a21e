import { beforeAll, expect, it, vi } from 'vitest';
import { enrolBody, enrolPerson } from '../../testing/enrolment-fixture.ts';
import { createTenant, type Tenant } from '../../testing/tenant.ts';
import { oneNodeOnly } from '../../testing/test-api.ts';
import { useApi } from '../../testing/use-api.ts';

const environment = oneNodeOnly('which node’s streams end');
const { api } = useApi({ environment, customer: null, clock: { now: Date.now } });

beforeAll(async () => {
  [tenant, other] = await Promise.all([createTenant(api, Date.now()), createTenant(api, Date.now())]);
});

let tenant: Tenant;
let other: Tenant;

/** A stream whose text grows; `ended` resolves when the service ends it. */
async function open(key = tenant.customer.apiKey, headers: Readonly<Record<string, string>> = {}) {
  const gone = new AbortController();
  const init = { headers: { 'X-Api-Key': key, ...headers }, signal: gone.signal };
  const response = await fetch(`${api.url}/v1/live`, init);
  const stream = { text: '', response, close: () => gone.abort(), ended: Promise.resolve() };
  stream.ended = (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of response.body ?? []) stream.text += decoder.decode(chunk, { stream: true });
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
  })();
  return stream;
}
const until = (read: () => string, part: string) => expect.poll(read).toContain(part);

it('tells what to read again, and nothing of it', async () => {
  const { listId = '', eventId = '', webhookId = '', personId = '' } = tenant.parameters;
  const { apiKey } = await api.admin.keys.create(tenant.customer.accountId, 'x', {
    scopes: ['events:read', 'webhooks:read'],
  });
  const [mine, theirs, scoped] = await Promise.all([open(), open(other.customer.apiKey), open(apiKey)]);
  expect(mine.response.status).toBe(200);
  expect(Object.fromEntries(mine.response.headers)).toMatchObject({
    ...{ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
  for (const each of [mine, theirs, scoped]) await until(() => each.text, 'event: ready');
  const { customer } = tenant;
  await enrolPerson(listId, enrolBody({ now: Date.now }, { personId: `${tenant.canary}/new` }), customer);
  await customer.request('PATCH', `/v1/lists/${listId}/devices/${tenant.parameters.deviceId}`, { name: 'x' });
  await customer.request('POST', `/v1/events/${eventId}/enrolment-tokens`, { ticketId: `${tenant.canary}/2` });
  await customer.request('POST', `/v1/webhooks/${webhookId}/test`);
  for (const change of [
    { topic: 'people', listId },
    { topic: 'doors', listId },
    { topic: 'guests', eventId },
    { topic: 'webhooks', webhookId },
  ]) {
    await until(() => mine.text, `data: ${JSON.stringify(change)}`);
  }
  expect(mine.text).not.toContain(tenant.canary);
  expect(mine.text).not.toContain(personId);
  // What they are told of is later than the rest.
  await until(() => scoped.text, webhookId);
  expect(scoped.text).not.toMatch(/people|doors|guests/);
  await other.customer.request('POST', `/v1/webhooks/${other.parameters.webhookId}/test`);
  await until(() => theirs.text, other.parameters.webhookId ?? '');
  expect(theirs.text).not.toContain(listId);
  expect(mine.text).toMatch(/\nid: \S+\ndata: \{"topic":/);
  for (const each of [mine, theirs, scoped]) each.close();
  const again = await open(tenant.customer.apiKey, { 'Last-Event-ID': 'anything' });
  await until(() => again.text, 'event: missed');
  again.close();
});

it('takes no HEAD and no unknown parameter', async () => {
  const headers = { 'X-Api-Key': tenant.customer.apiKey };
  expect((await fetch(`${api.url}/v1/live`, { method: 'HEAD', headers })).status).toBe(405);
  expect((await fetch(`${api.url}/v1/live?topic=doors`, { headers })).status).toBe(400);
});

it('ends with the key at the next heartbeat, and with the node', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { apiKey, keyId } = await api.admin.keys.create(tenant.customer.accountId, 'live');
  const [revoked, valid] = await Promise.all([open(apiKey), open()]);
  await until(() => revoked.text, 'event: ready');
  await api.admin.keys.revoke(tenant.customer.accountId, keyId);
  vi.advanceTimersByTime(15_000);
  vi.useRealTimers();
  await revoked.ended;
  await until(() => valid.text, '\n:\n');
  await Promise.all([valid.ended, api.running.close()]);
}, 30_000);
