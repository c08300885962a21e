import { FaceError } from '@svc/core';

/** Time to wait for a reloaded tab, which releases its lock a moment after its successor asks. */
const PATIENCE_MS = 2_000;

/**
 * Locks a device against other tabs, which would corrupt generations (Web Locks). The browser releases the lock when
 * the tab ends for any reason.
 * @returns releases the lock
 * @throws FaceError `device-in-use`, retryable, while another tab holds it
 */
export async function holdDevice(databaseName: string, patienceMs = PATIENCE_MS): Promise<() => Promise<void>> {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let released: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    // Browsers before 2022 have no AbortSignal.timeout.
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), patienceMs);
    released = navigator.locks.request(`svc-device:${databaseName}`, { signal: patience.signal }, () => {
      clearTimeout(timer);
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
