/** What went wrong, stable across releases. */
export type FaceErrorCode =
  | 'invalid-argument'
  | 'core-load-failed'
  | 'open-failed'
  | 'pack-invalid'
  | 'delta-invalid'
  | 'envelope-invalid'
  | 'model-missing'
  | 'model-mismatch'
  | 'runtime-failed'
  | 'golden-mismatch'
  | 'image-invalid'
  | 'passive-liveness-missing'
  | 'storage-failed'
  | 'device-in-use'
  | 'configuration-invalid';

export interface FaceErrorOptions {
  /** The error underneath, where there is one that tells more. */
  readonly cause?: unknown;
  /** Whether the same call may succeed later. Default false. */
  readonly retryable?: boolean;
}

// Registered globally, so that an error of another copy of this package is recognised too.
const marker = Symbol.for('svc.face-error');

/**
 * The one error of the face packages. Tell them apart by `code`; the message is for people and never repeats input.
 */
export class FaceError extends Error {
  override readonly name = 'FaceError';
  readonly code: FaceErrorCode;
  readonly retryable: boolean;

  constructor(code: FaceErrorCode, message: string, options: FaceErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.retryable = options.retryable ?? false;
    Object.defineProperty(this, marker, { value: true });
  }

  /** True for a FaceError of any copy of this package. */
  static is(error: unknown): error is FaceError {
    return typeof error === 'object' && error !== null && marker in error;
  }
}
