import { FaceError } from '@svc/core';

/** What the browser's names of errors mean for whoever runs the device. */
const MEANINGS: Readonly<Record<string, string>> = {
  QuotaExceededError: 'the browser has no room for the list',
  SecurityError: 'the browser lets this page keep nothing',
  InvalidStateError: 'the browser keeps nothing here (a private window, or the database is in other hands)',
  DataCloneError: 'the browser can not keep keys (a private window?)',
  VersionError: 'a newer version of this page made the database',
};

/** As FaceError `storage-failed`; an error that is a FaceError already stays what it is. */
export function storageFailure(cause: unknown): FaceError {
  if (FaceError.is(cause)) return cause;
  const name = cause instanceof Error ? cause.name : '';
  return new FaceError('storage-failed', MEANINGS[name] ?? 'the browser’s database failed', { cause, retryable: true });
}
