import { DAY_MS, HOUR_MS, type PeopleSummary, type PersonResource } from '@svc/protocol';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createList, enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import { useApi, useDatabase } from '../../testing/use-api.ts';
import { createPersonStore, type PeopleFilter, type PeopleOrder } from './store.ts';

const { api, clock, customer } = useApi();

beforeEach(async () => {
  listId = await createList(customer, { name: 'Members', ongoing: true, retainDays: 10 });
});

interface Page {
  readonly items: readonly PersonResource[];
  readonly nextCursor: string | null;
}

let listId: string;

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
    expect(await walk({ order: 'newest' })).toEqual(['a/1', 'ä', 'C', 'a', 'b']);
    expect(await walk({ order: 'deadline' })).toEqual(['b', 'a', 'C', 'ä', 'a/1']);
    expect(await walk({ order: 'personId' })).toEqual(['C', 'a', 'a/1', 'b', 'ä']);
    await enrol('b');
    expect(await walk({ order: 'deadline' })).toEqual(['a', 'C', 'ä', 'a/1', 'b']);
    expect(await walk({})).toEqual(['b', 'a', 'C', 'ä', 'a/1']);
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

  it('are found by any part of their personId, whatever the case, without wildcards', async () => {
    await enrol('T-1a', 'x-T-1A', 'T_1', 'ÄRA%', 'b', 'é');
    expect(await walk({ search: 't-1' })).toEqual(['T-1a', 'x-T-1A']);
    expect(await walk({ search: '1A', order: 'newest', limit: 1 })).toEqual(['x-T-1A', 'T-1a']);
    expect(await walk({ search: 'a', order: 'personId', personIdPrefix: 'x' })).toEqual(['x-T-1A']);
    expect(await walk({ search: 'ära' })).toEqual(['ÄRA%']);
    expect([await walk({ search: '%' }), await walk({ search: '_' })]).toEqual([['ÄRA%'], ['T_1']]);
    expect(await walk({ search: '\\' })).toEqual([]);
    expect(await walk({ search: 'B', personId: 'b' })).toEqual(['b']);
    expect(await walk({ search: 'c', personId: 'b' })).toEqual([]);
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
    const nextDeadline = old?.deleteAfter;
    expect(await summary()).toEqual({ people: 5, enrolled: 2, otherModel: 1, leaving: 2, nextDeadline });
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

describe('store', () => {
  const PEOPLE = 40_000;
  const list = { accountId: 'acc_1', listId: 'lst_1' };
  const key = { account_id: list.accountId, list_id: list.listId };
  const now = new Date('2026-03-02T10:00:00Z');
  const database = useDatabase();

  /** Two lists of so many people, with the statistics that autovacuum would make. */
  beforeAll(async () => {
    const { connection } = database;
    const account = { account_id: list.accountId, name: 'Test', billing_currency: 'EUR', created_at: now };
    await connection('accounts').insert(account);
    const engine = { engine_id: 'engine', dimension: 128, match_threshold: 0.5, check_record: Buffer.alloc(16) };
    for (const listId of [list.listId, 'lst_2']) {
      const place = { ...key, list_id: listId };
      await connection('lists').insert({ ...place, name: 'Members', retain_days: 0, created_at: now });
      await connection('list_epochs').insert({ ...place, epoch: 1, ...engine, created_at: now });
      await connection.raw(
        `INSERT INTO people (account_id, list_id, person_id, row_id, consent_version, face_epoch, face_tag, delete_after, enrolled_at, updated_at)
      SELECT ?, ?, 'T-' || lpad(CAST(n * 7919 % :people AS text), 6, '0'), CAST(lpad(to_hex(n), 32, '0') AS uuid), 'eu-v2', 1,
        decode(md5(CAST(n AS text)), 'hex'), CAST(? AS timestamptz) + (n * 104729 % :people) * interval '1 minute', ?, ?
      FROM generate_series(CAST(1 AS bigint), :people) n`.replaceAll(':people', String(PEOPLE)),
        [list.accountId, listId, now, now, now],
      );
    }
    await connection.raw('ANALYZE people, list_epochs');
  });

  interface Plan {
    readonly 'Node Type': string;
    readonly 'Index Name'?: string;
    readonly 'Actual Rows': number;
    readonly Plans?: readonly Plan[];
  }

  /** The nodes of the plan by which a page was read, with how many rows each gave. */
  async function planOf(filter: Partial<PeopleFilter>, order: PeopleOrder): Promise<readonly Plan[]> {
    let sql = '';
    let bindings: readonly unknown[] = [];
    const note = (query: { readonly sql: string; readonly bindings: readonly unknown[] }) =>
      ({ sql, bindings } = query);
    database.connection.on('query', note);
    const store = createPersonStore(database.connection);
    const people = await store.page(list, { deadlineAfter: now, ...filter }, order, 201);
    database.connection.removeListener('query', note);
    expect(people.length).toBeGreaterThan(0);
    const explained = await database.connection.raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${sql.replaceAll(/\$\d+/g, '?')}`,
      bindings as never[],
    );
    const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
    return (explained.rows[0]?.['QUERY PLAN'] ?? []).flatMap((root) => nodes(root.Plan));
  }

  const soon = new Date(now.getTime() + HOUR_MS);
  const rowId = '00000000-0000-0000-0000-000000010000';
  it.each<[string, Partial<PeopleFilter>, PeopleOrder, string]>([
    ['the first people', {}, { by: 'oldest' }, 'people_in_order'],
    ['the latest people', {}, { by: 'newest', after: { rowId } }, 'people_in_order'],
    ['people by name', {}, { by: 'personId', after: { personId: 'T-020000' } }, 'people_by_person_id'],
    ['people by a prefix', { prefix: 'T-0399' }, { by: 'personId' }, 'people_by_person_id'],
    ['people by the prefix of all', { prefix: 'T-' }, { by: 'personId' }, 'people_by_person_id'],
    [
      'people further on',
      { prefix: 'T-03' },
      { by: 'personId', after: { personId: 'T-035000' } },
      'people_by_person_id',
    ],
    ['people by deadline', {}, { by: 'deadline', after: { deleteAfter: now, rowId } }, 'people_by_deadline'],
    ['people whose deadline is near', { deadlineBefore: soon }, { by: 'deadline' }, 'people_by_deadline'],
  ])('a page of %s among many is read by its index, without a sort', async (_what, filter, order, index) => {
    const nodes = await planOf(filter, order);
    expect(nodes.map((node) => node['Index Name'])).toContain(index);
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
    expect(Math.max(...nodes.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(202);
  });

  it('looks at 20,000 people for a page of a search, and goes on behind the last of them', async () => {
    const store = createPersonStore(database.connection);
    const search = (after?: { readonly personId: string } | null) =>
      store.search(list, { deadlineAfter: new Date(0) }, { by: 'personId', after: after ?? undefined }, 't-039999', 10);
    const first = await search();
    expect([first.people, first.edge?.personId]).toEqual([[], 'T-019999']);
    expect((await search(first.edge)).people.map(({ personId }) => personId)).toEqual(['T-039999']);
    expect(await search({ personId: 'T-039999' })).toEqual({ people: [], edge: null });
  });
});
