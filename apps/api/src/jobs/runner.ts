import { setTimeout as pause } from 'node:timers/promises';
import type { Metrics } from '../metrics/metrics.ts';
import type { Clock, Ids } from '../platform/ports.ts';
import { inSpan } from '../tracing/span.ts';
import type { JobStore, TakenJob } from './store.ts';

/** Periodic work. Every node may run it; one node takes each run. */
export interface RecurringJob {
  /** Lower-case letters and hyphens. */
  readonly name: string;
  /** From the end of a run to the next. */
  readonly everyMs: number;
  /** Whether a node that starts is due to run it at once. */
  readonly atStart?: boolean;
  /** How long it waits, after a time without the service, for what the service missed. */
  readonly waitsAfterOutageMs?: number;
  /** Whether it waits for others than the database: it keeps no other job waiting. */
  readonly isSlow?: boolean;
  /** Must be idempotent: after a crash it is repeated, and after a lost lease two runs may overlap. */
  run(): Promise<unknown>;
}

export interface JobRunnerParts {
  readonly store: JobStore;
  readonly jobs: readonly RecurringJob[];
  readonly ids: Pick<Ids, 'nextUuid'>;
  readonly clock: Clock;
  /** @param job null for an error before a job was chosen */
  readonly onError: (job: string | null, error: unknown) => void;
  readonly onDone: (job: string) => void;
}

const POLL_MS = 2_000;
/** If a node crashes, its job is blocked for this long. A live node extends the lease while it works. */
const LEASE_MS = 60_000;
const EXTEND_MS = 20_000;
/** Pause after a failed run, unless the next run is due earlier. */
const RETRY_MS = 60_000;
/** A job that is this late was due while no node had its database. */
const OUTAGE_MS = 120_000;

/** Runs due jobs, one at a time. Needs no dedicated connection and only single-statement transactions. */
export class JobRunner {
  readonly #o: JobRunnerParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #taken: TakenJob | null = null;

  constructor(parts: JobRunnerParts) {
    this.#o = parts;
  }

  start(): void {
    this.#running = this.#loop();
  }

  /**
   * Stops taking jobs and waits for the current one, for at most `graceMs`. A job that takes longer is released, so
   * that another node need not wait for the end of the lease.
   */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const grace = new AbortController();
    await Promise.race([this.#running, pause(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
    grace.abort();
    if (this.#taken !== null) await this.#o.store.handBack(this.#taken, this.#in(0));
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stopping;
    let isRegistered = false;
    while (!signal.aborted) {
      try {
        if (!isRegistered) await this.#register();
        isRegistered = true;
        if (await this.#runNext()) continue;
      } catch (error) {
        this.#o.onError(null, error);
      }
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #register(): Promise<void> {
    return this.#o.store.register(this.#o.jobs, this.#in(0));
  }

  /** @returns whether a job was due */
  async #runNext(): Promise<boolean> {
    const { store, jobs, ids } = this.#o;
    const names = jobs.map(({ name }) => name);
    const taken = await store.take(names, ids.nextUuid(), this.#in(0), this.#in(LEASE_MS));
    const job = jobs.find(({ name }) => name === taken?.name);
    if (taken === null || job === undefined) return false;
    // Stopped while it was taken: another node begins it.
    if (this.#stopping.signal.aborted) {
      await store.handBack(taken, this.#in(0));
      return false;
    }
    this.#taken = taken;
    const extending = setInterval(() => this.#extend(taken), EXTEND_MS);
    try {
      const isAfterOutage = taken.lastDoneAt === null || taken.dueAt <= this.#in(-OUTAGE_MS);
      const waitMs = isAfterOutage ? job.waitsAfterOutageMs : undefined;
      if (waitMs === undefined) await job.run();
      await store.done(taken, this.#in(0), this.#in(waitMs ?? job.everyMs));
      this.#o.onDone(job.name);
    } catch (error) {
      this.#o.onError(job.name, error);
      await store.failed(taken, this.#in(Math.min(job.everyMs, RETRY_MS)));
    } finally {
      clearInterval(extending);
      this.#taken = null;
    }
    return true;
  }

  #extend(taken: TakenJob): void {
    this.#o.store.extend(taken, this.#in(LEASE_MS)).catch((error: unknown) => this.#o.onError(taken.name, error));
  }

  #in(ms: number): Date {
    return new Date(this.#o.clock.now() + ms);
  }
}

/** Times a job's runs and traces each with a span. */
export function observeJob(job: RecurringJob, metrics: Pick<Metrics, 'jobKnown' | 'jobFinished'>): RecurringJob {
  metrics.jobKnown(job.name);
  const run = async () => {
    const startedAt = performance.now();
    let outcome: 'completed' | 'failed' = 'failed';
    try {
      const result = await inSpan(`job ${job.name}`, {}, () => job.run());
      outcome = 'completed';
      return result;
    } finally {
      metrics.jobFinished({ job: job.name, outcome, seconds: (performance.now() - startedAt) / 1_000 });
    }
  };
  return { ...job, run };
}
