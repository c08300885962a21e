import { FaceError } from '@svc/core';
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb';

/** Default name of a page's database. */
export const DEFAULT_DATABASE_NAME = 'svc-device';

/**
 * An epoch's key, usable for HKDF only, or the check-in secret, usable for HMAC only: scripts can use but not read them.
 */
export interface StoredListKey {
  /** 0 for the check-in secret. */
  readonly epoch: number;
  readonly key: CryptoKey;
}

/** Identifies the pack's chunks, so that one pack can replace another atomically. */
export interface PackHeader {
  readonly chunksId: string;
  readonly byteLength: number;
}

export interface DeviceSchema extends DBSchema {
  keys: { key: 'device' | 'mac' | 'admissions'; value: CryptoKeyPair | CryptoKey };
  /** Key: `list-keys.<generation>`. */
  secrets: { key: string; value: readonly StoredListKey[] };
  state: { key: 'state'; value: Uint8Array };
  packs: { key: number; value: PackHeader };
  chunks: { key: [chunksId: string, index: number]; value: Uint8Array };
  /** Pages of the log of admissions. */
  pages: { key: number; value: Uint8Array };
}

type Store = StoreNames<DeviceSchema>;

/** The stores that each version of the database added. */
const STORES = [
  ['keys', 'secrets', 'state', 'packs', 'chunks'],
  ['pages'],
] as const satisfies readonly (readonly Store[])[];
export const deviceStores = STORES.flat();
type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<DeviceSchema, Store[], Mode>;

/** A device's database. Rejections are FaceErrors `storage-failed`. */
export class DeviceDatabase {
  readonly #name: string;
  /**
   * Null after the browser has closed it, for example because site data was deleted: the next use opens a new, empty
   * one.
   */
  #connection: Promise<IDBPDatabase<DeviceSchema>> | null = null;
  #closed = false;

  private constructor(name: string) {
    this.#name = name;
  }

  /** Opens the database, creating it if missing. @throws FaceError `storage-failed` */
  static async open(name: string): Promise<DeviceDatabase> {
    const database = new DeviceDatabase(name);
    await database.#connected().catch((cause: unknown) => {
      throw storageFailure(cause);
    });
    return database;
  }

  read<T>(stores: Store[], action: (tx: Transaction<'readonly'>) => Promise<T>): Promise<T> {
    return this.#run(stores, 'readonly', action);
  }

  /** Atomic, and durable once it resolves. `action` must await nothing but this transaction. */
  write<T>(stores: Store[], action: (tx: Transaction<'readwrite'>) => Promise<T>): Promise<T> {
    return this.#run(stores, 'readwrite', action);
  }

  /** Idempotent. Running transactions complete. */
  close(): void {
    this.#closed = true;
    this.#connection?.then(
      (connection) => connection.close(),
      () => undefined,
    );
    this.#connection = null;
  }

  async #run<Mode extends 'readonly' | 'readwrite', T>(
    stores: Store[],
    mode: Mode,
    action: (tx: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    try {
      const connection = await this.#connected();
      const tx = connection.transaction(stores, mode, { durability: 'strict' });
      const [result] = await Promise.all([action(tx), tx.done]);
      return result;
    } catch (cause) {
      throw storageFailure(cause);
    }
  }

  #connected(): Promise<IDBPDatabase<DeviceSchema>> {
    if (this.#closed) return Promise.reject(new DOMException('the database is closed', 'InvalidStateError'));
    if (this.#connection !== null) return this.#connection;
    const forget = () => {
      this.#connection = null;
    };
    const connection = connect(this.#name, forget);
    this.#connection = connection;
    connection.catch(forget);
    return connection;
  }
}

function connect(name: string, onLost: () => void): Promise<IDBPDatabase<DeviceSchema>> {
  return new Promise((resolve, reject) => {
    openDB<DeviceSchema>(name, STORES.length, {
      upgrade(database, versionBefore) {
        for (const store of STORES.slice(versionBefore).flat()) database.createObjectStore(store);
      },
      blocked: () => reject(new DOMException('another tab has it open', 'InvalidStateError')),
      // Do not block a deletion of the database, which the user requested.
      blocking: (_current, _wanted, event) => (event.target as IDBDatabase).close(),
      terminated: onLost,
    }).then(resolve, reject);
  });
}

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

/** Time to wait for a reloaded tab, which releases its lock a moment after its successor asks. */
const PATIENCE_MS = 2_000;

/**
 * Locks a device against other tabs, which would corrupt generations (Web Locks). The browser releases the lock when
 * the tab ends for any reason.
 * @returns releases the lock
 * @throws FaceError `device-in-use`, retryable, while another tab holds it; `storage-failed`
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
    const request = async () =>
      navigator.locks.request(`svc-device:${databaseName}`, { signal: patience.signal }, () => {
        clearTimeout(timer);
        resolve();
        return until;
      });
    released = request();
    released.catch((cause: unknown) => {
      const isHeld = cause instanceof DOMException && cause.name === 'AbortError';
      const inUse = () => new FaceError('device-in-use', 'another tab has this device', { cause, retryable: true });
      reject(isHeld ? inUse() : storageFailure(cause));
    });
  });
  return async () => {
    letGo();
    await released;
  };
}

/** The browser's report on this site's storage; null if unknown. */
export interface WebStorage {
  /**
   * True: the browser deletes it only at the user's request. False: also on its own, for example when the disk is full.
   */
  readonly persisted: boolean | null;
  readonly usageBytes: number | null;
  readonly quotaBytes: number | null;
}

/** Reads the storage state for a readiness screen. Never rejects; lasts as long as the browser takes. */
export async function describeWebStorage(): Promise<WebStorage> {
  const orNull = <T>(ask: () => Promise<T>) => (async () => ask())().catch(() => null);
  // Missing outside a secure context, and in WebKitGTK, despite its type.
  const persisted = orNull(() => navigator.storage.persisted());
  const estimate = await orNull(() => navigator.storage.estimate());
  return { persisted: await persisted, usageBytes: estimate?.usage ?? null, quotaBytes: estimate?.quota ?? null };
}
