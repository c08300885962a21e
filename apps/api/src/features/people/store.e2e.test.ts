import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type Database, openDatabase } from '../../db/connection.ts';
import { createMigratedDatabase } from '../../testing/postgres.ts';
import { createPersonStore, type PeopleFilter, type PeopleOrder } from './store.ts';

const PEOPLE = 100_000;
const list = { accountId: 'acc_1', listId: 'lst_1' };
const key = { account_id: list.accountId, list_id: list.listId };
const now = new Date('2026-03-02T10:00:00Z');
let database: Database;

/** Two lists of 100,000 people, with the statistics that autovacuum would make. */
beforeAll(async () => {
  database = openDatabase({ target: { connectionString: await createMigratedDatabase(inject('postgres')) } });
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
afterAll(() => database.close());

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
  const note = (query: { readonly sql: string; readonly bindings: readonly unknown[] }) => ({ sql, bindings } = query);
  database.connection.on('query', note);
  const people = await createPersonStore(database.connection).page(list, { deadlineAfter: now, ...filter }, order, 201);
  database.connection.removeListener('query', note);
  expect(people.length).toBeGreaterThan(0);
  const explained = await database.connection.raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${sql.replaceAll(/\$\d+/g, '?')}`,
    bindings as never[],
  );
  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  return (explained.rows[0]?.['QUERY PLAN'] ?? []).flatMap((root) => nodes(root.Plan));
}

const rowId = '00000000-0000-0000-0000-000000010000';
it.each<[string, Partial<PeopleFilter>, PeopleOrder, string]>([
  ['the first people', {}, { by: 'oldest' }, 'people_in_order'],
  ['the latest people', {}, { by: 'newest', after: { rowId } }, 'people_in_order'],
  ['people by name', {}, { by: 'personId', after: { personId: 'T-050000' } }, 'people_by_person_id'],
  ['people by a prefix', { prefix: 'T-0999' }, { by: 'personId' }, 'people_by_person_id'],
  ['people by the prefix of all', { prefix: 'T-' }, { by: 'personId' }, 'people_by_person_id'],
  [
    'people by a prefix, further on',
    { prefix: 'T-05' },
    { by: 'personId', after: { personId: 'T-055000' } },
    'people_by_person_id',
  ],
  ['people by deadline', {}, { by: 'deadline', after: { deleteAfter: now, rowId } }, 'people_by_deadline'],
  [
    'people whose deadline is near',
    { deadlineBefore: new Date(now.getTime() + 3_600_000) },
    { by: 'deadline' },
    'people_by_deadline',
  ],
])('a page of %s among 200,000 is read by its index, without a sort', async (_what, filter, order, index) => {
  const nodes = await planOf(filter, order);
  expect(nodes.map((node) => node['Index Name'])).toContain(index);
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Sort');
  expect(Math.max(...nodes.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(202);
});
