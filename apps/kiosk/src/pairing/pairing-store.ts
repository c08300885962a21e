import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Pairing } from './pairing.ts';
import { noTries, type PinTries, type PinVerifier } from './staff-pin.ts';

const NAME = 'svc-kiosk';

interface Sealed {
  /**
   * AES-256-GCM, not extractable: where the browser protects its keys, a copy of its files does not reveal the token.
   */
  readonly key: CryptoKey;
  readonly nonce: Uint8Array<ArrayBuffer>;
  readonly ciphertext: ArrayBuffer;
}

interface Schema extends DBSchema {
  /**
   * `only`: the {@link Pairing}, or `leaving`; `kept-for`: a token's hash; `pin`: the {@link PinVerifier}; `pin-tries`:
   * {@link PinTries}.
   */
  pairing: { key: 'only' | 'kept-for' | 'pin' | 'pin-tries'; value: Sealed | string | PinTries };
}

/** {@link createPairingStore} */
export type PairingStore = ReturnType<typeof createPairingStore>;

async function seal(value: unknown): Promise<Sealed> {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  const nonce = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  return { key, nonce, ciphertext: await crypto.subtle.encrypt({ name: 'AES-GCM', iv: nonce }, key, plain) };
}

async function open<T>({ key, nonce: iv, ciphertext }: Sealed): Promise<T> {
  const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, ciphertext);
  return JSON.parse(new TextDecoder().decode(plain)) as T;
}

/** Stores the pairing and the PIN in this browser only. Rejects with the browser's storage errors. */
export function createPairingStore() {
  let opened: Promise<IDBPDatabase<Schema>> | null = null;
  const database = () => {
    opened ??= openDB<Schema>(NAME, 1, { upgrade: (db) => void db.createObjectStore('pairing') }).catch((error) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  /** One durable transaction; null deletes a row. */
  const change = async (rows: { readonly [Key in Schema['pairing']['key']]?: Schema['pairing']['value'] | null }) => {
    const { store, done } = (await database()).transaction('pairing', 'readwrite', { durability: 'strict' });
    const writes = (Object.keys(rows) as Schema['pairing']['key'][]).map((key) => {
      const value = rows[key] ?? null;
      return value === null ? store.delete(key) : store.put(value, key);
    });
    await Promise.all([...writes, done]);
  };
  return {
    /** `leaving`: an unpairing was begun and must be finished. */
    async read(): Promise<Pairing | 'leaving' | null> {
      const stored = await (await database()).get('pairing', 'only');
      if (stored === undefined) return null;
      return stored === 'leaving' ? 'leaving' : open<Pairing>(stored as Sealed);
    },
    write: async (pairing: Pairing) => change({ only: await seal(pairing), 'kept-for': null }),
    /**
     * Deletes the pairing, and records that the device's own data must be deleted.
     * @param keptFor hash of the token for which the device's key pair stays; null: it goes too
     */
    leave: (keptFor: string | null) => change({ only: 'leaving', 'kept-for': keptFor }),
    /** Hash of the token that this browser was paired with last and still has the device's key pair of. */
    keptFor: async () => ((await (await database()).get('pairing', 'kept-for')) as string | undefined) ?? null,
    /** Deletes pairing and PIN. */
    clear: () => change({ only: null, pin: null, 'pin-tries': null }),
    async readPin(): Promise<PinVerifier | null> {
      const stored = await (await database()).get('pairing', 'pin');
      return stored === undefined ? null : open<PinVerifier>(stored as Sealed);
    },
    writePin: async (verifier: PinVerifier) => change({ pin: await seal(verifier), 'pin-tries': null }),
    async changeTries(next: (tries: PinTries) => PinTries) {
      const { store, done } = (await database()).transaction('pairing', 'readwrite', { durability: 'strict' });
      const tries = next(((await store.get('pin-tries')) as PinTries | undefined) ?? noTries);
      await Promise.all([store.put(tries, 'pin-tries'), done]);
      return tries;
    },
  };
}
