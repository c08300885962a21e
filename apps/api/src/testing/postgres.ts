import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemRandom } from '../crypto/random.ts';
import { startEmbeddedServer } from '../db/embedded/index.ts';

const PREFIX = 'svc-test-';

declare module 'vitest' {
  interface ProvidedContext {
    /** The run's PostgreSQL: where a test file makes a database of its own. */
    postgres: pg.ClientConfig;
  }
}

/** Removes a data directory and what its pointer to an embedded server's folder leads to. The server has stopped. */
export async function removeDataDirectory(dataDirectory: string): Promise<void> {
  const target = await readlink(join(dataDirectory, 'postgres')).catch(() => null);
  if (target !== null) await rm(target, { recursive: true, force: true });
  await rm(dataDirectory, { recursive: true, force: true });
}

const FORGOTTEN_MS = 12 * 60 * 60_000;

/** Removes what killed test runs have left behind. */
async function removeForgotten(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(tmpdir(), name);
    const found = await stat(path).catch(() => null);
    if (found === null || found.uid !== process.getuid?.() || Date.now() - found.mtimeMs < FORGOTTEN_MS) continue;
    await removeDataDirectory(path).catch(() => undefined);
  }
}

/** A PostgreSQL for one test run, in a temporary directory that goes when it stops. */
export async function startTestPostgres(): Promise<{ target: pg.ClientConfig; stop(): Promise<void> }> {
  await removeForgotten();
  const dataDirectory = await mkdtemp(join(tmpdir(), PREFIX));
  const server = await startEmbeddedServer({ dataDirectory, random: systemRandom, share: false });
  return {
    target: { ...server.target },
    async stop() {
      await server.stop();
      await removeDataDirectory(dataDirectory);
    },
  };
}

/** A new, empty database as a DATABASE_URL. */
export async function createTestDatabase(postgres: pg.ClientConfig): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client(postgres);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
  } finally {
    await client.end();
  }
  const { user, password, host, port } = postgres;
  const credentials = `${encodeURIComponent(user ?? '')}:${encodeURIComponent(String(password))}`;
  return `postgresql://${credentials}@localhost:${port}/${name}?host=${encodeURIComponent(host ?? '')}`;
}

/** One statement on a connection of its own. @returns its rows */
export async function queryDatabase<Row extends pg.QueryResultRow>(
  connectionString: string | null,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  if (connectionString === null) throw new Error('no DATABASE_URL');
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}
