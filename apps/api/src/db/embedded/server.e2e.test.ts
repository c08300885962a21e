import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { HOUR_MS } from '@svc/protocol';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { systemRandom } from '../../platform/ports.ts';
import { removeDataDirectory } from '../../testing/postgres.ts';
import { DataDirectoryInUseError, type EmbeddedServer, startEmbeddedServer } from './index.ts';

const dataDirectory = temporaryFolder();
let started: EmbeddedServer[];

// One cluster for all tests, as creating one takes seconds.
afterAll(() => removeDataDirectory(dataDirectory));
beforeEach(() => {
  started = [];
});
afterEach(async () => {
  for (const server of started) await server.stop();
});

async function start(share = false): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer({ dataDirectory, random: systemRandom, share });
  started.push(server);
  return server;
}

async function query(server: EmbeddedServer, sql: string, who: 'owner' | 'target' = 'owner'): Promise<unknown[]> {
  const client = new pg.Client(server[who]);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const clusterFile = async (name: string) => join(await realpath(join(dataDirectory, 'postgres')), 'cluster', name);

/** Another process that owns the server, which a test may kill. */
async function ownerProcess(): Promise<ChildProcess> {
  const module = fileURLToPath(new URL('./index.ts', import.meta.url));
  const random = fileURLToPath(new URL('../../platform/ports.ts', import.meta.url));
  const script = `
    import { startEmbeddedServer } from ${JSON.stringify(module)};
    import { systemRandom } from ${JSON.stringify(random)};
    startEmbeddedServer({ dataDirectory: ${JSON.stringify(dataDirectory)}, random: systemRandom, share: false })
      .then(() => { process.stdout.write('up'); setInterval(() => {}, 1000); });`;
  const file = join(dataDirectory, 'owner.mts');
  await writeFile(file, script);
  const child = spawn(process.execPath, ['--conditions=svc-source', '--import', 'tsx', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

it('starts, keeps what was written, and starts again on it, also without the role that serves, as earlier ones', async () => {
  const first = await start();
  const { user, database } = first.target;
  await query(first, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await query(first, `REVOKE ALL ON DATABASE ${database} FROM ${user}; DROP ROLE ${user}`);
  await first.stop();
  const second = await start();
  expect(await query(second, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  const role = 'SELECT rolsuper FROM pg_roles WHERE rolname = current_user';
  expect(await query(second, role, 'target')).toEqual([{ rolsuper: false }]);
  for (const sql of ['SELECT FROM kept', 'DROP TABLE kept', 'CREATE TABLE mine ()', 'CREATE TEMP TABLE mine ()']) {
    await expect(query(second, sql, 'target')).rejects.toMatchObject({ code: '42501' });
  }
});

it('listens on a socket in a private folder alone, and asks for the password', async () => {
  const server = await start();
  expect(await query(server, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
  expect((await stat(server.target.host)).mode & 0o077).toBe(0);
  expect((await stat(join(dataDirectory, 'postgres-password'))).mode & 0o777).toBe(0o600);
  const intruder = new pg.Client({ ...server.target, password: 'guessed' });
  await expect(intruder.connect()).rejects.toMatchObject({ code: '28P01' });
});

it('refuses a second owner clearly, and lets a guest in', async () => {
  await start();
  await expect(start()).rejects.toThrow(DataDirectoryInUseError);
  const guest = await start(true);
  expect(await query(guest, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await guest.stop();
  expect(await query(guest, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('takes over the server that a killed owner left running', async () => {
  const owner = await ownerProcess();
  await expect(start()).rejects.toThrow(DataDirectoryInUseError);
  const pid = await readFile(await clusterFile('postmaster.pid'), 'utf8');
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const server = await start();
  expect(await readFile(await clusterFile('postmaster.pid'), 'utf8')).toBe(pid);
  await server.stop();
  await expect(stat(await clusterFile('postmaster.pid'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('stops the server of a killed owner unless another process takes it over', async () => {
  const owner = await ownerProcess();
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const file = await clusterFile('postmaster.pid');
  expect((await stat(file)).isFile()).toBe(true);
  await expect.poll(() => stat(file).catch(() => null), { timeout: 30_000, interval: 200 }).toBeNull();
  expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('starts over a lock file that a crash left behind', async () => {
  const server = await start();
  const file = await clusterFile('postmaster.pid');
  const content = await readFile(file, 'utf8');
  await server.stop();
  // A used process id that is not a PostgreSQL: our own.
  await writeFile(file, content.replace(/^\d+/, String(process.pid)));
  expect(await query(await start(), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('keeps trying to bring it back while what it needs is away', async () => {
  const server = await start();
  await query(server, 'CREATE TABLE kept_safe AS SELECT 42 AS answer');
  const file = await clusterFile('postmaster.pid');
  const pid = Number((await readFile(file, 'utf8')).split('\n')[0]);
  const control = await clusterFile(join('global', 'pg_control'));
  await rename(control, `${control}.away`);
  process.kill(pid, 'SIGKILL');
  // Enough time for several launches to end.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(await query(server, 'SELECT 1').catch(() => null)).toBeNull();
  await rename(`${control}.away`, control);
  await expect
    .poll(() => query(server, 'SELECT answer FROM kept_safe').catch(() => null), { interval: 100 })
    .toEqual([{ answer: 42 }]);
});

it('scrubs tables of faces at once and others within the hour, and one that is locked keeps it from no other', async () => {
  const server = await start();
  await server.scrub(0);
  const tables = ['people', 'consents', 'enrolment_tokens'];
  for (const table of tables) await query(server, `CREATE TABLE ${table} ()`);
  const names = `relname IN ('${tables.join("','")}')`;
  // A new table's file has the table's number.
  const rewritten = async () =>
    (await query(server, `SELECT relname FROM pg_class WHERE ${names} AND relfilenode <> oid ORDER BY 1`)).map(
      (row) => Object.values(row as object)[0],
    );
  const log = () => query(server, 'SELECT pg_walfile_name(pg_current_wal_lsn())');
  const before = await log();
  const reader = new pg.Client(server.owner);
  await reader.connect();
  await reader.query('BEGIN; LOCK people IN ACCESS SHARE MODE');
  await expect(server.scrub(1)).rejects.toMatchObject({ code: '55P03' });
  expect(await rewritten()).toEqual(['consents']);
  expect(await log()).not.toEqual(before);
  await reader.end();
  await server.scrub(2);
  expect(await rewritten()).toEqual(['consents', 'people']);
  await server.scrub(HOUR_MS);
  expect(await rewritten()).toEqual(['consents', 'enrolment_tokens', 'people']);
  await query(server, `DROP TABLE ${tables.join()}`);
});

it('writes neither statements nor values into its log', async () => {
  const server = await start();
  await query(server, 'CREATE TABLE people (person_id text PRIMARY KEY)');
  for (const sql of [
    "INSERT INTO people VALUES ('canary-1')",
    "INSERT INTO people VALUES ('canary-1')",
    "SELECT 'canary-2'::int",
  ]) {
    await query(server, sql).catch(() => undefined);
  }
  await server.stop();
  const log = await readFile(join(await realpath(join(dataDirectory, 'postgres')), 'postgres.log'), 'utf8');
  expect(log.length).toBeGreaterThan(0);
  expect(log).not.toContain('canary');
});
