import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb';
import { storageFailure } from './storage-failure.ts';

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
