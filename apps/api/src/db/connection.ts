import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import knexFactory from 'knex';
import pg from 'pg';
import type { Metrics } from '../metrics/metrics.ts';
import { sqlState } from '../platform/errors.ts';
import { inSpan } from '../tracing/span.ts';
import { type PreparingConnection, prepareStatements, StatementNames } from './prepared-statements.ts';

export { sqlState } from '../platform/errors.ts';

/** Opaque to services, which only pass it from {@link Database.transaction} to stores. */
export type Transaction = Knex.Transaction;
/** Further work in an effect's transaction: it gets the result, and both are committed or neither. */
export type InTransaction<T> = (tx: Transaction, result: T) => Promise<void>;
/** Where a store runs its queries: the pool, or a service's transaction. */
export type Connection = Knex;

/** Address of PostgreSQL, or the socket folder of the embedded server. */
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
  /** Connections of this process; default 10. */
  readonly poolSize?: number;
  readonly metrics?: Pick<Metrics, 'transactionFinished'>;
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
  /** Connections of this process, and the length of the queue for them. */
  pool(): { readonly used: number; readonly free: number; readonly waiting: number };
  close(): Promise<void>;
}

const TRANSACTION_SPAN = { kind: 'client', attributes: { 'db.system.name': 'postgresql' } } as const;
const INT8_OID = 20;
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

/** Creates a pool; connects at the first query. The owner closes it. */
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
    // Prevents knex from printing warnings; failures reach the caller as errors.
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
