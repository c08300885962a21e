import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chown, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './place.ts';

export const DATABASE_USER = 'svc';
export const SOCKET_PORT = 5432;
const MAX_LOG_BYTES = 8 * 2 ** 20;

/** The server and its tools do not inherit our environment, which may contain secrets. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

/** In a session of its own: Ctrl-C in our terminal must not stop the database while requests are in progress. */
function launch(place: Place, program: string, args: readonly string[], log: number | 'ignore'): ChildProcess {
  return spawn(program, args, {
    cwd: place.stateDirectory,
    env: environment(),
    detached: true,
    stdio: ['ignore', log, log],
    ...(place.user ?? {}),
  });
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

/** The last lines of the server's log, for error messages. */
export async function logTail(place: Place): Promise<string> {
  const text = await readFile(place.logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-5).join('\n');
}

async function openLog(place: Place) {
  const { size } = await stat(place.logFile).catch(() => ({ size: 0 }));
  return open(place.logFile, size > MAX_LOG_BYTES ? 'w' : 'a', 0o600);
}

/** Creates the cluster if it is missing, under a temporary name, so that a crash leaves no incomplete cluster. */
export async function ensureCluster(place: Place, password: string): Promise<void> {
  if (await exists(join(place.clusterDirectory, 'PG_VERSION'))) return;
  const draft = `${place.clusterDirectory}.${randomUUID()}`;
  const passwordFile = `${draft}.password`;
  const log = await openLog(place);
  try {
    await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
    if (place.user !== null) await chown(passwordFile, place.user.uid, place.user.gid);
    const child = launch(
      place,
      place.binaries.initdb,
      [
        `--pgdata=${draft}`,
        `--username=${DATABASE_USER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--no-instructions',
      ],
      log.fd,
    );
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (code !== 0) throw new Error(`initdb ended with ${code}: ${await logTail(place)}`);
    await rename(draft, place.clusterDirectory).catch(async (error: unknown) => {
      if (!(await exists(join(place.clusterDirectory, 'PG_VERSION')))) throw error;
    });
  } finally {
    await log.close();
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Statements and values must not be logged: a constraint's message would quote the row.
 *
 * Old segments of the write-ahead log are removed instead of recycled, and nothing retains them, so that deleted data
 * leaves the disk with them.
 */
const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  timezone: 'UTC',
  jit: 'off',
  wal_recycle: 'off',
  wal_init_zero: 'on',
  wal_keep_size: '0',
  max_replication_slots: '0',
  archive_mode: 'off',
  log_statement: 'none',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  // Above ERROR: error messages quote values.
  log_min_messages: 'log',
} as const;

/** Starts the server process without waiting until it answers. */
export async function launchServer(place: Place): Promise<ChildProcess> {
  const log = await openLog(place);
  try {
    const settings = { ...SETTINGS, unix_socket_directories: place.socketDirectory };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = launch(
      place,
      place.binaries.postgres,
      ['-D', place.clusterDirectory, '-p', String(SOCKET_PORT), ...flags],
      log.fd,
    );
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** Process id of the server from its lock file; null when none runs. */
export async function serverPid(place: Place): Promise<number | null> {
  const text = await readFile(join(place.clusterDirectory, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1) return null;
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}
