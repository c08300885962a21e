import { setTimeout as pause } from 'node:timers/promises';
import { parseCronItems, type Runner, Logger as RunnerLogger, run, type TaskList } from 'graphile-worker';
import pg from 'pg';
import type { DatabaseTarget } from '../db/connection.ts';

/** Work that comes round. Any number of nodes offer it; one of them does it each time. */
export interface RecurringJob {
  /** Lower-case letters and hyphens. */
  readonly name: string;
  /** Five fields of cron, UTC. */
  readonly schedule: string;
  /** May be run twice at once and again after a crash in the middle: what it does has to bear that. */
  run(): Promise<unknown>;
}

export interface JobRunner {
  /** Takes no more jobs and waits for those at work, for as long as the grace is. */
  stop(graceMs: number): Promise<void>;
}

export interface JobRunnerParts {
  readonly target: DatabaseTarget;
  readonly jobs: readonly RecurringJob[];
  /** @param job null for the runner itself; it goes on by itself */
  readonly onError: (job: string | null, error: unknown) => void;
  readonly onDone: (job: string) => void;
}

/** One to listen, one for each job at work to report by. The jobs' own statements go through the service's pool. */
const CONNECTIONS = 3;
const JOBS_AT_ONCE = 2;
const ATTEMPTS = 3;
const RESTART_MS = 5_000;

/** What a job's row may say of a failure: messages of drivers quote their input. */
class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
}

function openPool(target: DatabaseTarget, onError: (error: unknown) => void): pg.Pool {
  const pool = new pg.Pool({
    ...target,
    max: CONNECTIONS,
    application_name: 'svc-jobs',
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
  });
  // Without these a connection that breaks while nobody uses it would end the process.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/** Starts the jobs: each once at the start and then by its schedule, on this node or on another. */
export function startJobRunner(o: JobRunnerParts): JobRunner {
  const pool = openPool(o.target, (error) => o.onError(null, error));
  const stopping = new AbortController();
  let runner: Runner | null = null;

  const taskList: TaskList = {};
  for (const job of o.jobs) {
    taskList[job.name] = async () => {
      try {
        await job.run();
        o.onDone(job.name);
      } catch (error) {
        o.onError(job.name, error);
        throw new JobFailedError(job.name);
      }
    };
  }
  // One row a job: what is waiting is replaced, so that nothing piles up while no node runs any.
  const options = (name: string) => ({ jobKey: name, jobKeyMode: 'replace' as const, maxAttempts: ATTEMPTS });
  const parsedCronItems = () =>
    parseCronItems(o.jobs.map(({ name, schedule }) => ({ task: name, match: schedule, options: options(name) })));

  async function runOnce(): Promise<void> {
    runner = await run({
      pgPool: pool,
      taskList,
      parsedCronItems: parsedCronItems(),
      concurrency: JOBS_AT_ONCE,
      noHandleSignals: true,
      // A pooler in transaction mode may not carry them.
      noPreparedStatements: true,
      // Its messages quote errors; what has to be known comes through onError.
      logger: new RunnerLogger(() => () => {}),
    });
    const { promise, addJob } = runner;
    try {
      if (stopping.signal.aborted) await runner.stop();
      else for (const { name } of o.jobs) await addJob(name, {}, options(name));
    } finally {
      await promise;
    }
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runOnce().catch((error: unknown) => o.onError(null, error));
      runner = null;
      await pause(RESTART_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const running = keepRunning();

  return {
    async stop(graceMs) {
      stopping.abort();
      await runner?.stop().catch(() => undefined);
      const graceOver = new AbortController();
      await Promise.race([running, pause(graceMs, undefined, { signal: graceOver.signal }).catch(() => undefined)]);
      graceOver.abort();
      await pool.end();
    },
  };
}
