import { createFakeInference, requestJson, ServerPair, startTestApi } from '@svc/api/testing';
import { expect, inject, it, onTestFinished } from 'vitest';
import { enrolBody, syncDeviceOf } from '../support/service.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const PAUSE_MS = 20;

const CALLERS = 4;
/** A caller does not wait for ever: the proxy in front of a deployment does not either. */
const ANSWER_LIMIT_MS = 10_000;

/** Callers that enrol people one after another, and repeat each request until it is answered. */
function startEnrolmentLoad(url: string, apiKey: string, listId: string) {
  /** IDs of everybody whose enrolment was answered 201. */
  const acknowledged = new Set<string>();
  /** Answers that no caller may get: neither 201 nor 503 nor an Idempotency-Key that is still in use. */
  const unexpected: string[] = [];
  const answered: { readonly begun: number; readonly at: number }[] = [];

  /** @returns whether it was answered 201 */
  async function enrol(personId: string): Promise<boolean> {
    const begun = performance.now();
    const answer = await requestJson<{ code?: string }>(`${url}/v1/lists/${listId}/people`, {
      method: 'POST',
      headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json', 'Idempotency-Key': personId },
      body: JSON.stringify(enrolBody(personId, 'a face', { givenAt: GIVEN_AT })),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    }).catch(() => null);
    if (answer?.status === 201) {
      acknowledged.add(personId);
      answered.push({ begun, at: performance.now() });
    } else if (answer !== null && answer.status !== 503 && answer.body?.code !== 'request-in-flight')
      unexpected.push(`${answer.status} ${answer.body?.code}`);
    return answer?.status === 201;
  }

  let isStopped = false;
  const ends = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let made = 0; !isStopped; await pause(PAUSE_MS)) {
      if (await enrol(`ticket-${caller}-${made}`)) made += 1;
    }
  });
  return {
    acknowledged,
    unexpected,
    /** When a request that was begun after `ms` was first answered 201, in milliseconds; null for not yet. */
    firstSince: (ms: number) => answered.find(({ begun }) => begun >= ms)?.at ?? null,
    stop() {
      isStopped = true;
      return Promise.all(ends);
    },
  };
}
/** The same for each repetition of a request. */
const GIVEN_AT = new Date(Date.now() - 1_000).toISOString();

/** Before the primary is lost, and the least lag of the standby. */
const WORK_MS = 1_000;
const LAG_MS = 1_000;
const PATIENCE = { timeout: 60_000, interval: 20 };
const LIMIT_MS = 180_000;

it.each([
  ['no confirmed enrolment where commits wait for it', true],
  ['what it had not received where they do not, but no erasure', false],
])('a standby that is promoted under load loses %s', { timeout: LIMIT_MS }, async (_, isSynchronous) => {
  const pair = await ServerPair.start({ isSynchronous });
  onTestFinished(() => pair.close());
  const environment = { DATABASE_URL: pair.url, SVC_TEST_NODES: '2', LOG_LEVEL: 'silent' };
  const api = await startTestApi(inject('postgres'), { createInference: createFakeInference }, environment);
  onTestFinished(() => api.close());
  const customer = await api.customer({ country: 'DE', plan: 'unlimited' });
  const { body: list } = await customer.request('POST', '/v1/lists', { name: 'Members', ongoing: true });
  const listId = String(list.listId);
  const load = startEnrolmentLoad(api.url, customer.apiKey, listId);
  onTestFinished(async () => void (await load.stop()));
  await expect.poll(() => load.acknowledged.size, PATIENCE).toBeGreaterThan(10);
  const { body: added } = await customer.request('POST', `/v1/lists/${listId}/devices`);
  const device = syncDeviceOf(api, String(added.token));
  const [erased = ''] = load.acknowledged;
  const person = `/v1/lists/${listId}/people/${erased}`;
  await pause(WORK_MS);
  const before = new Set(load.acknowledged);
  await pair.received();
  if (!isSynchronous) await pair.primary.stopSending();
  const aloneAt = performance.now();
  expect((await customer.request('DELETE', `${person}?reason=consent-withdrawn`)).status).toBe(204);
  // A device holds versions now that the standby never had.
  await pause(LAG_MS);
  const held = (await device.sync()).manifest.toVersion;
  await pair.primary.kill();
  const lostAt = performance.now();
  await pair.promote();
  await expect.poll(async () => (await customer.request('GET', person)).status, PATIENCE).toBe(404);
  const erasedMs = Math.round(performance.now() - lostAt);
  await expect.poll(() => load.firstSince(lostAt), PATIENCE).not.toBeNull();
  await load.stop();
  const rows = await pair.primary.query<{ person_id: string }>('SELECT person_id FROM people');
  const kept = new Set(rows.map((row) => row.person_id));
  const missing = [...load.acknowledged].filter((personId) => personId !== erased && !kept.has(personId));
  const writesMs = Math.round((load.firstSince(lostAt) ?? 0) - lostAt);
  process.stdout.write(
    `writes again after ${writesMs} ms; ${missing.length} of ${load.acknowledged.size} confirmed enrolments lost with a lag of ` +
      `${Math.round(lostAt - aloneAt)} ms; an erasure that was lost too took effect again after ${erasedMs} ms\n`,
  );
  expect(missing.filter((personId) => isSynchronous || before.has(personId))).toEqual([]);
  expect(load.unexpected).toEqual([]);
  // The device follows the list as it is now, under a version that it takes.
  const synced = () => device.sync({ since: held }).then(({ manifest }) => manifest);
  await expect
    .poll(
      () =>
        synced().then(
          ({ recordCount }) => recordCount,
          () => null,
        ),
      PATIENCE,
    )
    .toBe(rows.length);
  expect((await synced()).toVersion).toBeGreaterThan(held);
});
