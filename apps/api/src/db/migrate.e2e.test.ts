import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { sqlState } from '../platform/errors.ts';
import { createTestDatabase } from '../testing/postgres.ts';
import { type Database, openDatabase } from './connection.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';

const url = await createTestDatabase(inject('postgres'));
const database = openDatabase({ target: { connectionString: url } });
afterAll(() => database.close());

const applied = async (): Promise<string[]> => {
  const rows = await database.connection<{ name: string }>('schema_migrations').orderBy('id').select('name');
  return rows.map((row) => row.name);
};

it('lets several nodes migrate an empty database at once; each step is applied once', async () => {
  const nodes = Array.from({ length: 4 }, () => openDatabase({ target: { connectionString: url } }));
  await Promise.all(nodes.map((node) => migrate(node.connection)));
  await Promise.all(nodes.map((node) => node.close()));
  expect(await applied()).toEqual(migrations.map((step) => step.name));
});

it('takes as long as it takes: neither a step nor the wait for another node has a limit', async () => {
  const slowUrl = await createTestDatabase(inject('postgres'));
  const asked = new URL(slowUrl);
  asked.searchParams.set('statement_timeout', '1000');
  const nodes = [0, 1].map(() => openDatabase({ target: { connectionString: asked.href } }));
  const [node] = nodes;
  await node?.connection.raw(`
    CREATE SCHEMA slow;
    CREATE FUNCTION slow.wait() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1.2); END';
    CREATE EVENT TRIGGER slow ON ddl_command_start WHEN TAG IN ('CREATE FUNCTION') EXECUTE FUNCTION slow.wait()`);
  const outcomes = await Promise.allSettled(nodes.map((each) => migrate(each.connection)));
  await Promise.all(nodes.map((each) => each.close()));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});

it('is not stopped by the lock row of a node that was killed', async () => {
  await database
    .connection('schema_migrations')
    .where({ name: migrations.at(-1)?.name })
    .delete();
  await database.connection('schema_migrations_lock').update({ is_locked: 1 });
  await database.connection.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await migrate(database.connection);
  await database.connection('schema_migrations_lock').update({ is_locked: 1 });
  await migrate(database.connection);
  expect(await applied()).toEqual(migrations.map((step) => step.name));
});

it('lets an older node start on a schema that a newer one has expanded', async () => {
  await database.connection('schema_migrations').insert({ name: '9999-newer', batch: 99, migration_time: new Date() });
  await expect(migrate(database.connection)).resolves.toMatchObject({ role: 'svc' });
});

it('gives every table of accounts a primary key that begins with the account', async () => {
  const result = await database.connection.raw<{ rows: { table_name: string; first: string }[] }>(`
    SELECT c.relname AS table_name, a.attname AS first FROM pg_index i
    JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indisprimary`);
  const others = result.rows.filter((row) => row.first !== 'account_id').map((row) => row.table_name);
  // Tables of the deployment, and of callers whose account is not known yet.
  expect(others.sort()).toEqual([
    'key_encryption_keys',
    'key_store_link',
    'rate_limits',
    'recurring_jobs',
    'schema_migrations',
    'schema_migrations_lock',
    'sign_in_challenges',
    'wrapped_keys',
  ]);
});

it('commits before it resolves and rolls back when the work fails', async () => {
  const account = { account_id: 'acc_x', name: 'x', billing_currency: 'EUR', created_at: new Date() };
  await expect(
    database.transaction(async (tx) => {
      await tx('accounts').insert(account);
      throw new Error('changed my mind');
    }),
  ).rejects.toThrow('changed my mind');
  expect(await database.connection('accounts').where({ account_id: 'acc_x' })).toEqual([]);
  await database.transaction((tx) => tx('accounts').insert(account));
  const other = openDatabase({ target: { connectionString: url } });
  expect(await other.connection('accounts').where({ account_id: 'acc_x' })).toHaveLength(1);
  await other.close();
});

it('runs the victim of a deadlock again', async () => {
  await database.connection('accounts').insert(
    ['acc_a', 'acc_b'].map((account_id) => ({
      account_id,
      name: 'x',
      billing_currency: 'EUR',
      created_at: new Date(),
    })),
  );
  let meet = 0;
  let attempts = 0;
  const both = { go: () => {} };
  const together = new Promise<void>((resolve) => {
    both.go = resolve;
  });
  const lockInOrder = (first: string, second: string) =>
    database.transaction(async (tx) => {
      attempts += 1;
      await tx('accounts').where({ account_id: first }).increment('people_billed', 1);
      meet += 1;
      if (meet === 2) both.go();
      await together;
      await tx('accounts').where({ account_id: second }).increment('people_billed', 1);
    });
  await Promise.all([lockInOrder('acc_a', 'acc_b'), lockInOrder('acc_b', 'acc_a')]);
  // One more if the victim retried before the other transaction woke.
  expect(attempts).toBeGreaterThanOrEqual(3);
  const rows = await database.connection('accounts').whereIn('account_id', ['acc_a', 'acc_b']).pluck('people_billed');
  expect(rows).toEqual([2, 2]);
});

describe('former rows', () => {
  /** A row that the former release has written; the long test of upgrades records them (docs/internals/releasing.md). */
  interface FormerRow {
    readonly table: string;
    readonly row: Readonly<Record<string, unknown>>;
  }

  const FOREIGN_KEY_VIOLATION = '23503';
  let database: Database;
  let rows: readonly FormerRow[];
  let applied: ReadonlySet<unknown>;

  const raw = async <T>(sql: string, values: readonly unknown[] = []) =>
    (await database.connection.raw<{ rows: T[] }>(sql, values as never)).rows;

  async function insert({ table, row }: FormerRow): Promise<boolean> {
    try {
      await raw(`INSERT INTO ${table} SELECT * FROM json_populate_record(NULL::${table}, ?)`, [JSON.stringify(row)]);
      return true;
    } catch (error) {
      if (sqlState(error) === FOREIGN_KEY_VIOLATION) return false;
      throw error;
    }
  }

  beforeAll(async () => {
    const recorded = await readFile(new URL('fixtures/former-rows.jsonl', import.meta.url), 'utf8');
    const all = recorded
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as FormerRow);
    applied = new Set(all.filter(({ table }) => table === 'schema_migrations').map(({ row }) => row.name));
    rows = all.filter(({ table }) => !table.startsWith('schema_migrations'));
    database = openDatabase({ target: { connectionString: await createTestDatabase(inject('postgres')) } });
    for (const { name, sql } of migrations) if (applied.has(name)) await raw(sql);
    // Rows that others refer to come first: what still lacks one is tried again.
    for (let waiting = [...rows]; waiting.length > 0; ) {
      const refused: FormerRow[] = [];
      for (const one of waiting) if (!(await insert(one))) refused.push(one);
      if (refused.length === waiting.length) throw new Error(`rows without what they refer to: ${refused[0]?.table}`);
      waiting = refused;
    }
  });
  afterAll(() => database.close());

  it('there are rows of most tables, and migrations that the former release did not have', () => {
    expect(new Set(rows.map(({ table }) => table)).size).toBeGreaterThan(12);
    expect(migrations.filter(({ name }) => !applied.has(name)).length).toBeGreaterThan(0);
  });

  it('rows of the former release go through every later migration, with the values that they had', async () => {
    for (const { name, sql } of migrations) if (!applied.has(name)) await raw(sql);
    for (const table of new Set(rows.map((one) => one.table))) {
      const before = rows.filter((one) => one.table === table).map(({ row }) => row);
      const found = await raw<{ row: Record<string, unknown> }>(`SELECT row_to_json(t) AS row FROM ${table} t`);
      expect(found, table).toHaveLength(before.length);
      const now = found.map(({ row }) => row);
      for (const row of before) expect(now, table).toContainEqual(expect.objectContaining(row));
    }
  });
});
