import { setTimeout as sleep } from 'node:timers/promises';
import { DAY_MS } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { composeAdmin } from '../../compose/admin.ts';
import { createList, enrolBody } from '../enrolment-fixture.ts';
import { createFakeInference } from '../fake-inference.ts';
import { type Answer, createManualClock, sendJson, startTestApi } from '../test-api.ts';
import { createGuestPage, createStage, createToken } from '../widget-fixture.ts';
import { findPartialWrites } from './partial-writes.ts';
import { createSeededRandom } from './seeded-random.ts';
import { TestDoor } from './test-door.ts';

/** The parsed body of an answer. */
type Body = Readonly<Record<string, unknown>> | null;

/** Two nodes on one database, with access to their internals. */
async function startRaceStage() {
  const postgres = inject('postgres');
  const clock = createManualClock();
  const inference = createFakeInference();
  const parts = { clock, createInference: () => inference };
  const few = { SVC_DATABASE_CONNECTIONS: '5' };
  const first = await startTestApi(postgres, parts, few);
  const { databaseUrl, dataDirectory } = first.config;
  const shared = { ...few, DATABASE_URL: databaseUrl ?? '', SVC_DATA_DIR: dataDirectory };
  const second = await startTestApi(postgres, parts, shared);
  const deployment = await composeAdmin(first.config, { clock });
  return {
    first,
    urls: [first.url, second.url] as const,
    deployment,
    clock,
    /** Rows of one statement, on an open connection. */
    async rows<Row>(sql: string, ...values: unknown[]) {
      return (await deployment.database.connection.raw<{ rows: Row[] }>(sql, values as string[])).rows;
    },
    async close() {
      await deployment.close();
      await second.close();
      await first.close();
    },
  };
}

let stage: Awaited<ReturnType<typeof startRaceStage>>;

/** An account's server that alternates between the nodes. */
type Caller = Awaited<ReturnType<typeof createCaller>>;

async function createCaller() {
  const { first, urls, clock } = stage;
  const customer = await first.customer({ country: 'DE' });
  let turn = 0;
  function send(method: string, path: string, body?: object) {
    turn += 1;
    return sendJson<Body>(`${urls[turn % 2]}${path}`, method, body, { 'X-Api-Key': customer.apiKey });
  }
  return {
    customer,
    post: (path: string, body?: object) => send('POST', path, body),
    delete: (path: string) => send('DELETE', path),
    enrol: (listId: string, personId: string) =>
      send('POST', `/v1/lists/${listId}/people`, enrolBody(clock, { personId })),
    /** A guest's page on one of the nodes. */
    page: (token: string, node: number) => createGuestPage({ url: urls[node % 2] ?? '' }, token),
  };
}

/** No status from 500 on is acceptable except 503, a rejection under load. */
function expectNoFault(answers: readonly { readonly status: number }[]): void {
  expect(answers.map(({ status }) => status).filter((status) => status >= 500 && status !== 503)).toEqual([]);
}

/** Rounds per race; `npm run test:long` runs more. */
const ROUNDS = Number(process.env.SVC_TEST_RACE_ROUNDS ?? 1);
const SEED = Number(process.env.SVC_TEST_RACE_SEED ?? (ROUNDS > 1 ? Date.now() % 2 ** 32 : 1));
const TIMEOUT_MS = 60_000 + ROUNDS * 10_000;
/** Callers for one place. On a slow and busy machine the last of 200 get no database connection in time. */
const CALLERS = ROUNDS > 1 ? 200 : 50;
const random = createSeededRandom(SEED);

const countOf = (answers: readonly Answer<Body>[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const name = status < 300 ? String(status) : `${status} ${body?.code}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

beforeAll(async () => {
  process.stdout.write(`races: SVC_TEST_RACE_SEED=${SEED}\n`);
  stage = await startRaceStage();
});
afterAll(() => stage.close());

const expectWhole = async ({ customer }: Caller) =>
  expect(await findPartialWrites(stage.deployment, customer.accountId)).toEqual([]);

it(`the last place of a plan goes to one of ${CALLERS}, and the others are told that there is none`, async () => {
  const caller = await createCaller();
  const { accountId } = caller.customer;
  await stage.rows(
    `INSERT INTO billed_people SELECT ?, 1, sha256(convert_to(i::text, 'UTF8')), now() FROM generate_series(1, 499) AS i`,
    accountId,
  );
  await stage.rows('UPDATE accounts SET people_billed = 499 WHERE account_id = ?', accountId);
  const listId = await createList(caller.customer);
  const answers = await Promise.all(Array.from({ length: CALLERS }, (_, i) => caller.enrol(listId, `person-${i}`)));
  expect(countOf(answers)).toEqual({ 201: 1, '402 plan-limit-reached': CALLERS - 1 });
  await expectWhole(caller);
});

describe('once it has answered, no enrolment follows:', () => {
  interface Ground {
    readonly caller: Caller;
    readonly eventId: string;
    readonly listId: string;
  }
  const stops: [string, (ground: Ground) => Promise<unknown>][] = [
    ['close-enrollment', ({ caller, listId }) => caller.post(`/v1/lists/${listId}/close-enrollment`)],
    ['end', ({ caller, listId }) => caller.post(`/v1/lists/${listId}/end`)],
    ['the deletion of the list', ({ caller, listId }) => caller.delete(`/v1/lists/${listId}`)],
    ['suspending the account', ({ caller }) => stage.first.admin.accounts.suspend(caller.customer.accountId)],
    ['deleting the account', ({ caller }) => stage.first.admin.accounts.delete(caller.customer.accountId)],
  ];

  /** What an enrolment changes in a list. */
  const stateOf = (listId: string, accountId: string) =>
    stage.rows(
      `SELECT (SELECT count(*) FROM people WHERE list_id = ?) AS people, (SELECT max(version) FROM faces WHERE list_id = ?) AS version,
         (SELECT length FROM consent_chains WHERE list_id = ?) AS consents, (SELECT people_billed FROM accounts WHERE account_id = ?) AS billed`,
      ...[listId, listId, listId, accountId],
    );

  it.each(stops)(
    '%s',
    async (name, stop) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const caller = await createCaller();
        const ground = await createStage(caller.customer, stage.clock);
        const tickets = Array.from({ length: 6 }, (_, i) => ({ ticketId: `ticket-${i}` }));
        const made = await Promise.all(tickets.map((ticket) => createToken(caller.customer, ground.eventId, ticket)));
        const pages = made.map(({ token }, i) => caller.page(token, i));
        await Promise.all(pages.map((page) => page.open()));
        const answers: Answer<Body>[] = [];
        const late: Answer<Body>[] = [];
        let isOver = false;
        let isRunning = true;
        const hammer = async (name: string) => {
          for (let i = 0; isRunning; i += 1) {
            const kept = isOver ? late : answers;
            kept.push(await caller.enrol(ground.listId, `${name}-${i}`));
          }
        };
        const guests = pages.map(async (page) => {
          await sleep(random.between(0, 60));
          const kept = isOver ? late : answers;
          kept.push(await page.enrol());
        });
        const hammers = ['a', 'b', 'c', 'd', 'e', 'f'].map(hammer);
        await sleep(random.between(0, 60));
        await stop({ caller, ...ground });
        isOver = true;
        const { accountId } = caller.customer;
        const answered = await stateOf(ground.listId, accountId);
        await sleep(30);
        isRunning = false;
        await Promise.all([...hammers, ...guests]);
        expectNoFault([...answers, ...late]);
        expect(late.filter(({ status }) => status === 201)).toEqual([]);
        expect(await stateOf(ground.listId, accountId)).toEqual(answered);
        if (name === 'deleting the account') continue;
        // The last version must not be an enrolment.
        const behind = await stage.rows(
          'SELECT 1 FROM faces JOIN lists USING (account_id, list_id) WHERE list_id = ? AND version >= list_version',
          ground.listId,
        );
        if (name === 'end' || name === 'close-enrollment') expect(behind).toEqual([]);
        await expectWhole(caller);
      }
    },
    TIMEOUT_MS,
  );
});

it('erasing and enrolling one person again: what is left is one of both, and every device agrees', async () => {
  const caller = await createCaller();
  const listId = await createList(caller.customer);
  const device = await caller.post(`/v1/lists/${listId}/devices`, {});
  const door = new TestDoor(String(device.body?.token));
  const path = `/v1/lists/${listId}/people`;
  const done: Record<string, number> = { given: 0, withdrawn: 0 };
  for (let round = 0; round < 3 * ROUNDS; round += 1) {
    // Distinguishes this round's enrolments by time.
    stage.clock.advance(1);
    const enrolments = Array.from({ length: 4 }, () => caller.enrol(listId, 'anna'));
    const erasures = [caller.delete(`${path}/anna`), caller.delete(`${path}/anna?reason=consent-withdrawn`)];
    const [enrolled, erased] = await Promise.all([Promise.all(enrolments), Promise.all(erasures)]);
    await door.sync(stage.urls[round % 2] ?? '');
    expect(countOf(enrolled)).toEqual({ 201: 4 });
    for (const { status } of erased) expect([204, 404]).toContain(status);
    done.given = (done.given ?? 0) + 4;
    done.withdrawn = (done.withdrawn ?? 0) + (erased[1]?.status === 204 ? 1 : 0);
    const { status, body } = await caller.customer.request('GET', `${path}/anna`);
    if (status === 200) expect(enrolled.map((answer) => answer.body?.deleteAfter)).toContain(body.deleteAfter);
    expect(door.tags.size).toBe(status === 200 ? 1 : 0);
  }
  expect(door.findings).toEqual([]);
  const kinds = await stage.rows<{ kind: string; count: number }>(
    'SELECT kind, count(*)::int AS count FROM consents WHERE list_id = ? GROUP BY kind',
    listId,
  );
  expect(Object.fromEntries(kinds.map(({ kind, count }) => [kind, count]))).toEqual(
    Object.fromEntries(Object.entries(done).filter(([, count]) => count > 0)),
  );
  await expectWhole(caller);
});

it('expiring and enrolling again: enrolled people stay, others are removed', async () => {
  const caller = await createCaller();
  const listId = await createList(caller.customer, { name: 'Short', ongoing: true, retainDays: 2 });
  const people = Array.from({ length: 12 }, (_, i) => `person-${i}`);
  await Promise.all(people.map((personId) => caller.enrol(listId, personId)));
  stage.clock.advance(2 * DAY_MS + 1);
  const again = people.slice(0, 8);
  const [, , ...answers] = await Promise.all([
    stage.deployment.personExpiry.removeExpired(),
    stage.deployment.personExpiry.removeExpired(),
    ...again.map((personId) => caller.enrol(listId, personId)),
  ]);
  expect(countOf(answers)).toEqual({ 201: 8 });
  await stage.deployment.personExpiry.removeExpired();
  const { body } = await caller.customer.request<{ items: { personId: string }[] }>(
    'GET',
    `/v1/lists/${listId}/people`,
  );
  expect(body.items.map(({ personId }) => personId).sort()).toEqual(again);
  await expectWhole(caller);
});

it('a guest’s token and the organiser’s server enrol one person at once', async () => {
  const caller = await createCaller();
  const { eventId, listId } = await createStage(caller.customer, stage.clock);
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const ticketId = `ticket-${round}`;
    const { token } = await createToken(caller.customer, eventId, { ticketId });
    const page = caller.page(token, 0);
    await page.open();
    const answers = await Promise.all([page.enrol(), caller.enrol(listId, ticketId), caller.enrol(listId, ticketId)]);
    expect(countOf(answers)).toEqual({ 201: 3 });
  }
  const [bill] = await stage.rows('SELECT people_billed FROM accounts WHERE account_id = ?', caller.customer.accountId);
  expect(bill).toEqual({ people_billed: 2 * ROUNDS });
  await expectWhole(caller);
});

it('a device that is revoked while it syncs is told to wipe from then on', async () => {
  const caller = await createCaller();
  const listId = await createList(caller.customer);
  await caller.enrol(listId, 'anna');
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    const { body } = await caller.post(`/v1/lists/${listId}/devices`, {});
    const door = new TestDoor(String(body?.token));
    const commands: (string | null)[] = [];
    const late: (string | null)[] = [];
    let isOver = false;
    const syncs = [0, 1, 2].map(async (i) => {
      for (let n = 0; n < 6; n += 1) (isOver ? late : commands).push(await door.sync(stage.urls[i % 2] ?? ''));
    });
    await sleep(random.between(0, 30));
    expect((await caller.delete(`/v1/lists/${listId}/devices/${body?.id}`)).status).toBe(204);
    isOver = true;
    late.push(await door.sync(stage.urls[0]));
    await Promise.all(syncs);
    for (const command of commands) expect(['keep', 'wipe']).toContain(command);
    expect(late.at(0)).toBe('wipe');
    expect(door.findings).toEqual([]);
  }
});

it('a webhook that is deleted while people enrol stops no enrolment and leaves no delivery', async () => {
  const caller = await createCaller();
  const listId = await createList(caller.customer);
  const made = await caller.post('/v1/webhooks', { url: 'https://webhook.example' });
  const enrolments = Array.from({ length: 10 }, (_, i) => caller.enrol(listId, `person-${i}`));
  await sleep(random.between(0, 20));
  expect((await caller.delete(`/v1/webhooks/${made.body?.webhookId}`)).status).toBe(204);
  expect(countOf(await Promise.all(enrolments))).toEqual({ 201: 10 });
  const left = await stage.rows('SELECT 1 FROM webhook_deliveries WHERE webhook_id = ?', made.body?.webhookId);
  expect(left).toEqual([]);
});

it('keys that are wrapped again while people are enrolled open every face', async () => {
  const caller = await createCaller();
  const listId = await createList(caller.customer);
  const enrolments = Array.from({ length: 20 }, (_, i) => caller.enrol(listId, `person-${i}`));
  const lists = Array.from({ length: 10 }, () => caller.post('/v1/lists', { name: 'New', ongoing: true }));
  await Promise.all([stage.first.admin.keks.rotate(), stage.first.admin.keks.rotate()]);
  expect(countOf(await Promise.all(enrolments))).toEqual({ 201: 20 });
  expect(countOf(await Promise.all(lists))).toEqual({ 201: 10 });
  await expectWhole(caller);
});
