import { DAY_MS, HOUR_MS, type PeopleSummary, type PersonResource } from '@svc/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createManualClock,
  startTestApi,
  type TestApi,
  type TestCustomer,
} from '../../testing/index.ts';

interface Page {
  readonly items: readonly PersonResource[];
  readonly nextCursor: string | null;
}

const clock = createManualClock();
let api: TestApi;
let customer: TestCustomer;
let listId: string;

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference, clock });
});
afterAll(() => api.close());
beforeEach(async () => {
  customer = await api.customer({ country: 'DE' });
  listId = await createList(customer, { name: 'Members', ongoing: true, retainDays: 10 });
});

async function enrol(...personIds: string[]): Promise<void> {
  for (const personId of personIds) {
    expect((await enrolPerson(listId, enrolBody(clock, { personId }), customer)).status).toBe(201);
    clock.advance(1_000);
  }
}

const query = (parameters: object) => new URLSearchParams(Object.entries(parameters)).toString();
const read = (parameters: object, of = listId) =>
  customer.request<Page & { code: string }>('GET', `/v1/lists/${of}/people?${query(parameters)}`);
const summary = async (parameters: object = {}) =>
  (await customer.request<PeopleSummary>('GET', `/v1/lists/${listId}/people-summary?${query(parameters)}`)).body;

/** All pages of two; `betweenPages` is called before each page but the first. */
async function walk(parameters: object, betweenPages?: (soFar: readonly string[]) => Promise<void>): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const more: object = cursor === null ? {} : { cursor };
    const { status, body } = await read({ limit: 2, ...parameters, ...more });
    expect(status, JSON.stringify(body)).toBe(200);
    names.push(...body.items.map(({ personId }) => personId));
    cursor = body.nextCursor;
    if (cursor !== null) await betweenPages?.(names);
  } while (cursor !== null);
  return names;
}

describe('the people of a list', () => {
  it('are answered in the order that is asked for, page by page', async () => {
    await enrol('b', 'a', 'C', 'ä', 'a/1');
    expect(await walk({})).toEqual(['b', 'a', 'C', 'ä', 'a/1']);
    expect(await walk({ order: 'oldest' })).toEqual(['b', 'a', 'C', 'ä', 'a/1']);
    expect(await walk({ order: 'newest' })).toEqual(['a/1', 'ä', 'C', 'a', 'b']);
    expect(await walk({ order: 'deadline' })).toEqual(['b', 'a', 'C', 'ä', 'a/1']);
    expect(await walk({ order: 'personId' })).toEqual(['C', 'a', 'a/1', 'b', 'ä']);
    await enrol('b');
    expect(await walk({ order: 'deadline' })).toEqual(['a', 'C', 'ä', 'a/1', 'b']);
  });

  it('are found by the beginning of their personId, without wildcards', async () => {
    await enrol('T-1', 'T-12', 'T-2', 't-1', 'T%1', 'T_1', '\u{10FFFF}a');
    expect(await walk({ personIdPrefix: 'T-1' })).toEqual(['T-1', 'T-12']);
    expect(await walk({ personIdPrefix: 'T' })).toEqual(['T%1', 'T-1', 'T-12', 'T-2', 'T_1']);
    expect(await walk({ personIdPrefix: 'T', order: 'newest' })).toEqual(['T_1', 'T%1', 'T-2', 'T-12', 'T-1']);
    expect(await walk({ personIdPrefix: 'T%' })).toEqual(['T%1']);
    expect(await walk({ personIdPrefix: '\u{10FFFF}' })).toEqual(['\u{10FFFF}a']);
    expect(await walk({ personIdPrefix: 'X' })).toEqual([]);
    expect(await summary({ personIdPrefix: 'T-' })).toMatchObject({ people: 3, enrolled: 3 });
  });

  it('go on behind a person who was erased between two pages, in each order', async () => {
    for (const order of ['oldest', 'newest', 'personId', 'deadline']) {
      const names = [1, 2, 3, 4, 5].map((nth) => `${order}-${nth}`);
      await enrol(...names);
      const seen = await walk({ order, limit: 2, personIdPrefix: order }, async (soFar) => {
        const last = soFar.at(-1) ?? '';
        await customer.request('DELETE', `/v1/lists/${listId}/people/${last}`);
      });
      expect(seen.sort()).toEqual(names);
    }
  });

  it('are named in no cursor', async () => {
    const longest = '\u{1F600}'.repeat(200);
    await enrol('T-secret', longest, 'z');
    for (const order of ['oldest', 'newest', 'personId', 'deadline']) {
      const { body } = await read({ order, limit: 1 });
      const opened = Buffer.from(body.nextCursor ?? '', 'base64url').toString();
      expect(opened + Buffer.from(opened, 'base64url').toString('latin1')).not.toContain('secret');
    }
    expect(await walk({ order: 'personId', limit: 1 })).toEqual(['T-secret', 'z', longest]);
  });

  it('have a state, and are filtered and counted by it', async () => {
    await enrol('old', 'soon');
    clock.advance(8 * DAY_MS);
    await enrol('a', 'b', 'c');
    await inDatabase(
      api,
      `WITH made AS (INSERT INTO list_epochs SELECT account_id, list_id, 99, 'another', dimension, match_threshold, check_record, created_at
         FROM list_epochs WHERE list_id = $1)
       UPDATE people SET face_epoch = 99 WHERE list_id = $1 AND person_id IN ('b', 'soon')`,
      [listId],
    );
    const states = async () => (await read({})).body.items.map(({ personId, state }) => `${personId} ${state}`);
    expect(await states()).toEqual(['old enrolled', 'soon other-model', 'a enrolled', 'b other-model', 'c enrolled']);
    expect(await summary()).toMatchObject({ people: 5, enrolled: 3, otherModel: 2, leaving: 0 });
    clock.advance(DAY_MS);
    expect(await states()).toEqual(['old leaving', 'soon leaving', 'a enrolled', 'b other-model', 'c enrolled']);
    expect(await walk({ state: 'leaving' })).toEqual(['old', 'soon']);
    expect(await walk({ state: 'other-model' })).toEqual(['b']);
    expect(await walk({ state: 'enrolled', order: 'newest' })).toEqual(['c', 'a']);
    const [old] = (await read({ personId: 'old' })).body.items;
    expect(old?.state).toBe('leaving');
    expect((await read({ personId: 'old', state: 'enrolled' })).body.items).toEqual([]);
    expect(await summary()).toEqual({
      people: 5,
      enrolled: 2,
      otherModel: 1,
      leaving: 2,
      nextDeadline: old?.deleteAfter,
    });
    clock.advance(DAY_MS);
    expect(await summary()).toMatchObject({ people: 3, enrolled: 2, otherModel: 1, leaving: 0 });
  });

  it('of an event are served to the end, so none is leaving', async () => {
    const at = (ms: number) => new Date(clock.now() + ms).toISOString();
    const dates = { startsAt: at(0), endsAt: at(2 * HOUR_MS) };
    const event = await customer.request<{ eventId: string }>('POST', '/v1/events', { name: 'Gala', ...dates });
    listId = await createList(customer, { name: 'Gala', eventId: event.body.eventId });
    await enrol('ada');
    expect((await read({})).body.items[0]?.state).toBe('enrolled');
    expect(await summary()).toMatchObject({ people: 1, enrolled: 1, leaving: 0, nextDeadline: dates.endsAt });
  });

  it('are filtered by deadline, which is exclusive', async () => {
    await enrol('a', 'b');
    const [, b] = (await read({})).body.items;
    const deleteBefore = b?.deleteAfter ?? '';
    expect(await walk({ deleteBefore })).toEqual(['a']);
    expect(await summary({ deleteBefore })).toMatchObject({ people: 1 });
    expect((await read({ personId: 'b', deleteBefore })).body.items).toEqual([]);
    expect((await read({ personId: 'b', personIdPrefix: 'a' })).body.items).toEqual([]);
    expect(await walk({ deleteBefore: '9999-12-31T23:59:59Z' })).toEqual(['a', 'b']);
  });

  it.each([
    ['an empty prefix', { personIdPrefix: '' }],
    ['a prefix with a NUL', { personIdPrefix: 'a\0' }],
    ['a prefix that is longer than a personId', { personIdPrefix: 'a'.repeat(201) }],
    ['an order that is none', { order: 'random' }],
    ['a state that is none', { state: 'gone' }],
    ['a date without a time', { deleteBefore: '2026-01-01' }],
    ['a cursor that is none', { cursor: 'bm90aGluZw' }],
  ])('are refused for %s', async (_what, parameters) => {
    const { status, body } = await read(parameters);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
  });

  it('are refused for a cursor of another order, and one of another list', async () => {
    await enrol('a', 'b');
    const cursorOf = async (order: string) => (await read({ order, limit: 1 })).body.nextCursor ?? '';
    const orders = ['oldest', 'newest', 'personId', 'deadline'];
    for (const made of orders) {
      const cursor = await cursorOf(made);
      for (const order of orders) {
        expect((await read({ order, cursor, limit: 1 })).status, `${made} ${order}`).toBe(made === order ? 200 : 400);
      }
    }
    const other = await createList(customer);
    expect((await read({ order: 'personId', cursor: await cursorOf('personId') }, other)).status).toBe(400);
  });
});
