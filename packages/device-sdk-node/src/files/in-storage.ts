import { FaceError } from '@svc/core';
import { nodeFileSystem, tryLockFolder } from '@svc/durable-fs';

/** What the disk refuses becomes a FaceError `storage-failed`. */
export async function inStorage<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (FaceError.is(cause)) throw cause;
    throw new FaceError('storage-failed', 'the device’s directory can’t be used', { cause, retryable: true });
  }
}

/**
 * Keeps a second process off a device's directory, which is made where there is none: two writers would tear
 * generations apart. A lock whose process is gone is taken over; that of a container that was killed after ten seconds.
 * @returns lets it go. @throws FaceError `storage-failed`, also while another holds it
 */
export function lockDirectory(directory: string): Promise<() => Promise<void>> {
  return inStorage(async () => {
    await nodeFileSystem.makeDirectory(directory);
    const release = await tryLockFolder(directory);
    if (release !== null) return () => inStorage(release);
    throw new FaceError('storage-failed', 'another process uses this directory', { retryable: true });
  });
}
