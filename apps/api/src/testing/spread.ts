import type pg from 'pg';
import { readSchema, SPREAD_BY } from './routing/schema.ts';

/** A foreign key as Citus takes it back, once both tables are spread. */
interface Reference {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const REFERENCES = `
SELECT conrelid::regclass::text AS "table", conname AS name, pg_get_constraintdef(oid) AS definition
FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`;

/** Makes an empty database of a Citus server ready: it is its own only node. */
export async function prepareCitus(client: pg.Client): Promise<void> {
  await client.query('CREATE EXTENSION citus');
  await client.query("SELECT citus_set_coordinator_host('127.0.0.1', current_setting('port')::integer)");
  await client.query(
    "SELECT citus_set_node_property('127.0.0.1', current_setting('port')::integer, 'shouldhaveshards', true)",
  );
}

/** Spreads the service's tables by account over a few shards. */
export async function spreadTables(client: pg.Client): Promise<void> {
  await client.query('SET citus.shard_count = 4');
  await client.query('SET citus.enable_unsafe_triggers = on');
  const { rows: references } = await client.query<Reference>(REFERENCES);
  for (const { table, name } of references) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  const spread = [...readSchema().tables].filter(([, { place }]) => place === 'spread').map(([name]) => name);
  for (const name of spread) await client.query(`SELECT create_distributed_table($1, '${SPREAD_BY}')`, [name]);
  for (const { table, name, definition } of references) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
  }
}
