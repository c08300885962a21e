import { FaceError } from '@svc/core';
import type { KeyStore } from '@svc/device-sdk';
import {
  type DeviceKeyPair,
  generateDeviceKeyPair,
  type ListKeys,
  openSealedSecret,
  rawPublicKey,
  type SealedListKeys,
} from '@svc/device-sdk/adapters';
import { type DeviceDatabase, type StoredListKey, storageFailure } from './device-database.ts';

const LIST_KEY_BYTES = 32;
/** In the place of an epoch, which counts from 1. */
const CHECK_IN_SECRET = 0;
const MAC = { name: 'HMAC', hash: 'SHA-256', length: 256 } as const;

/**
 * Keys that scripts of the page can use but not read: non-extractable WebCrypto keys in IndexedDB. Browsers store them
 * unencrypted, so encrypt the disk. A page cannot overwrite deleted data either; the browser does so when it compacts
 * its files.
 */
export function createIndexedDbKeyStore(database: DeviceDatabase): KeyStore {
  const storedPair = async () => (await database.read(['keys'], (tx) => tx.objectStore('keys').get('device'))) ?? null;
  const pairOrNull = async () => (await storedPair()) as DeviceKeyPair | null;

  const keep = async (generation: number, keys: readonly StoredListKey[]) => {
    await database.write(['secrets'], (tx) => tx.objectStore('secrets').put(keys, nameOf(generation)));
  };

  return {
    async devicePublicKey() {
      const stored = await pairOrNull();
      // Created before the transaction, which would not wait for it. If two are created at once, the first one stored
      // wins.
      const pair =
        stored ?? (await keepFirst(database, 'device', (await generateDeviceKeyPair(false)) as CryptoKeyPair));
      return rawPublicKey(pair);
    },
    hasDeviceKey: async () => (await storedPair()) !== null,
    deleteDeviceKey: () => database.write(['keys'], (tx) => tx.objectStore('keys').delete('device')),
    async openListKeys({ epochs, checkInSecret }) {
      const pair = await pairOrNull();
      if (pair === null) throw new FaceError('open-failed', 'there is no device key');
      const entries = checkInSecret === null ? epochs : [...epochs, { epoch: CHECK_IN_SECRET, sealed: checkInSecret }];
      return listKeysOf(await Promise.all(entries.map((entry) => openEntry(pair, entry))), keep);
    },
    async mac(message) {
      const stored = await database.read(['keys'], (tx) => tx.objectStore('keys').get('mac'));
      const key = stored ?? (await keepFirst(database, 'mac', await crypto.subtle.generateKey(MAC, false, ['sign'])));
      return new Uint8Array(await crypto.subtle.sign('HMAC', key as CryptoKey, Uint8Array.from(message)));
    },
    async listKeys(generation) {
      const stored: unknown = await database.read(['secrets'], (tx) =>
        tx.objectStore('secrets').get(nameOf(generation)),
      );
      // Earlier versions stored another kind of row; such a device syncs again.
      return Array.isArray(stored) ? listKeysOf(stored as readonly StoredListKey[], keep) : null;
    },
    deleteListKeys: (generation) =>
      database.write(['secrets'], (tx) => tx.objectStore('secrets').delete(nameOf(generation))),
    listKeyGenerations: async () =>
      (await database.read(['secrets'], (tx) => tx.objectStore('secrets').getAllKeys())).map((name) =>
        Number(name.slice(PREFIX.length)),
      ),
    async deriveFromAdmissionKey(salt, info, length) {
      const stored = await database.read(['keys'], (tx) => tx.objectStore('keys').get('admissions'));
      const key = stored ?? (await keepFirst(database, 'admissions', await makeHkdfKey()));
      return deriveBytes(key as CryptoKey, salt, info, length);
    },
    hasAdmissionKey: async () =>
      (await database.read(['keys'], (tx) => tx.objectStore('keys').count('admissions'))) > 0,
    deleteAdmissionKey: () => database.write(['keys'], (tx) => tx.objectStore('keys').delete('admissions')),
  };
}

const PREFIX = 'list-keys.';
const nameOf = (generation: number): string => PREFIX + generation;

async function deriveBytes(
  key: CryptoKey,
  salt: Uint8Array,
  info: Uint8Array,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: Uint8Array.from(salt), info: Uint8Array.from(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(hkdf, key, length * 8));
}

/** WebCrypto makes no HKDF keys; the bytes of this one are wiped. */
async function makeHkdfKey(): Promise<CryptoKey> {
  const bytes = crypto.getRandomValues(new Uint8Array(LIST_KEY_BYTES));
  try {
    return await crypto.subtle.importKey('raw', bytes, 'HKDF', false, ['deriveBits']);
  } finally {
    bytes.fill(0);
  }
}

/** An HKDF base key, which permits derivation only; the check-in secret permits signing only. */
async function openEntry(
  pair: DeviceKeyPair,
  { epoch, sealed }: SealedListKeys['epochs'][number],
): Promise<StoredListKey> {
  const secret = await openSealedSecret(pair, sealed);
  const [algorithm, usage] = epoch === CHECK_IN_SECRET ? ([MAC, 'sign'] as const) : (['HKDF', 'deriveBits'] as const);
  try {
    return { epoch, key: await crypto.subtle.importKey('raw', secret, algorithm, false, [usage]) };
  } finally {
    secret.fill(0);
  }
}

function listKeysOf(
  stored: readonly StoredListKey[],
  keep: (generation: number, keys: readonly StoredListKey[]) => Promise<void>,
): ListKeys {
  let wiped = false;
  const requireHeld = () => {
    if (wiped) throw storageFailure(new DOMException('the list keys were let go', 'InvalidStateError'));
  };
  const entry = (epoch: number) => stored.find((one) => one.epoch === epoch)?.key;
  return {
    epochs: stored.map(({ epoch }) => epoch).filter((epoch) => epoch !== CHECK_IN_SECRET),
    keyOf(epoch) {
      const key = epoch === CHECK_IN_SECRET ? undefined : entry(epoch);
      if (key === undefined) return null;
      return async (salt, info, length) => {
        requireHeld();
        return deriveBytes(key, salt, info, length);
      };
    },
    async signCheckIn(message) {
      requireHeld();
      const key = entry(CHECK_IN_SECRET);
      return key === undefined ? null : new Uint8Array(await crypto.subtle.sign('HMAC', key, Uint8Array.from(message)));
    },
    async keepAs(generation) {
      requireHeld();
      await keep(generation, stored);
    },
    wipe() {
      wiped = true;
    },
  };
}

async function keepFirst<Key extends CryptoKey | CryptoKeyPair>(
  database: DeviceDatabase,
  name: 'device' | 'mac' | 'admissions',
  made: Key,
): Promise<Key> {
  return database.write(['keys'], async (tx) => {
    const first = await tx.objectStore('keys').get(name);
    if (first !== undefined) return first as Key;
    await tx.objectStore('keys').put(made, name);
    return made;
  });
}
