/** Error codes, stable across releases. */
export type FaceErrorCode =
  | 'invalid-argument'
  | 'webassembly-missing'
  | 'webview-too-old'
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

/** Options of a {@link FaceError}. */
export interface FaceErrorOptions {
  /** The underlying error, if any. */
  readonly cause?: unknown;
  /** True if the same call may succeed later. Default false. */
  readonly retryable?: boolean;
}

// Registered globally, so that errors of another copy of this package are recognised.
const marker = Symbol.for('svc.face-error');

/**
 * The error class of the face packages. Distinguish errors by `code`; the message is for people and never contains
 * input.
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
