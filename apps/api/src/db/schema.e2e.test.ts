import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createTestDatabase } from '../testing/postgres.ts';
import { type Database, openDatabase } from './connection.ts';
import { migrations } from './migrations/index.ts';

let database: Database;
/** The schema after each migration, starting with the empty one. */
const states: Schema[] = [];

beforeAll(async () => {
  database = openDatabase({ target: { connectionString: await createTestDatabase(inject('postgres')) } });
  states.push(await readSchema());
  for (const { sql } of migrations) {
    await database.connection.raw(sql);
    states.push(await readSchema());
  }
});
afterAll(() => database.close());

interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly filled: boolean;
}

interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly kind: 'primary' | 'unique' | 'plain';
}

interface Constraint {
  readonly name: string;
  readonly kind: 'check' | 'foreign';
  readonly columns: readonly string[];
  readonly refersTo: string | null;
  readonly refersToColumns: readonly string[];
}

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly Index[];
  readonly constraints: readonly Constraint[];
  readonly triggers: readonly string[];
}

type Schema = readonly Table[];

const NAMES = (columns: string, of: string) =>
  `ARRAY(SELECT attname::text FROM unnest(${columns}) WITH ORDINALITY k (n, i) JOIN pg_attribute ON attrelid = ${of} AND attnum = k.n ORDER BY i)`;

const SCHEMA = `
SELECT c.relname AS name,
  (SELECT coalesce(json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod), 'required', attnotnull, 'filled', atthasdef)), '[]')
   FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
  (SELECT coalesce(json_agg(json_build_object('name', indexrelid::regclass::text, 'columns', ${NAMES('indkey::int2[]', 'c.oid')},
     'kind', CASE WHEN indisprimary THEN 'primary' WHEN indisunique THEN 'unique' ELSE 'plain' END)), '[]')
   FROM pg_index WHERE indrelid = c.oid) AS indexes,
  (SELECT coalesce(json_agg(json_build_object('name', conname, 'kind', CASE contype WHEN 'c' THEN 'check' ELSE 'foreign' END,
     'columns', ${NAMES('conkey', 'c.oid')}, 'refersTo', nullif(confrelid, 0)::regclass::text,
     'refersToColumns', ${NAMES('confkey', 'confrelid')})), '[]')
   FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('c', 'f')) AS constraints,
  (SELECT coalesce(json_agg(tgname), '[]') FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) AS triggers
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
WHERE c.relkind = 'r' ORDER BY c.relname`;

async function readSchema(): Promise<Schema> {
  return (await database.connection.raw<{ rows: Table[] }>(SCHEMA)).rows;
}

const by = <T extends { readonly name: string }>(items: readonly T[], name: string) =>
  items.find((item) => item.name === name);

/** Changes that would break a node of the previous version. */
function broken(before: Table, after: Table | undefined): string[] {
  if (after === undefined) return [`${before.name} is gone`];
  const columns = before.columns.flatMap(({ name, type, required, filled }) => {
    const now = by(after.columns, name);
    if (now === undefined) return [`${name} is gone`];
    if (now.type !== type) return [`${name} was ${type}`];
    if (now.required && !required) return [`${name} may not be null any more`];
    return filled && !now.filled ? [`${name} has no default any more`] : [];
  });
  const isOld = (names: readonly string[]) => names.every((name) => by(before.columns, name) !== undefined);
  const added = after.columns
    .filter(({ name, required, filled }) => !by(before.columns, name) && required && !filled)
    .map(({ name }) => `${name} is new, and the version before does not fill it in`);
  const indexes = after.indexes
    .filter((index) => !by(before.indexes, index.name) && index.kind !== 'plain' && isOld(index.columns))
    .map(({ name }) => `${name} refuses what was allowed`);
  const lost = before.indexes
    .filter((index) => !by(after.indexes, index.name))
    .map(({ name }) => `${name} is gone: ON CONFLICT may name it`);
  const constraints = after.constraints
    .filter((constraint) => !by(before.constraints, constraint.name) && isOld(constraint.columns))
    .map(({ name }) => `${name} refuses what was allowed`);
  const triggers = after.triggers
    .filter((name) => !before.triggers.includes(name))
    .map((name) => `${name} does what nobody expected`);
  return [...columns, ...added, ...indexes, ...lost, ...constraints, ...triggers].map(
    (what) => `${before.name}: ${what}`,
  );
}

describe('each migration', () => {
  it.each(migrations.map(({ name }, index) => [name, index] as const))(
    '%s lets a node of the version before go on',
    (_name, index) => {
      const [before = [], after = []] = states.slice(index, index + 2);
      expect(before.flatMap((table) => broken(table, by(after, table.name)))).toEqual([]);
    },
  );
});
