import type { ErrorCode, FieldError, ImageFault } from '@svc/protocol';

const marker = Symbol.for('svc.server-sdk.error');

/** Retryable statuses; any other status is retryable with `Retry-After`. */
const RETRYABLE = new Set([429, 500, 502, 503, 504]);

/** True if the unchanged request may succeed later. */
export function isRetryableAnswer(status: number, hasRetryAfter: boolean): boolean {
  return hasRetryAfter || RETRYABLE.has(status);
}

/** The fields of a problem (RFC 9457) that this client reads. */
export interface ApiProblem {
  readonly status: number;
  /** A newer service may answer codes that are not in the union. */
  readonly code: ErrorCode;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  readonly errors?: readonly FieldError[];
  /** With `image-invalid` and `logo-invalid`: why the picture cannot be read. */
  readonly reason?: ImageFault;
  /** The number that misses `limit`; with the reason `format`, the media type of the picture. */
  readonly measured?: number | string;
  readonly limit?: number;
  /** With `secret-already-issued`: the resource that the earlier request created. */
  readonly resourceId?: string;
}

/** The service refused the request: branch on `code`, quote `requestId` to support. Contains nothing that was sent. */
export class SvcApiError extends Error {
  override readonly name = 'SvcApiError';
  readonly [marker] = 'api';
  readonly code: ErrorCode;
  readonly status: number;
  readonly requestId: string;
  /** True if the unchanged request may succeed later. */
  readonly retryable: boolean;
  /** How long the service asks to wait, in milliseconds; null when it does not say. */
  readonly retryAfterMs: number | null;
  /** Invalid fields and parameters. */
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

/** Why there is no answer of the service; `unrecognised-answer` comes from something in between, such as a proxy. */
export type ConnectionFailure = 'connection-failed' | 'timed-out' | 'unrecognised-answer';

/**
 * The service's answer was not received, and the request may or may not have been carried out. Repeating it with the
 * same `idempotencyKey` is safe.
 */
export class SvcConnectionError extends Error {
  override readonly name = 'SvcConnectionError';
  readonly [marker] = 'connection';
  readonly code: ConnectionFailure;
  /** Status of an answer that is not the service's; null when none was received. */
  readonly status: number | null;
  readonly retryable: boolean;
  /** How long a proxy asks to wait, in milliseconds; null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(
    code: ConnectionFailure,
    o: { readonly status?: number; readonly retryAfterMs?: number | null; readonly cause?: unknown } = {},
  ) {
    super(o.status === undefined ? code : `${code}: status ${o.status}`, { cause: o.cause });
    this.code = code;
    this.status = o.status ?? null;
    this.retryAfterMs = o.retryAfterMs ?? null;
    this.retryable = o.status === undefined || isRetryableAnswer(o.status, this.retryAfterMs !== null);
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
