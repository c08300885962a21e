import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb';
import { storageFailure } from './storage-failure.ts';

/** Where a page's one device lives. */
export const DEFAULT_DATABASE_NAME = 'svc-device';

/** The key of an epoch, for HKDF alone: scripts can derive from it and not read it. */
export interface StoredListKey {
  readonly epoch: number;
  readonly key: CryptoKey;
}

/** Names the pack's chunks, so that one pack can take another's place at once. */
export interface PackHeader {
  readonly chunksId: string;
  readonly byteLength: number;
}

export interface DeviceSchema extends DBSchema {
  keys: { key: 'device' | 'mac'; value: CryptoKeyPair | CryptoKey };
  /** By `list-keys.<generation>`. */
  secrets: { key: string; value: readonly StoredListKey[] };
  state: { key: 'state'; value: Uint8Array };
  packs: { key: number; value: PackHeader };
  chunks: { key: [chunksId: string, index: number]; value: Uint8Array };
}

type Store = StoreNames<DeviceSchema>;
type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<DeviceSchema, Store[], Mode>;

/** The one database of a device. What it rejects with is a FaceError `storage-failed`. */
export class DeviceDatabase {
  readonly #name: string;
  /**
   * Null while the browser has closed it, as it does when site data is deleted: the next use opens it anew, and empty.
   */
  #connection: Promise<IDBPDatabase<DeviceSchema>> | null = null;
  #closed = false;

  private constructor(name: string) {
    this.#name = name;
  }

  /** Makes it where it is not there. @throws FaceError `storage-failed` */
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

  /** All or nothing, and on the disk before it resolves. `action` may wait for nothing but this transaction. */
  write<T>(stores: Store[], action: (tx: Transaction<'readwrite'>) => Promise<T>): Promise<T> {
    return this.#run(stores, 'readwrite', action);
  }

  /** Idempotent. What runs is finished. */
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
    openDB<DeviceSchema>(name, 1, {
      upgrade(database) {
        for (const store of ['keys', 'secrets', 'state', 'packs', 'chunks'] as const) database.createObjectStore(store);
      },
      blocked: () => reject(new DOMException('another tab has it open', 'InvalidStateError')),
      // Whoever deletes the database has asked for it.
      blocking: (_current, _wanted, event) => (event.target as IDBDatabase).close(),
      terminated: onLost,
    }).then(resolve, reject);
  });
}
