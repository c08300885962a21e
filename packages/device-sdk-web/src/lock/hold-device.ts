import { FaceError } from '@svc/core';

/** A tab that is reloaded lets go a moment after its successor asks. */
const PATIENCE_MS = 2_000;

/**
 * Keeps other tabs off a device: two writers would tear generations apart. The browser lets go of it by itself when the
 * tab ends, however that happens (Web Locks).
 * @returns lets it go. @throws FaceError `device-in-use`, retryable, while another holds it
 */
export async function holdDevice(databaseName: string, patienceMs = PATIENCE_MS): Promise<() => Promise<void>> {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let released: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const signal = AbortSignal.timeout(patienceMs);
    released = navigator.locks.request(`svc-device:${databaseName}`, { signal }, () => {
      resolve();
      return until;
    });
    released.catch((cause: unknown) =>
      reject(new FaceError('device-in-use', 'another tab has this device', { cause, retryable: true })),
    );
  });
  return async () => {
    letGo();
    await released;
  };
}
