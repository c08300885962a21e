import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOrCreatePrivateFile } from '@svc/durable-fs';
import { HOUR_MS } from '@svc/protocol';
import pg from 'pg';
import type { Random } from '../../platform/ports.ts';
import type { DatabaseTarget } from '../connection.ts';
import { SERVING_ROLE } from '../roles.ts';
import { DATABASE_USER, ensureCluster, launchServer, logTail, SOCKET_PORT, serverPid } from './cluster.ts';
import { type Place, preparePlace } from './place.ts';
import { Watchdog } from './watchdog.ts';

/** Tables that name people or hold faces. What was erased or replaced here is removed at once. */
const OF_FACES: readonly string[] = ['people', 'faces', 'face_removals', 'consents'];

/**
 * Besides them, tables with sealed data of people or keys, and the planner's statistics, which quote values. Deleted rows
 * stay in their files until these are rewritten.
 */
const TABLES = [
  ...[...OF_FACES, 'enrolment_tokens', 'mailing_recipients', 'idempotent_requests', 'webhook_deliveries'],
  ...['wrapped_keys', 'erasures', 'pg_statistic'],
];

/** Longest wait for a table's lock, since queries queue behind it. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_NOT_AVAILABLE = '55P03';

/** Counts begin anew when the server was killed, which its start tells. */
const CHANGES = `
SELECT relname AS name, concat(n_tup_del + n_tup_upd, ' ', pg_postmaster_start_time()) AS changes
FROM pg_stat_all_tables WHERE relname = ANY ($1) AND schemaname IN ('public', 'pg_catalog')`;

/** Removes deleted data from a cluster's files: dead rows and the write-ahead log. */
class Scrubber {
  /** Changed and deleted rows of each table at its last rewrite by this process. */
  readonly #seen = new Map<string, string>();
  /** Tables whose rewrite did not take place, or left deleted rows. */
  readonly #unfinished = new Set<string>();
  #allDueAtMs = Number.NEGATIVE_INFINITY;

  /**
   * Rewrites tables with rows deleted since the last time, switches to a new log file and removes the older ones. A
   * rewrite blocks readers of its table, about one second per 100,000 people.
   * @param nowMs takes only tables of faces, but once an hour
   * @throws Error when a table was locked for two seconds, once the others are done; the next call completes the work
   */
  async scrub(client: pg.Client, nowMs = Number.POSITIVE_INFINITY): Promise<void> {
    await client.query(`SET statement_timeout = 0; SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const { rows } = await client.query<{ name: string; changes: string }>(CHANGES, [TABLES]);
    const changed = rows.filter(({ name, changes }) => this.#seen.get(name) !== changes);
    const isAllDue = nowMs >= this.#allDueAtMs;
    const due = changed.filter(({ name }) => isAllDue || OF_FACES.includes(name) || this.#unfinished.has(name));
    if (due.length === 0 && !isAllDue) return;
    for (const { name } of due) this.#unfinished.add(name);
    // Rows that a snapshot somewhere still sees are copied along.
    let left = 0;
    client.on('notice', ({ detail }) => {
      left += Number(/^(\d+) dead row versions/.exec(detail ?? '')?.[1] ?? 0);
    });
    const done: typeof due = [];
    let locked: unknown = null;
    for (const table of due) {
      const before = left;
      try {
        await client.query(`VACUUM (FULL, VERBOSE) ${pg.escapeIdentifier(table.name)}`);
        if (left === before) done.push(table);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
        locked = error;
      }
    }
    await client.query('SELECT pg_switch_wal()');
    await client.query('CHECKPOINT');
    for (const { name, changes } of done) {
      // Counted before the rewrite: a change during it causes another rewrite.
      this.#seen.set(name, changes);
      this.#unfinished.delete(name);
    }
    if (isAllDue && nowMs !== Number.POSITIVE_INFINITY) this.#allDueAtMs = nowMs + HOUR_MS;
    if (locked !== null) throw locked;
  }
}

type EmbeddedTarget = Extract<DatabaseTarget, { readonly host: string }>;

/** The same database for the role that serves. Its password follows from the superuser's, and not the other way. */
export const servingTarget = <Target extends { readonly password: string }>(owner: Target) => ({
  ...owner,
  user: SERVING_ROLE,
  password: createHmac('sha256', owner.password).update(SERVING_ROLE).digest('base64url'),
});

/** One process's use of the embedded server. */
export interface EmbeddedServer {
  /** The role that serves. */
  readonly target: EmbeddedTarget;
  /** The superuser, which owns the tables: for migrations, backups and repairs. */
  readonly owner: EmbeddedTarget;
  /** Whether this process owned it at the start, that is, no other process of the product used it. */
  readonly isOwner: boolean;
  /** @see Scrubber.scrub */
  scrub(nowMs?: number): Promise<void>;
  /** Stops the server if this process owns it, and waits until it has stopped. */
  stop(): Promise<void>;
}

/** Another process of this product uses the data directory. */
export class DataDirectoryInUseError extends Error {
  override readonly name = 'DataDirectoryInUseError';
  constructor() {
    super('another process uses this data directory; stop it, or choose another with SVC_DATA_DIR');
  }
}

const DATABASE = 'postgres';
const START_DEADLINE_MS = 30_000;
/** A command-line process may hold the server for a moment. */
const BUSY_DEADLINE_MS = 3_000;
const POLL_MS = 50;
const STOP_DEADLINE_MS = 20_000;
/** Pause between launches of a server that ends at once. */
const RELAUNCH_MS = 1_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/**
 * Arbitrary; the holder of this session lock owns the server. It ends with its holder's connection, so a killed owner
 * leaves nothing behind.
 */
const OWNER_LOCK = 7_291_043_557;
/** Arbitrary: one process at a time makes the role that serves. */
const ROLE_LOCK = 7_291_043_561;

type Ownership =
  | { readonly kind: 'owner'; readonly session: pg.Client }
  | { readonly kind: 'guest' }
  | { readonly kind: 'unreachable' };

/**
 * Starts the embedded PostgreSQL on a Unix socket in a private folder, or takes over one that a killed process left
 * running. One process at a time owns it.
 * @param share use the owner's server instead of failing
 * @throws DataDirectoryInUseError when another process owns it and `share` is false
 */
export async function startEmbeddedServer(o: {
  readonly dataDirectory: string;
  readonly random: Random;
  readonly share: boolean;
  /** Called when the owner's connection broke; the server is being restarted. */
  readonly onLost?: () => void;
}): Promise<EmbeddedServer> {
  const place = await preparePlace(o.dataDirectory);
  const password = await readOrCreatePrivateFile(join(o.dataDirectory, 'postgres-password'), () =>
    Buffer.from(o.random.bytes(24)).toString('base64url'),
  );
  await ensureCluster(place, password);
  const owner = {
    host: place.socketDirectory,
    port: SOCKET_PORT,
    user: DATABASE_USER,
    password,
    database: DATABASE,
  };

  const watchdog = new Watchdog(place, o.dataDirectory);
  let child: ChildProcess | null = null;
  let held: pg.Client | null = null;
  let recovery: Promise<void> = Promise.resolve();
  let stopped: Promise<void> | null = null;
  const stopping = new AbortController();

  async function acquire(share: boolean): Promise<pg.Client | null> {
    const startedAt = performance.now();
    let launchedAt = Number.NEGATIVE_INFINITY;
    while (stopped === null) {
      const ownership = await claim(owner);
      if (ownership.kind === 'owner') return ownership.session;
      if (ownership.kind === 'guest' && share) return null;
      const waitedMs = performance.now() - startedAt;
      if (ownership.kind === 'guest' && waitedMs > BUSY_DEADLINE_MS) throw new DataDirectoryInUseError();
      if (waitedMs > START_DEADLINE_MS) {
        child?.kill('SIGQUIT');
        throw new Error(`PostgreSQL did not start: ${await logTail(place)}`);
      }
      if (
        ownership.kind === 'unreachable' &&
        (child === null || child.exitCode !== null || child.signalCode !== null) &&
        performance.now() - launchedAt > RELAUNCH_MS
      ) {
        launchedAt = performance.now();
        child = await launchServer(place);
        child.on('error', () => undefined);
      }
      await sleep(POLL_MS);
    }
    return null;
  }

  /** Keeps the ownership, and the server running, for as long as this process runs. */
  async function own(session: pg.Client): Promise<void> {
    held = session;
    session.once('end', () => {
      held = null;
      if (stopped !== null) return;
      o.onLost?.();
      recovery = recover();
    });
    await watchdog.start();
  }

  async function recover(): Promise<void> {
    // Unready until it is back; its log has the reason. Retries go on, as a full disk may be emptied hours later.
    for (let waitMs = FIRST_RETRY_MS; stopped === null; waitMs = Math.min(2 * waitMs, LAST_RETRY_MS)) {
      const session = await acquire(false).catch(() => null);
      if (session !== null) return own(session);
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const session = await acquire(o.share);
  if (session !== null) await own(session);
  const target = servingTarget(owner);
  await asOwner(owner, (client) => client.query(MAKE_SERVING_ROLE(target))).catch((error: unknown) =>
    stop().then(() => Promise.reject(error)),
  );
  const scrubber = new Scrubber();
  return { target, owner, isOwner: session !== null, scrub, stop };

  function scrub(nowMs?: number): Promise<void> {
    return asOwner(owner, (client) => scrubber.scrub(client, nowMs));
  }

  function stop(): Promise<void> {
    stopping.abort();
    stopped ??= release();
    return stopped;
  }

  async function release(): Promise<void> {
    await recovery;
    const session = held;
    // Without the ownership we still stop a server that we launched and that is only starting.
    const launched = child !== null && (await serverPid(place)) === child.pid;
    if (session !== null || launched) await stopServer(place);
    if (session !== null) await watchdog.end();
    await session?.end().catch(() => undefined);
  }
}

/** Makes the role that serves, as a cluster of an earlier edition lacks it, or makes it again what it must be. */
const MAKE_SERVING_ROLE = ({ user, password, database }: EmbeddedTarget) => `
SELECT pg_advisory_xact_lock(${ROLE_LOCK});
DO $$ BEGIN
  IF to_regrole('${user}') IS NULL THEN
    CREATE ROLE ${user};
    REVOKE ALL ON DATABASE ${database} FROM PUBLIC;
    GRANT CONNECT ON DATABASE ${database} TO ${user};
  END IF;
END $$;
ALTER ROLE ${user} LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB NOBYPASSRLS NOREPLICATION PASSWORD '${password}'`;

async function asOwner<T>(owner: EmbeddedTarget, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...owner, application_name: 'svc-owner' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function claim(target: pg.ClientConfig): Promise<Ownership> {
  const session = new pg.Client({ ...target, connectionTimeoutMillis: 2_000, application_name: 'svc-owner' });
  session.on('error', () => undefined);
  try {
    await session.connect();
    const result = await session.query<{ owned: boolean }>('SELECT pg_try_advisory_lock($1) AS owned', [OWNER_LOCK]);
    if (result.rows[0]?.owned === true) return { kind: 'owner', session };
    await session.end();
    return { kind: 'guest' };
  } catch (error) {
    await session.end().catch(() => undefined);
    if (error instanceof Error && 'code' in error && error.code === '28P01') {
      throw new Error('the database of this data directory has another password than its password file');
    }
    return { kind: 'unreachable' };
  }
}

/** Fast shutdown (ends sessions, rolls back their work); immediate shutdown if that takes too long. */
async function stopServer(place: Place): Promise<void> {
  const pid = await serverPid(place);
  if (pid === null) return;
  process.kill(pid, 'SIGINT');
  for (let waitedMs = 0; (await serverPid(place)) === pid; waitedMs += POLL_MS) {
    if (waitedMs === STOP_DEADLINE_MS) process.kill(pid, 'SIGQUIT');
    await sleep(POLL_MS);
  }
}
