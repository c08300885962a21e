import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Pairing } from './pairing.ts';

const NAME = 'svc-kiosk';

interface Stored {
  /**
   * AES-256-GCM, not extractable: where the browser protects its keys, a copy of its files does not reveal the token.
   */
  readonly key: CryptoKey;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly ciphertext: ArrayBuffer;
}

interface Schema extends DBSchema {
  pairing: { key: 'only'; value: Stored | 'leaving' };
}

/** Stores the pairing in this browser only. */
export interface PairingStore {
  /** `leaving`: an unpairing was begun and must be finished. @throws the browser's storage errors */
  read(): Promise<Pairing | 'leaving' | null>;
  write(pairing: Pairing): Promise<void>;
  /** Deletes the pairing, and records that the device's own data must be deleted. */
  leave(): Promise<void>;
  clear(): Promise<void>;
}

export function createPairingStore(): PairingStore {
  let opened: Promise<IDBPDatabase<Schema>> | null = null;
  const database = () => {
    opened ??= openDB<Schema>(NAME, 1, { upgrade: (db) => void db.createObjectStore('pairing') }).catch((error) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const put = async (value: Schema['pairing']['value']) => {
    const transaction = (await database()).transaction('pairing', 'readwrite', { durability: 'strict' });
    await Promise.all([transaction.store.put(value, 'only'), transaction.done]);
  };
  return {
    async read() {
      const stored = await (await database()).get('pairing', 'only');
      if (stored === undefined || stored === 'leaving') return stored ?? null;
      const { key, nonce: iv, ciphertext } = stored;
      const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, ciphertext);
      return JSON.parse(new TextDecoder().decode(plain)) as Pairing;
    },
    async write(pairing) {
      const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
      const nonce = crypto.getRandomValues(new Uint8Array(12));
      const plain = new TextEncoder().encode(JSON.stringify(pairing));
      await put({ key, nonce, ciphertext: await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, plain) });
    },
    leave: () => put('leaving'),
    async clear() {
      const transaction = (await database()).transaction('pairing', 'readwrite', { durability: 'strict' });
      await Promise.all([transaction.store.delete('only'), transaction.done]);
    },
  };
}
