import type { Knex } from 'knex';
import { openingDatabase, StartError } from '../config/start-error.ts';
import { type Connection, type DatabaseOwner, openDatabase } from './connection.ts';
import { keyMigrations } from './key-migrations.ts';
import { migrations } from './migrations/index.ts';
import { grantServing, type RoleFacts, roleFacts } from './roles.ts';

type Step = (typeof migrations)[number];

/** Migrations are part of the bundle instead of separate files. */
const sourceOf = (steps: readonly Step[]): Knex.MigrationSource<Step> => ({
  getMigrations: () => Promise.resolve([...steps]),
  getMigrationName: (step) => step.name,
  getMigration: (step) =>
    Promise.resolve({
      up: async (connection: Connection) => {
        await connection.raw('SET LOCAL statement_timeout = 0');
        await connection.raw(step.sql);
      },
      down: () => Promise.reject(new Error('migrations go forward only')),
    }),
});

const configOf = (steps: readonly Step[], tableName: string) => ({
  steps,
  migrationSource: sourceOf(steps),
  tableName,
  // In a rolling upgrade an older node meets a schema that a newer one has already expanded.
  disableMigrationsListValidation: true,
});

/** Arbitrary, the same on every node. */
const MIGRATION_LOCK = 7_291_043_558;

/**
 * Migrates the schema; several nodes may call it at once, one does the work. Needs two connections of the pool. The
 * advisory lock is held by a transaction, so a pooler in transaction mode works.
 * @param connection of the role that serves
 * @param owner migrates instead of it, and grants it what it needs
 * @returns the role that serves
 */
export function migrate(connection: Connection, owner: DatabaseOwner | null = null): Promise<RoleFacts> {
  return bringUp(connection, owner, configOf(migrations, 'schema_migrations'));
}

/** The same for the key store's tables, in any database; for the main one call {@link migrate} first. */
export function migrateKeyStore(connection: Connection, owner: DatabaseOwner | null = null): Promise<RoleFacts> {
  return bringUp(connection, owner, configOf(keyMigrations, 'key_store_migrations'));
}

type Config = ReturnType<typeof configOf>;

async function bringUp(serving: Connection, owner: DatabaseOwner | null, config: Config): Promise<RoleFacts> {
  if (owner !== null) {
    const { role } = await roleFacts(serving);
    await openingDatabase(owner.setting, async () => {
      const { connection, close } = openDatabase({ target: owner.target, poolSize: 2 });
      try {
        const { foreign } = await roleFacts(connection);
        if (foreign.length > 0) throw new StartError(`${owner.setting}: its role does not own ${foreign.join(', ')}`);
        await apply(connection, config, role);
      } finally {
        await close();
      }
    });
    if (!(await isCurrent(serving, config))) throw new StartError(`${owner.setting}: it is a different database`);
  } else if (!(await isCurrent(serving, config))) {
    await apply(serving, config, null);
  }
  return roleFacts(serving);
}

async function isCurrent(connection: Connection, { tableName, steps }: Config): Promise<boolean> {
  if (!(await connection.schema.hasTable(tableName))) return false;
  const applied: string[] = await connection(tableName).pluck('name');
  return steps.every(({ name }) => applied.includes(name));
}

async function apply(connection: Connection, config: Config, role: string | null): Promise<void> {
  await connection.transaction(async (lock) => {
    // Another node migrates for as long as its largest table takes.
    await lock.raw('SET LOCAL statement_timeout = 0');
    await lock.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
    await lock.raw('SELECT pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    await refuseOldServer(lock);
    const [, pending] = (await connection.migrate.list(config)) as [unknown[], unknown[]];
    if (pending.length > 0) {
      // Knex's own lock is a row that a killed process leaves behind. While we hold ours, no node uses it.
      await connection.migrate.forceFreeMigrationsLock(config);
      await connection.migrate.latest(config);
    }
    if (role !== null) await grantServing(lock, role);
  });
}

async function refuseOldServer(connection: Connection): Promise<void> {
  const result = await connection.raw<{ rows: { version: string }[] }>(
    "SELECT current_setting('server_version_num') AS version",
  );
  const version = Number(result.rows[0]?.version ?? 0);
  if (version < 150_000) throw new Error('PostgreSQL 15 or newer is needed');
}
