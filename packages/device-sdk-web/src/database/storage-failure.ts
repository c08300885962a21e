import { FaceError } from '@svc/core';

/** Explanations of the browser's error names for operators. */
const MEANINGS: Readonly<Record<string, string>> = {
  QuotaExceededError: 'the browser has no room for the list',
  SecurityError: 'the browser lets this page keep nothing',
  InvalidStateError: 'the browser keeps nothing here (a private window, or the database is in other hands)',
  DataCloneError: 'the browser can not keep keys (a private window?)',
  VersionError: 'a newer version of this page made the database',
};

/** Wraps an error as FaceError `storage-failed`; a FaceError is returned unchanged. */
export function storageFailure(cause: unknown): FaceError {
  if (FaceError.is(cause)) return cause;
  const name = cause instanceof Error ? cause.name : '';
  return new FaceError('storage-failed', MEANINGS[name] ?? 'the browser’s database failed', { cause, retryable: true });
}
