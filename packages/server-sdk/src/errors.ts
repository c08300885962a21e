import type { ErrorCode, FieldError } from '@svc/protocol';

const marker = Symbol.for('svc.server-sdk.error');

/** Statuses after which the same request may succeed later; a `Retry-After` says so for any other. */
const RETRYABLE = new Set([429, 500, 502, 503, 504]);

/** True when the same request may succeed later without a change. */
export function isRetryableAnswer(status: number, hasRetryAfter: boolean): boolean {
  return hasRetryAfter || RETRYABLE.has(status);
}

/** What a problem of the service says (RFC 9457), as far as this client reads it. */
export interface ApiProblem {
  readonly status: number;
  /** A service that is newer than this client may answer codes that are not in the union. */
  readonly code: ErrorCode;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
  readonly measured?: number;
  readonly limit?: number;
  /** With `secret-already-issued`: what the earlier request made. */
  readonly resourceId?: string;
}

/** The service refused: decide by `code`, quote `requestId` when you ask. Carries nothing that was sent. */
export class SvcApiError extends Error {
  override readonly name = 'SvcApiError';
  readonly [marker] = 'api';
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string;
  /** The same request may succeed later without a change. */
  readonly retryable: boolean;
  /** Milliseconds that the service asks to wait; null where it does not say. */
  readonly retryAfterMs: number | null;
  /** Which fields and parameters break their rule. */
  readonly errors: readonly FieldError[];
  readonly problem: ApiProblem;

  constructor(problem: ApiProblem, retryAfterMs: number | null) {
    super(`${problem.code}: ${problem.detail}`);
    this.problem = problem;
    this.code = problem.code;
    this.status = problem.status;
    this.requestId = problem.requestId;
    this.errors = problem.errors ?? [];
    this.retryAfterMs = retryAfterMs;
    this.retryable = isRetryableAnswer(problem.status, retryAfterMs !== null);
  }
}

/** Why no answer of the service came: `connection-failed`, `timed-out`, or an answer of somebody else in between. */
export type ConnectionFailure = 'connection-failed' | 'timed-out' | 'unrecognised-answer';

/**
 * The service's answer was not received. Whether the request was carried out is not known; repeating it with the same
 * `idempotencyKey` is safe.
 */
export class SvcConnectionError extends Error {
  override readonly name = 'SvcConnectionError';
  readonly [marker] = 'connection';
  readonly code: ConnectionFailure;
  /** Of an answer that is not the service's; null when none came. */
  readonly status: number | null;
  readonly retryable: boolean;

  constructor(code: ConnectionFailure, o: { readonly status?: number; readonly cause?: unknown } = {}) {
    super(o.status === undefined ? code : `${code}: status ${o.status}`, { cause: o.cause });
    this.code = code;
    this.status = o.status ?? null;
    this.retryable = o.status === undefined || isRetryableAnswer(o.status, false);
  }
}

const isMarked = (error: unknown, kind: string): boolean =>
  typeof error === 'object' && error !== null && marker in error && error[marker] === kind;

/** True for a {@link SvcApiError} of any copy of this package. */
export function isSvcApiError(error: unknown): error is SvcApiError {
  return isMarked(error, 'api');
}

/** True for a {@link SvcConnectionError} of any copy of this package. */
export function isSvcConnectionError(error: unknown): error is SvcConnectionError {
  return isMarked(error, 'connection');
}
