import { FaceError } from '@svc/core';
import { CheckInDevice, type DeviceSettings, type Region, type Transport } from '@svc/device-sdk';
import { createFetchTransport, webClock, webRandom, webTimers } from '@svc/device-sdk/adapters';
import { DEFAULT_DATABASE_NAME, DeviceDatabase } from './database/device-database.ts';
import { createWorkerEngine } from './engine/worker-engine.ts';
import { createIndexedDbKeyStore } from './keys/indexed-db-key-store.ts';
import { holdDevice } from './lock/hold-device.ts';
import { createIndexedDbPackStore } from './packs/indexed-db-pack-store.ts';

/**
 * A check-in device in a page. Disposing it ends the worker, closes the database and lets the next tab have the device.
 */
export type WebDevice = CheckInDevice;

export interface WebDeviceOptions extends DeviceSettings {
  /** `svcd_…`. It is not stored: keep it where the page keeps its own secrets. */
  readonly deviceToken: string;
  readonly region: Region;
  /** Where keys, packs and state go: this device's own. Default {@link DEFAULT_DATABASE_NAME}. */
  readonly databaseName?: string;
  /** Address of the folder that `svc-device-assets` made, of the page's own origin; relative to the page. */
  readonly assetsUrl: string | URL;
  /** The operator's word that staff watch every attempt: no passive check runs, and every result says so. */
  readonly passiveLiveness?: 'absent-staff-in-view';
  /** For tests and proxies. Left out: the browser's fetch. */
  readonly transport?: Transport;
}

/**
 * A check-in device in a page of a secure context. The engine runs in a worker of its own and has run each model once
 * when this resolves. Asks the browser to keep the storage (`navigator.storage.persist()`); {@link describeWebStorage}
 * tells what it answered.
 * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `device-in-use` (another tab has it;
 * retryable), `storage-failed` (full, blocked, or a private window that keeps nothing), `model-missing`,
 * `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function createWebDevice(options: WebDeviceOptions): Promise<WebDevice> {
  const { deviceToken, region, databaseName = DEFAULT_DATABASE_NAME } = options;
  if (!isSecureContext)
    throw new FaceError('configuration-invalid', 'the page is no secure context: serve it by https');
  const cleanUp: (() => Promise<void> | void)[] = [];
  const release = async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  };
  try {
    cleanUp.push(await holdDevice(databaseName));
    const database = await DeviceDatabase.open(databaseName);
    cleanUp.push(() => database.close());
    const config = {
      deviceToken,
      region,
      lightChallenge: options.lightChallenge,
      maxSyncBytes: options.maxSyncBytes,
      syncTimeoutMs: options.syncTimeoutMs,
      ports: {
        keyStore: createIndexedDbKeyStore(database),
        packStore: await createIndexedDbPackStore(database),
        clock: webClock,
        timers: webTimers,
        random: webRandom,
        transport: options.transport ?? createFetchTransport(),
      },
      onDisposed: release,
    };
    return await CheckInDevice.createWith(config, async () => {
      await askToPersist();
      const { engine, passiveLiveness, dispose } = await createWorkerEngine({
        assetsUrl: options.assetsUrl,
        passive: options.passiveLiveness === undefined,
      });
      cleanUp.push(dispose);
      return { engine, passiveLiveness: options.passiveLiveness ?? passiveLiveness };
    });
  } catch (error) {
    await release();
    throw error;
  }
}

/** A browser that refuses may still keep it for long; the device works either way. */
async function askToPersist(): Promise<void> {
  await navigator.storage.persist().catch(() => false);
}
