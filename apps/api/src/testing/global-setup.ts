import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { servingTarget } from '../db/embedded/index.ts';
import { startTestPostgres } from './postgres.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find(existsSync);
const PORT = 6432;
/** Fewer than two nodes' pools, so that sessions are shared; more than what starting nodes need. */
const SERVER_CONNECTIONS = 12;

const settings = (directory: string, { host, port }: pg.ClientConfig) => `
[databases]
* = host=${host} port=${port}
[pgbouncer]
pool_mode = transaction
auth_type = trust
auth_file = ${directory}/users
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${directory}
unix_socket_mode = 0777
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 1000
server_idle_timeout = 5
ignore_startup_parameters = extra_float_digits, statement_timeout, idle_in_transaction_session_timeout
`;

async function answers(target: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(target);
  client.on('error', () => undefined);
  return client
    .connect()
    .then(() => client.end())
    .then(
      () => true,
      () => false,
    );
}

/**
 * Starts PgBouncer in transaction mode in front of a PostgreSQL socket.
 * @throws Error when PgBouncer is not installed
 */
async function startTestPgBouncer(
  postgres: pg.ClientConfig,
): Promise<{ target: pg.ClientConfig; stop(): Promise<void> }> {
  if (PROGRAM === undefined) throw new Error('there is no PgBouncer');
  const directory = await mkdtemp(join(tmpdir(), 'svc-pgbouncer-'));
  // It refuses to run as root, and only the server's user can access the socket's folder.
  const { uid, gid } = await stat(postgres.host ?? '');
  const file = join(directory, 'pgbouncer.ini');
  const users = join(directory, 'users');
  await writeFile(file, settings(directory, postgres), { mode: 0o600 });
  // Its passwords towards the server: it asks for none itself.
  const owner = { user: String(postgres.user), password: String(postgres.password) };
  const lines = [owner, servingTarget(owner)].map(({ user, password }) => `"${user}" "${password}"\n`);
  await writeFile(users, lines.join(''), { mode: 0o600 });
  for (const path of [directory, file, users]) await chown(path, uid, gid);
  const child: ChildProcess = spawn(PROGRAM, ['-q', file], { stdio: ['ignore', 'ignore', 'inherit'], uid, gid });
  const target = { ...postgres, host: directory, port: PORT };
  while (!(await answers(target))) {
    if (child.exitCode !== null) throw new Error('PgBouncer ended');
    await sleep(25);
  }
  return {
    target,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** One PostgreSQL per run; with `SVC_TEST_PGBOUNCER=1` behind PgBouncer in transaction mode. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres();
  const pooler = process.env.SVC_TEST_PGBOUNCER === '1' ? await startTestPgBouncer(postgres.target) : null;
  project.provide('postgres', pooler?.target ?? postgres.target);
  return async () => {
    await pooler?.stop();
    await postgres.stop();
  };
}
