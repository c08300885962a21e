import type { DeviceStatus } from '@svc/device-sdk';
import type { KioskStatus } from './port.ts';

const LOOK_EVERY_MS = 500;

/** The status with what the last sync says about the connection. */
export function withConnection(status: DeviceStatus): KioskStatus {
  const { lastSync } = status;
  const unreachable = lastSync?.ok === false && (lastSync.reason === 'offline' || lastSync.reason === 'timed-out');
  return { ...status, connection: lastSync === null ? 'unknown' : unreachable ? 'offline' : 'online' };
}

/** Calls the listener whenever the status differs from the last one. @returns ends it */
export function watchStatus(read: () => KioskStatus, listener: (status: KioskStatus) => void): () => void {
  let last = JSON.stringify(read());
  const timer = setInterval(() => {
    const status = read();
    const text = JSON.stringify(status);
    if (text === last) return;
    last = text;
    listener(status);
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}
