import { FaceError } from '@svc/core';
import { CheckInDevice, type DeviceSettings, type Region, type Transport } from '@svc/device-sdk';
import { createFetchTransport, webClock, webRandom, webTimers } from '@svc/device-sdk/adapters';
import { DEFAULT_DATABASE_NAME, DeviceDatabase, holdDevice } from './database/device-database.ts';
import { createIndexedDbKeyStore } from './database/indexed-db-key-store.ts';
import { createIndexedDbPackStore } from './database/indexed-db-pack-store.ts';
import { createWorkerEngine } from './engine/worker-engine.ts';

/**
 * A check-in device in a page. `dispose` ends the worker, closes the database and releases the device for other tabs.
 */
export type WebDevice = CheckInDevice;

/** What {@link createWebDevice} waits for. */
export type WebDevicePart = 'storage' | 'engine';

/** Options of {@link createWebDevice}. */
export interface WebDeviceOptions extends DeviceSettings {
  /** `svcd_…`. Not stored: keep it with the page's own secrets. */
  readonly deviceToken: string;
  readonly region: Region;
  /** Name of this device's own database for keys, packs and state. Default {@link DEFAULT_DATABASE_NAME}. */
  readonly databaseName?: string;
  /** URL of the folder built by `svc-device-assets`, on the page's origin; relative to the page. */
  readonly assetsUrl: string | URL;
  /** The operator declares that staff watch every attempt: no passive check runs, and every result reports this. */
  readonly passiveLiveness?: 'absent-staff-in-view';
  /**
   * Told what comes next, for a page that says what it waits for: the tab's lock and the database, then the engine. Both
   * last as long as the browser takes.
   */
  readonly onPart?: (part: WebDevicePart) => void;
  /** For tests and proxies. Default: the browser's fetch. */
  readonly transport?: Transport;
}

/**
 * Creates a check-in device in a page of a secure context. The engine runs in its own worker; every model has run once
 * when this resolves. Asks the browser to keep the storage (`navigator.storage.persist()`); {@link describeWebStorage}
 * reports the answer.
 * @throws FaceError `configuration-invalid`, `passive-liveness-missing`, `device-in-use` (open in another tab;
 *   retryable), `webview-too-old`, `webassembly-missing` (iOS' Lockdown Mode), `storage-failed` (full, blocked, or a private window without storage), `model-missing`,
 *   `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function createWebDevice(options: WebDeviceOptions): Promise<WebDevice> {
  const { deviceToken, region, databaseName = DEFAULT_DATABASE_NAME } = options;
  if (!isSecureContext)
    throw new FaceError('configuration-invalid', 'the page is no secure context: serve it by https');
  requireWebPlatform();
  const cleanUp: (() => Promise<void> | void)[] = [];
  const release = async () => {
    for (const action of cleanUp.splice(0).reverse()) await action();
  };
  try {
    options.onPart?.('storage');
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
      askToPersist();
      options.onPart?.('engine');
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

/** What the browser lacks, or forbids this page, of what a device needs; empty: nothing. WebAssembly is tried later. */
export function missingWebParts(): readonly string[] {
  const parts = {
    WebCrypto: () => crypto.subtle,
    IndexedDB: () => indexedDB,
    'Web Locks': () => navigator.locks,
    Worker: () => Worker,
  };
  return Object.entries(parts).flatMap(([name, part]) => (has(part) ? [] : [name]));
}

function has(part: () => unknown): boolean {
  try {
    return Boolean(part());
  } catch {
    return false;
  }
}

/** @throws FaceError `webview-too-old` */
function requireWebPlatform(): void {
  const missing = missingWebParts();
  if (missing.length > 0) throw new FaceError('webview-too-old', `the browser has no ${missing.join(', ')}`);
}

/**
 * Not awaited: Firefox asks a person, who may never answer. The device works either way, also where the browser has no
 * such call: one that refuses usually keeps the data too.
 */
function askToPersist(): void {
  const ask = async () => navigator.storage.persist();
  ask().catch(() => false);
}
