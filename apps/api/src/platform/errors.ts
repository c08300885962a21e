import type { ErrorCode, FieldError } from '@svc/protocol';

export interface ServiceErrorDetails {
  /** One sentence about this occurrence; nothing of the input is in it. */
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  /** What was measured and the limit that it misses, for photos. */
  readonly measured?: number;
  readonly limit?: number;
  /** Photos that a guest may still try. */
  readonly attemptsLeft?: number;
  /** What an earlier request made, for 'secret-already-issued'. */
  readonly resourceId?: string;
  /** For retryable codes; the HTTP layer has a default. */
  readonly retryAfterSeconds?: number;
}

/**
 * A rule of the service said no. Thrown by services and by the HTTP layer alike; the code decides status and title
 * (`errorTable` of the protocol), so that services need not know either.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: ServiceErrorDetails;

  constructor(code: ErrorCode, details: ServiceErrorDetails = {}) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/** SQLSTATE of an error that came from PostgreSQL, undefined for any other. */
export function sqlState(error: unknown): string | undefined {
  // EPIPE, of the operating system, has the form of a SQLSTATE.
  if (!(error instanceof Error) || !('code' in error) || 'syscall' in error) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}
