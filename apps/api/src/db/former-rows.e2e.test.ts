import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createTestDatabase } from '../testing/postgres.ts';
import { type Database, openDatabase, sqlState } from './connection.ts';
import { migrations } from './migrations/index.ts';

/** A row that the former release has written; the long test of upgrades records them (docs/releasing.md). */
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
