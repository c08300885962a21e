import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import knexFactory from 'knex';
import pg from 'pg';
import { openingFiles } from '../config/start-error.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { sqlState } from '../platform/errors.ts';
import { inSpan } from '../tracing/span.ts';
import { serverAddresses } from './address.ts';
import { prepareStatements, StatementNames } from './prepared-statements.ts';
import { Primary, type Server } from './primary.ts';

export { sqlState } from '../platform/errors.ts';
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

export interface DatabaseOptions {
  readonly target: DatabaseTarget;
  /** Connections of this process; default 10. */
  readonly poolSize?: number;
  readonly metrics?: Pick<Metrics, 'transactionFinished'>;
  /** Called when another server was promoted and is used from now on. */
  readonly onMoved?: () => void;
}

/** A connection pool with transactions. */
export interface Database {
  readonly connection: Connection;
  /**
   * READ COMMITTED. Commits when `work` resolves, rolls back when it rejects; resolves only after COMMIT was confirmed.
   * Runs `work` again after a deadlock or a serialisation failure, so it must have no other effects.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** True while the queue for connections is so long that new work should be rejected. */
  isSaturated(): boolean;
  /** Whether it answers within two seconds and takes writes. Never throws. */
  answers(): Promise<boolean>;
  /** Connections of this process, and the length of the queue for them. */
  pool(): { readonly used: number; readonly free: number; readonly waiting: number };
  close(): Promise<void>;
}

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
export function openDatabase(options: DatabaseOptions): Database {
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
    async answers() {
      const over = new AbortController();
      // Knex's own limit begins when the query has a connection.
      const late = pause(ANSWER_MS, false, { signal: over.signal }).catch(() => false);
      const answer = await Promise.race([takesWrites().catch(() => false), late]);
      over.abort();
      return answer;
    },
    transaction: (work) => runTransaction(connection, options.metrics, work),
    isSaturated() {
      const { pool } = connection.client as { readonly pool?: PoolQueue };
      return pool !== undefined && pool.numPendingAcquires() >= poolSize * MAX_WAITING_PER_CONNECTION;
    },
    pool() {
      const { pool } = connection.client as { readonly pool?: PoolQueue };
      if (pool === undefined) return { used: 0, free: 0, waiting: 0 };
      return { used: pool.numUsed(), free: pool.numFree(), waiting: pool.numPendingAcquires() };
    },
    close() {
      primary.close();
      return connection.destroy();
    },
  };
}
