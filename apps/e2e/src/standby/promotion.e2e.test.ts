import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeInference, requestJson, ServerPair, startTestApi, testModels } from '@svc/api/testing';
import type { Camera, Region } from '@svc/device-sdk';
import { createFakeEngine, frameOf } from '@svc/device-sdk/testing';
import { createNodeCheckInDevice, type SharedEngine } from '@svc/device-sdk-node';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { enrolBody } from '../support/service.ts';

/** An engine that finds in every frame the face that the service's fake engine finds in every photo. */
function oneFaceEngine(): SharedEngine {
  const { base } = testModels;
  const fake = createFakeEngine([base.engineId]);
  const { engineId, dimension, matchThreshold } = base;
  const embed = async () => new Float32Array(dimension).fill(1 / Math.sqrt(dimension));
  const engine = Object.assign(fake, { engineId, dimension, matchThreshold, recipes: [base], embed });
  return { engine, passiveLiveness: fake.passive };
}

/** Turns of the head as a visitor makes them, in degrees, a frame each. */
const TURNS = [...Array(8).fill(0), 6, 12, 18, 24, 30, 33, 24, 14, 4, ...Array(7).fill(0)] as readonly number[];

/** A visitor who turns as asked. */
function visitor(): Camera {
  let sign = 1;
  return {
    timing: 'recorded',
    prompt(prompt) {
      if ('direction' in prompt) sign = prompt.direction === 'left' ? 1 : -1;
    },
    async *frames() {
      for (const [i, degrees] of TURNS.entries())
        yield frameOf({ heads: [{ who: 1, yawDeg: sign * degrees }] }, 100 * i);
    },
  };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const PAUSE_MS = 20;

/** Work that goes on without a pause until it is stopped. @param work gets the number of its turn */
function keepDoing(work: (turn: number) => Promise<void>) {
  let isStopped = false;
  const done = (async () => {
    for (let turn = 0; !isStopped; turn += 1) {
      await work(turn);
      await pause(PAUSE_MS);
    }
  })();
  return async () => {
    isStopped = true;
    await done;
  };
}

/** A door that lets people in. @param people the IDs that it scans, in turn, all in its list after its first sync */
async function openBusyDoor(deviceToken: string, region: Region, directory: string, people: readonly string[]) {
  const device = await createNodeCheckInDevice({ deviceToken, region, directory, engine: oneFaceEngine() });
  expect(await device.syncAsync()).toMatchObject({ ok: true });
  const door = { device, matches: 0, failures: [] as string[], stop: async () => {} };
  const end = keepDoing(async (turn) => {
    const { outcome, reason } = await device.verifyLiveAsync(people[turn % people.length] ?? '', visitor());
    if (outcome === 'Match') door.matches += 1;
    else door.failures.push(`${outcome} ${reason}`);
  });
  door.stop = async () => {
    await end();
    await device.dispose();
  };
  return door;
}

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

  const ends = Array.from({ length: CALLERS }, (_, caller) => {
    let made = 0;
    return keepDoing(async () => {
      if (await enrol(`ticket-${caller}-${made}`)) made += 1;
    });
  });
  return {
    acknowledged,
    unexpected,
    /** When a request that was begun after `ms` was first answered 201, in milliseconds; null for not yet. */
    firstSince: (ms: number) => answered.find(({ begun }) => begun >= ms)?.at ?? null,
    stop: () => Promise.all(ends.map((end) => end())),
  };
}
/** The same for each repetition of a request. */
const GIVEN_AT = new Date(Date.now() - 1_000).toISOString();

/** Promotions of each test; `SVC_TEST_PROMOTIONS` overrides it. */
const PROMOTIONS = Number(process.env.SVC_TEST_PROMOTIONS ?? 1);
/** Of a round before the primary is lost, and the least lag of the standby where commits do not wait for it. */
const WORK_MS = 1_000;
const LAG_MS = 1_000;
const DOORS = 2;
const PATIENCE = { timeout: 60_000, interval: 20 };
const LIMIT_MS = 120_000 + PROMOTIONS * 60_000;

/** How a primary is lost: its processes die, it falls silent with its connections open, or it is stopped in order. */
const LOSSES = ['killed', 'silent', 'stopped'] as const;

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const action of cleanUp.splice(0).reverse()) await action();
});

async function openStage(isSynchronous: boolean) {
  const pair = await ServerPair.start({ isSynchronous });
  cleanUp.push(() => pair.close());
  const environment = { DATABASE_URL: pair.url, SVC_TEST_NODES: '2', LOG_LEVEL: 'silent' };
  const api = await startTestApi(inject('postgres'), { createInference: createFakeInference }, environment);
  cleanUp.push(() => api.close());
  const customer = await api.customer({ country: 'DE', plan: 'unlimited' });
  const { body: list } = await customer.request('POST', '/v1/lists', { name: 'Members', ongoing: true });
  const listId = String(list.listId);
  const load = startEnrolmentLoad(api.url, customer.apiKey, listId);
  cleanUp.push(() => load.stop());
  await expect.poll(() => load.acknowledged.size, PATIENCE).toBeGreaterThan(10);
  const root = await mkdtemp(join(tmpdir(), 'svc-standby-'));
  cleanUp.push(() => rm(root, { recursive: true, force: true }));
  const { signingKey } = api.admin.region();
  const doors: Awaited<ReturnType<typeof openBusyDoor>>[] = [];
  for (let made = 0; made < DOORS; made += 1) {
    const { body } = await customer.request('POST', `/v1/lists/${listId}/devices`);
    const region = { baseUrl: api.url, signingKeys: [signingKey] as const };
    const people = [...load.acknowledged].slice(0, 10);
    const door = await openBusyDoor(String(body.token), region, join(root, `${made}`), people);
    cleanUp.push(() => door.stop());
    doors.push(door);
  }
  return {
    ...{ pair, load, doors, customer, listId },
    /** Of the people whose enrolment was answered 201, those that the primary does not have. */
    async lost() {
      const acknowledged = [...load.acknowledged];
      const rows = await pair.primary.query<{ person_id: string }>('SELECT person_id FROM people');
      const kept = new Set(rows.map((row) => row.person_id));
      return acknowledged.filter((personId) => !kept.has(personId));
    },
  };
}

/** Loses the primary and promotes its standby. @returns milliseconds until an enrolment was confirmed again */
async function loseAndPromote(
  { pair, load }: Awaited<ReturnType<typeof openStage>>,
  loss: (typeof LOSSES)[number],
): Promise<number> {
  const former = pair.primary;
  if (loss === 'killed') await former.kill();
  else if (loss === 'silent') await former.freeze();
  const lostAt = performance.now();
  if (loss === 'stopped') await former.stop();
  await pair.promote();
  await expect.poll(() => load.firstSince(lostAt), PATIENCE).not.toBeNull();
  return Math.round((load.firstSince(lostAt) ?? 0) - lostAt);
}

const summary = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)]} ms, at most ${sorted.at(-1)} ms`;
};

describe('a standby that is promoted under load', () => {
  it(`loses no confirmed enrolment where commits wait for it, ${PROMOTIONS} times`, { timeout: LIMIT_MS }, async () => {
    const stage = await openStage(true);
    const { pair, load, doors } = stage;
    const times = new Map<string, number[]>();
    for (let round = 0; round < PROMOTIONS; round += 1) {
      await pause(WORK_MS);
      const loss = LOSSES[round % LOSSES.length] ?? 'killed';
      const ms = await loseAndPromote(stage, loss);
      times.set(loss, [...(times.get(loss) ?? []), ms]);
      // It never heard of the promotion, and takes requests again.
      if (loss === 'silent') await pair.other.thaw();
      await pause(WORK_MS / 2);
      expect(await stage.lost()).toEqual([]);
      for (const { device } of doors) {
        await expect.poll(async () => (await device.syncAsync()).ok, PATIENCE).toBe(true);
      }
      if (round + 1 < PROMOTIONS) await pair.attach();
    }
    await load.stop();
    const [version] = await pair.primary.query<{ server_version: string }>('SHOW server_version');
    const told = [...times].map(([loss, all]) => `${loss}: writes again after ${summary(all)}`);
    process.stdout.write(
      `PostgreSQL ${version?.server_version}, ${PROMOTIONS} promotions: ${load.acknowledged.size} enrolments confirmed, 0 lost; ${told.join('; ')}; ` +
        `${doors.reduce((sum, { matches }) => sum + matches, 0)} visits let in\n`,
    );
    expect(await stage.lost()).toEqual([]);
    expect(load.unexpected).toEqual([]);
    expect(doors.map(({ failures }) => failures)).toEqual(doors.map(() => []));
    for (const door of doors) await expect.poll(() => door.matches, PATIENCE).toBeGreaterThan(10 * PROMOTIONS);
  });

  it('loses what it had not received where commits do not wait, but no erasure', { timeout: LIMIT_MS }, async () => {
    const { pair, load, doors, customer, listId, lost } = await openStage(false);
    const [erased = ''] = load.acknowledged;
    const person = `/v1/lists/${listId}/people/${erased}`;
    await pause(WORK_MS);
    const before = new Set(load.acknowledged);
    await pair.received();
    await pair.primary.stopSending();
    const aloneAt = performance.now();
    expect((await customer.request('DELETE', `${person}?reason=consent-withdrawn`)).status).toBe(204);
    // A device holds versions now that the standby never had.
    const [door] = doors;
    await pause(LAG_MS);
    expect(await door?.device.syncAsync()).toMatchObject({ ok: true, outcome: 'updated' });
    await pair.primary.kill();
    const lostAt = performance.now();
    await pair.promote();
    await expect.poll(async () => (await customer.request('GET', person)).status, PATIENCE).toBe(404);
    const erasedMs = Math.round(performance.now() - lostAt);
    await expect.poll(() => load.firstSince(lostAt), PATIENCE).not.toBeNull();
    await load.stop();
    const missing = (await lost()).filter((personId) => personId !== erased);
    process.stdout.write(
      `without waiting: ${missing.length} of ${load.acknowledged.size} confirmed enrolments lost with a lag of ` +
        `${Math.round(lostAt - aloneAt)} ms; an erasure that was lost too took effect again after ${erasedMs} ms\n`,
    );
    expect(missing.filter((personId) => before.has(personId))).toEqual([]);
    // The device follows the list as it is now.
    const rows = await pair.primary.query<{ count: number }>('SELECT count(*)::integer AS count FROM people');
    await expect
      .poll(async () => [(await door?.device.syncAsync())?.ok, door?.device.status().people], PATIENCE)
      .toEqual([true, rows[0]?.count]);
  });
});
