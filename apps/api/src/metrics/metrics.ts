import type { ErrorCode } from '@svc/protocol';

/** One HTTP exchange, by what the code names: the route's pattern, never the path. */
export interface RequestMeasure {
  readonly method: string;
  /** Null where no route took the request. */
  readonly route: string | null;
  readonly status: number;
  /** Of the problem that was answered. */
  readonly code: ErrorCode | null;
  readonly seconds: number;
}

/** What an inference thread spent on one photo, in milliseconds. */
export interface StageTimings {
  readonly decodeMs: number;
  readonly analyseMs: number;
  readonly sealMs: number;
}

export type SyncKind = 'unchanged' | 'delta' | 'snapshot' | 'wipe';

/**
 * Counts and durations of what happens. A name that is given here becomes a label: it is one that the code chooses out
 * of a few, never an identifier of an account, a list, a device or a person.
 */
export interface Metrics {
  /** More connections were open than this node may have. */
  connectionRefused(): void;
  requestStarted(): void;
  requestFinished(request: RequestMeasure): void;
  /** Every place in the inference queue was taken. */
  inferenceRefused(): void;
  /** @param outcome `sealed`, what the photo lacked, `overloaded` or `failed`; `seconds` with the wait for a thread */
  inferenceFinished(task: {
    readonly outcome: string;
    readonly seconds: number;
    readonly timings?: StageTimings;
  }): void;
  /** @param retries how often a deadlock or a conflict made it run again */
  transactionFinished(transaction: {
    readonly outcome: 'committed' | 'rolled-back';
    readonly seconds: number;
    readonly retries: number;
  }): void;
  syncAnswered(kind: SyncKind): void;
  /** @param job name of the kind of job */
  jobFinished(job: { readonly job: string; readonly outcome: 'completed' | 'failed'; readonly seconds: number }): void;
  /** @param outcome `delivered`, or how the attempt failed */
  deliveryAttempted(attempt: { readonly outcome: string; readonly seconds: number }): void;
  /** A delivery was given up. */
  deliveryDied(): void;
}

/** What is looked at whenever somebody asks. */
export interface Gauges {
  /** Places in the inference queue: how many there are, how many are taken, and how many photos wait for a thread. */
  inference(): { readonly places: number; readonly taken: number; readonly waiting: number };
  /** Connections of the pool, and transactions and queries that wait for one. */
  databasePool(): { readonly used: number; readonly free: number; readonly waiting: number };
}
