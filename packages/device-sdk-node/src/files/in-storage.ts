import { FaceError } from '@svc/core';
import { nodeFileSystem, tryLockFolder } from '@svc/durable-fs';

/** Runs `action`; file system errors become FaceError `storage-failed`. */
export async function inStorage<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (FaceError.is(cause)) throw cause;
    throw new FaceError('storage-failed', 'the device’s directory can’t be used', { cause, retryable: true });
  }
}

/**
 * Locks a device's directory, creating it if missing, against a second process, which would corrupt generations. A lock
 * of a process that has ended is taken over; that of a killed container after ten seconds.
 * @returns releases the lock
 * @throws FaceError `storage-failed`, also while another process holds the lock
 */
export function lockDirectory(directory: string): Promise<() => Promise<void>> {
  return inStorage(async () => {
    await nodeFileSystem.makeDirectory(directory);
    const release = await tryLockFolder(directory);
    if (release !== null) return () => inStorage(release);
    throw new FaceError('storage-failed', 'another process uses this directory', { retryable: true });
  });
}
