import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import knexFactory from 'knex';
import pg from 'pg';
import type { Metrics } from '../metrics/metrics.ts';
import { sqlState } from '../platform/errors.ts';
import { inSpan } from '../tracing/span.ts';
import { type PreparingConnection, prepareStatements, StatementNames } from './prepared-statements.ts';

export { sqlState } from '../platform/errors.ts';

/** Opaque to services: they pass it on from {@link Database.transaction} to stores and do nothing else with it. */
export type Transaction = Knex.Transaction;
/** What else belongs into the transaction of an effect: it is given the result, and both commit or neither does. */
export type InTransaction<T> = (tx: Transaction, result: T) => Promise<void>;
/** What a store runs its queries on: the pool, or a transaction that a service holds. */
export type Connection = Knex;

/** Where PostgreSQL is: an address, or the socket folder of the embedded server. */
export type DatabaseTarget =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

export interface DatabaseOptions {
  readonly target: DatabaseTarget;
  /** Connections of this process; 10 by default. */
  readonly poolSize?: number;
  readonly metrics?: Pick<Metrics, 'transactionFinished'>;
}

/** One pool of connections, and transactions on it. */
export interface Database {
  readonly connection: Connection;
  /**
   * READ COMMITTED. Commits when `work` resolves, rolls back when it rejects; resolves only after COMMIT was confirmed.
   * Runs `work` again when PostgreSQL chose it as a deadlock's or a serialisation conflict's victim, so it must have no
   * other effects.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** True while so much waits for a connection that new work is better turned away. */
  isSaturated(): boolean;
  /** Connections of this process, and what waits for one. */
  pool(): { readonly used: number; readonly free: number; readonly waiting: number };
  close(): Promise<void>;
}

const TRANSACTION_SPAN = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;
const INT8_OID = 20;
const MAX_ATTEMPTS = 4;
const DEFAULT_POOL_SIZE = 10;
/**
 * Statements take milliseconds: what waits longer than this many turns of the pool waits for a database that does not
 * answer.
 */
const MAX_WAITING_PER_CONNECTION = 50;
const RETRYABLE = new Set(['40001', '40P01']);
/**
 * A victim's locks are free before those who waited for them have woken: run again at once, it takes them anew and
 * meets the same transaction in the same order. So it waits first, as long as a statement takes under load, drawn anew
 * so that two victims part.
 */
const RETRY_PAUSE_MS = { least: 5, most: 50 };

/** Versions and counts fit a double; node-postgres would hand them out as strings. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8_OID && format !== 'binary'
      ? Number
      : format === 'binary'
        ? pg.types.getTypeParser(oid, 'binary')
        : pg.types.getTypeParser(oid, 'text')) as typeof pg.types.getTypeParser,
};

/** The part of knex's pool that tells how long the queue before it is. */
interface PoolQueue {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** As {@link Database.transaction}; traced and timed. */
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

/** Opens a pool; nothing is connected before the first query. The owner closes it. */
export function openDatabase(options: DatabaseOptions): Database {
  const poolSize = options.poolSize ?? DEFAULT_POOL_SIZE;
  const names = new StatementNames();
  const connection = knexFactory({
    client: 'pg',
    connection: {
      ...options.target,
      types,
      application_name: 'svc-api',
      keepAlive: true,
      connectionTimeoutMillis: 3_000,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: 60_000,
    } as Knex.PgConnectionConfig,
    pool: {
      min: 0,
      max: poolSize,
      afterCreate(made: PreparingConnection, done: (error: unknown, made: PreparingConnection) => void) {
        prepareStatements(made, names).then(
          () => done(null, made),
          (error: unknown) => done(error, made),
        );
      },
    },
    acquireConnectionTimeout: 5_000,
    // Knex warns on the console by itself otherwise; what matters reaches the caller as an error.
    log: { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} },
  });
  return {
    connection,
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
    close: () => connection.destroy(),
  };
}
