import type { ErrorCode, FieldError, HeldToken, ImageFault, ResourceName } from '@svc/protocol';

export interface ServiceErrorDetails {
  /** One sentence about this occurrence; never contains input. */
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  /** Why a picture cannot be read. */
  readonly reason?: ImageFault;
  /** Measured value and missed limit of a photo; the media type of a picture of another format. */
  readonly measured?: number | string;
  readonly limit?: number;
  /** Number of attempts that the guest has left. */
  readonly attemptsLeft?: number;
  /** About an enrolment token that can no longer be used. */
  readonly token?: HeldToken;
  /** Id of the existing resource, for 'secret-already-issued'. */
  readonly resourceId?: string;
  /** For retryable codes; default in the HTTP layer. */
  readonly retryAfterSeconds?: number;
}

/**
 * A rule of the service was violated. Thrown by services and the HTTP layer; the code determines status and title
 * (`errorTable` of the protocol).
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

/** SQLSTATE of a PostgreSQL error; undefined for others. */
export function sqlState(error: unknown): string | undefined {
  // The system error EPIPE looks like a SQLSTATE.
  if (!(error instanceof Error) || !('code' in error) || 'syscall' in error) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** What can be missing. */
export type Named = ResourceName | 'account' | 'address';

/** Something that is not there, or is another account's: the answer does not tell the two apart. */
export const missing = (what: Named): ServiceError => new ServiceError('not-found', { detail: `No such ${what}.` });

/** @throws ServiceError 'not-found' for null */
export function found<T>(value: T | null, what: Named): T {
  if (value === null) throw missing(what);
  return value;
}
