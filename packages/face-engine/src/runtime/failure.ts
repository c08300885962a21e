import { FaceError } from '@svc/core';

/** A `runtime-failed` error; an error that already is a {@link FaceError} passes unchanged. */
export function runtimeFailed(message: string, cause?: unknown): FaceError {
  return FaceError.is(cause) ? cause : new FaceError('runtime-failed', message, { cause });
}
