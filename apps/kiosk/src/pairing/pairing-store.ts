import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Pairing } from './pairing.ts';

const NAME = 'svc-kiosk';

interface Stored {
  /**
   * AES-256-GCM, not extractable: the token can't be read out of a copy of the browser's files alone where the browser
   * guards its keys.
   */
  readonly key: CryptoKey;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly ciphertext: ArrayBuffer;
}

interface Schema extends DBSchema {
  pairing: { key: 'only'; value: Stored | 'leaving' };
}

/** Where the pairing outlives a reload. It lies in this browser alone. */
export interface PairingStore {
  /** `leaving`: an unpairing was begun and has to be finished. @throws what the browser's storage throws */
  read(): Promise<Pairing | 'leaving' | null>;
  write(pairing: Pairing): Promise<void>;
  /** Drops the pairing, and remembers that the device's own data has to go. */
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
