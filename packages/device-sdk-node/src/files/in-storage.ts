import { FaceError } from '@svc/core';

/** What the disk refuses becomes a FaceError `storage-failed`. */
export async function inStorage<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (FaceError.is(cause)) throw cause;
    throw new FaceError('storage-failed', 'the device’s directory can’t be used', { cause, retryable: true });
  }
}
