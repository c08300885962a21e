import type { ErrorCode } from '@svc/protocol';
import type { Readiness } from '../features/health/readiness.ts';

/** One HTTP exchange: the route's pattern, never the path. */
export interface RequestMeasure {
  readonly method: string;
  /** Null when no route matched. */
  readonly route: string | null;
  readonly status: number;
  /** Code of the answered problem. */
  readonly code: ErrorCode | null;
  readonly seconds: number;
}

/** An inference thread's time for one photo, in milliseconds. */
export interface StageTimings {
  readonly decodeMs: number;
  readonly analyseMs: number;
  readonly sealMs: number;
}

export type SyncKind = 'unchanged' | 'delta' | 'snapshot' | 'wipe';

/**
 * Counts and durations. Names passed here become labels: constants from the code, never identifiers of accounts, lists,
 * devices or people.
 */
export interface Metrics {
  /** A connection above the limit was refused. */
  connectionRefused(): void;
  requestStarted(): void;
  requestFinished(request: RequestMeasure): void;
  /** The inference queue was full. */
  inferenceRefused(): void;
  /** @param outcome `sealed`, the photo's error, `overloaded` or `failed`; `seconds` include the wait for a thread */
  inferenceFinished(task: {
    readonly outcome: string;
    readonly seconds: number;
    readonly timings?: StageTimings;
  }): void;
  /** @param retries number of repetitions because of deadlocks or conflicts */
  transactionFinished(transaction: {
    readonly outcome: 'committed' | 'rolled-back';
    readonly seconds: number;
    readonly retries: number;
  }): void;
  syncAnswered(kind: SyncKind): void;
  /** A kind of job that this node may run: counted from zero. */
  jobKnown(job: string): void;
  jobFinished(job: { readonly job: string; readonly outcome: 'completed' | 'failed'; readonly seconds: number }): void;
  /** @param outcome `delivered`, or how the attempt failed */
  deliveryAttempted(attempt: { readonly outcome: string; readonly seconds: number }): void;
  /** A delivery ran out of attempts. */
  deliveryDied(): void;
  /** Of people past their date. @param delays seconds from that date until each was deleted */
  peopleExpired(delays: readonly number[]): void;
  /** @param outcome what became of the recipient; `server` for trouble of the mail server itself */
  mailFinished(mail: { readonly outcome: string; readonly seconds: number }): void;
}

/** Values read on request. */
export interface Gauges {
  readonly readiness: Pick<Readiness, 'lack' | 'startSeconds'>;
  /** Places in the inference queue: total, taken, and photos waiting for a thread. */
  inference(): { readonly places: number; readonly taken: number; readonly waiting: number };
  /** Connections of the pool, and the length of the queue for them. */
  databasePool(): { readonly used: number; readonly free: number; readonly waiting: number };
}
