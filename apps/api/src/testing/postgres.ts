import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { openDatabase } from '../db/connection.ts';
import { servingTarget, startEmbeddedServer } from '../db/embedded/index.ts';
import { migrate, migrateKeyStore } from '../db/migrate.ts';
import { systemRandom } from '../platform/ports.ts';

const PREFIX = 'svc-test-';
/** Database with all migrations: copying it is much faster than migrating. */
const TEMPLATE = 'svc_template';
const NO_SUCH_DATABASE = '3D000';

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's PostgreSQL server, in which test files create databases. */
    postgres: pg.ClientConfig;
  }
}

/** Removes a data directory and the embedded server's folder that it points to. The server must be stopped. */
export async function removeDataDirectory(dataDirectory: string): Promise<void> {
  const target = await readlink(join(dataDirectory, 'postgres')).catch(() => null);
  if (target !== null) await rm(target, { recursive: true, force: true });
  await rm(dataDirectory, { recursive: true, force: true });
}

const FORGOTTEN_MS = 12 * 60 * 60_000;

/** Removes what killed test runs left. */
async function removeForgotten(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    const found = await stat(path).catch(() => null);
    if (found === null || found.uid !== process.getuid?.() || Date.now() - found.mtimeMs < FORGOTTEN_MS) continue;
    await removeDataDirectory(path).catch(() => undefined);
  }
}

async function onConnection<T>(target: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Disables fsync: data survives a killed process, and tests never cut the power. */
async function spareTheDisk(client: pg.Client): Promise<void> {
  await client.query('ALTER SYSTEM SET fsync = off');
  await client.query('ALTER SYSTEM SET full_page_writes = off');
  await client.query('SELECT pg_reload_conf()');
}

const ANY_TIME =
  "CREATE OR REPLACE FUNCTION evidence_clock() RETURNS timestamptz LANGUAGE sql STABLE AS $$ SELECT timestamptz 'infinity' $$";

async function makeTemplate(postgres: pg.ClientConfig): Promise<void> {
  await onConnection(postgres, (client) => client.query(`CREATE DATABASE ${TEMPLATE}`));
  const connectionString = urlOf(postgres, TEMPLATE);
  const owner = { target: { connectionString }, setting: 'owner' };
  const { connection, close } = openDatabase({ target: { connectionString: servingUrl(connectionString) } });
  try {
    await migrate(connection, owner);
    await migrateKeyStore(connection, owner);
  } finally {
    await close();
  }
  // Tests set their clocks forward, and the database's cannot follow.
  await queryDatabase(connectionString, ANY_TIME);
}

/** A PostgreSQL for one test run, as its superuser, in a temporary directory that `stop` removes. */
export async function startTestPostgres(): Promise<{ target: pg.ClientConfig; stop(): Promise<void> }> {
  await removeForgotten();
  const dataDirectory = await mkdtemp(join(tmpdir(), PREFIX));
  const server = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: false }).catch(
    async (error: unknown) => {
      await removeDataDirectory(dataDirectory);
      throw error;
    },
  );
  const stop = async () => {
    await server.stop();
    await removeDataDirectory(dataDirectory);
  };
  try {
    const target = { ...server.owner };
    await onConnection(target, spareTheDisk);
    await makeTemplate(target);
    return { target, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf({ user, password, host, port }: pg.ClientConfig, database: string): string {
  const credentials = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(String(password))}`;
  return `postgresql://${credentials}@localhost:${port}/${database}?host=${encodeURIComponent(host ?? '')}`;
}

/** The same database for the role that serves, which has rights in those with all migrations. */
export function servingUrl(owner: string): string {
  const url = new URL(owner);
  const { user, password } = servingTarget({ password: decodeURIComponent(url.password) });
  return Object.assign(url, { username: user, password }).href;
}

const newName = () => `test_${randomBytes(6).toString('hex')}`;

/** A new, empty database as a DATABASE_URL. */
export async function createTestDatabase(postgres: pg.ClientConfig): Promise<string> {
  const name = newName();
  await onConnection(postgres, (client) => client.query(`CREATE DATABASE ${name}`));
  return urlOf(postgres, name);
}

/** A new database with all migrations, as its owner; an empty one if the server has no template. */
export async function createMigratedDatabase(postgres: pg.ClientConfig): Promise<string> {
  const name = newName();
  try {
    await onConnection(postgres, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`));
    return urlOf(postgres, name);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === NO_SUCH_DATABASE) return createTestDatabase(postgres);
    throw error;
  }
}

/** Runs one statement on a new connection. @returns its rows */
export async function queryDatabase<Row extends pg.QueryResultRow>(
  connectionString: string | null,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  if (connectionString === null) throw new Error('no DATABASE_URL');
  return onConnection({ connectionString }, async (client) => (await client.query<Row>(sql, values)).rows);
}
