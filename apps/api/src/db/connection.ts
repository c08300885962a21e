import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import knexFactory, { type Knex } from 'knex';
import pg from 'pg';
import { serverAddresses } from '../config/address.ts';
import { openingFiles } from '../config/start-error.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { sqlState } from '../platform/errors.ts';
import { inSpan } from '../tracing/span.ts';
import { Primary, type Server } from './primary.ts';

/** More than the service uses; bounds the server's memory if a statement's text varies with data. */
const MOST_NAMES = 300;
/**
 * A migration that adds a column changes the result of such a statement, and PostgreSQL then rejects the prepared one.
 */
const ALL_COLUMNS = /[\s,.]\*(?=[\s,]|$)/;

/** Names for frequent statements, which are then parsed and planned per connection instead of per request. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** @returns null for a statement that stays unnamed */
  of(text: string): string | null {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    if (this.#names.size >= MOST_NAMES || ALL_COLUMNS.test(text)) return null;
    const name = `svc_${createHash('sha256').update(text).digest('base64url').slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }
}

interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** The used part of a node-postgres connection. */
export interface PreparingConnection {
  /** As sent by the server at connection start. */
  readonly processID?: number | null;
  query: (statement: never, ...rest: never[]) => unknown;
}

/**
 * Makes a new connection prepare its statements, if it is a session. A pooler in transaction mode reports a process id
 * of its own and sends each transaction to any free server process, where nothing was prepared.
 * @param pid of the process that answered its first query
 */
export function prepareStatements(connection: PreparingConnection, names: StatementNames, pid: number): void {
  if (pid !== connection.processID) return;
  const query = connection.query.bind(connection) as (statement: string | Statement, ...rest: unknown[]) => unknown;
  const named = (statement: string | Statement, ...rest: unknown[]) => {
    const hasValues = typeof statement === 'object' && statement.values !== undefined && statement.values.length > 0;
    const name = hasValues ? names.of(statement.text) : null;
    return query(name === null ? statement : Object.assign({ name }, statement), ...rest);
  };
  connection.query = named as PreparingConnection['query'];
}

export { couldNotConnect } from './primary.ts';

/** Opaque to services, which only pass it from {@link Database.transaction} to stores. */
export type Transaction = Knex.Transaction;
/** Further work in an effect's transaction: it gets the result, and both are committed or neither. */
export type InTransaction<T> = (tx: Transaction, result: T) => Promise<void>;
/** Where a store runs its queries: the pool, or a service's transaction. */
export type Connection = Knex;

/** A file with a password, and the setting that names it. */
export interface PasswordFile {
  readonly path: string;
  readonly setting: string;
}

/** Address of PostgreSQL, or the socket folder of the embedded server. */
export type DatabaseTarget =
  | {
      /** May name several servers, of which one takes writes. */
      readonly connectionString: string;
      /** Read at each connection; wins over the address's password. */
      readonly passwordFile?: PasswordFile | undefined;
    }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

/** The role that owns a database's tables, and the setting that an operator gives its address by. */
export interface DatabaseOwner {
  readonly target: DatabaseTarget;
  readonly setting: string;
}

export interface DatabaseOptions {
  readonly target: DatabaseTarget;
  /** Connections of this process; default 10. */
  readonly poolSize?: number;
  readonly metrics?: Pick<Metrics, 'transactionFinished'>;
  /** Called when another server was promoted and is used from now on. */
  readonly onMoved?: () => void;
}

/** A connection pool with transactions. */
export type Database = ReturnType<typeof openDatabase>;

const TRANSACTION_SPAN = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;
const INT8_OID = 20;
const TAKES_WRITES = "SELECT current_setting('transaction_read_only') = 'off' AS writes";
const ANSWER_MS = 2_000;
const MAX_ATTEMPTS = 4;
const DEFAULT_POOL_SIZE = 10;
/** Statements take milliseconds: a longer queue per connection means that the database does not answer. */
const MAX_WAITING_PER_CONNECTION = 50;
const RETRYABLE = new Set(['40001', '40P01']);
/**
 * Pause before a deadlock's victim is run again. Its locks are released before the waiting transaction wakes: without a
 * pause it would take them again and run into the same deadlock. Random, so that two victims do not collide.
 */
const RETRY_PAUSE_MS = { least: 5, most: 50 };

/** Versions and counts fit a double; node-postgres would return them as strings. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID && format !== 'binary'
      ? Number
      : format === 'binary'
        ? pg.types.getTypeParser(oid, 'binary')
        : pg.types.getTypeParser(oid, 'text')) as typeof pg.types.getTypeParser,
};

/** The queue length of knex's pool. */
interface PoolQueue {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** {@link Database.transaction}, traced and timed. */
function runTransaction<T>(
  connection: Connection,
  metrics: DatabaseOptions['metrics'],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let retries = 0;
  let outcome: 'committed' | 'rolled-back' = 'rolled-back';
  return inSpan('database.transaction', TRANSACTION_SPAN, async () => {
    for (; ; retries += 1) {
      try {
        const result = await connection.transaction(work, { isolationLevel: 'read committed' });
        outcome = 'committed';
        return result;
      } catch (error) {
        if (retries + 1 >= MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      }
      await pause(RETRY_PAUSE_MS.least + Math.random() * (RETRY_PAUSE_MS.most - RETRY_PAUSE_MS.least));
    }
  }).finally(() => {
    metrics?.transactionFinished({ outcome, seconds: (performance.now() - startedAt) / 1_000, retries });
  });
}

const SESSION = {
  types,
  application_name: 'svc-api',
  keepAlive: true,
  // Linux would wait for two hours. Node.js then asks ten times, a second apart.
  keepAliveInitialDelayMillis: 10_000,
  connectionTimeoutMillis: 3_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
} satisfies pg.ClientConfig;

function serversOf(target: DatabaseTarget): Server[] {
  if (!('connectionString' in target)) return [async () => new pg.Client({ ...SESSION, ...target })];
  const { connectionString, passwordFile } = target;
  return (serverAddresses(connectionString) ?? [connectionString]).map((address) => async () => {
    if (passwordFile === undefined) return new pg.Client({ ...SESSION, connectionString: address });
    const { path, setting } = passwordFile;
    const password = encodeURIComponent((await openingFiles(setting, () => readFile(path, 'utf8'))).trim());
    // As a parameter it wins over the one before the host.
    const and = address.includes('?') ? '&' : '?';
    return new pg.Client({ ...SESSION, connectionString: `${address}${and}password=${password}` });
  });
}

/** Creates a pool; connects at the first query. The owner closes it. */
export function openDatabase(options: DatabaseOptions) {
  const poolSize = options.poolSize ?? DEFAULT_POOL_SIZE;
  const names = new StatementNames();
  const primary = new Primary(serversOf(options.target), options.onMoved ?? (() => undefined));
  const connection = knexFactory({
    client: 'pg',
    connection: {},
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: 5_000,
    // Prevents knex from printing warnings; failures reach the caller as errors.
    log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
  });
  Object.assign(connection.client as object, {
    async acquireRawConnection() {
      const { client, pid } = await primary.open();
      prepareStatements(client, names, pid);
      return client;
    },
  });
  async function takesWrites(): Promise<boolean> {
    const { rows } = await connection.raw<{ rows: { writes: boolean }[] }>(TAKES_WRITES).timeout(ANSWER_MS);
    const isSo = rows[0]?.writes === true;
    // A pooler keeps our connections when its own go to a server that was demoted.
    if (!isSo) primary.retire();
    return isSo;
  }
  return {
    connection,
    /** Whether it answers within two seconds and takes writes. Never throws. */
    async answers(): Promise<boolean> {
      const over = new AbortController();
      // Knex's own limit begins when the query has a connection.
      const late = pause(ANSWER_MS, false, { signal: over.signal }).catch(() => false);
      const answer = await Promise.race([takesWrites().catch(() => false), late]);
      over.abort();
      return answer;
    },
    /**
     * READ COMMITTED. Commits when `work` resolves, rolls back when it rejects; resolves only after COMMIT was confirmed.
     * Runs `work` again after a deadlock or a serialisation failure, so it must have no other effects.
     */
    transaction: <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
      runTransaction(connection, options.metrics, work),
    /** True while the queue for connections is so long that new work should be rejected. */
    isSaturated(): boolean {
      const { pool } = connection.client as { readonly pool?: PoolQueue };
      return pool !== undefined && pool.numPendingAcquires() >= poolSize * MAX_WAITING_PER_CONNECTION;
    },
    /** Connections of this process, and the length of the queue for them. */
    pool(): { readonly used: number; readonly free: number; readonly waiting: number } {
      const { pool } = connection.client as { readonly pool?: PoolQueue };
      if (pool === undefined) return { used: 0, free: 0, waiting: 0 };
      return { used: pool.numUsed(), free: pool.numFree(), waiting: pool.numPendingAcquires() };
    },
    close(): Promise<void> {
      primary.close();
      return connection.destroy();
    },
  };
}
