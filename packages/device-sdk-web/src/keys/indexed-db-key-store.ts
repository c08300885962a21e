import { FaceError } from '@svc/core';
import {
  type DeviceKeyPair,
  generateDeviceKeyPair,
  isSecretName,
  type KeyStore,
  openSealedSecret,
  rawPublicKey,
} from '@svc/device-sdk';
import type { DeviceDatabase } from '../database/device-database.ts';
import { unwrapSecret, wrapSecret } from './wrapped-secret.ts';

const MAC = { name: 'HMAC', hash: 'SHA-256', length: 256 } as const;

/**
 * Keys that scripts of the page can use and never read: WebCrypto keys that can't be exported, in IndexedDB. Whoever has the disk has
 * them all the same, since browsers write them there in the clear: encrypt the disk. What is deleted can't be overwritten from a page
 * either; the browser does so when it tidies its files up.
 */
export function createIndexedDbKeyStore(database: DeviceDatabase): KeyStore {
  const storedPair = async () => (await database.read(['keys'], (tx) => tx.objectStore('keys').get('device'))) ?? null;
  const pairOrNull = async () => (await storedPair()) as DeviceKeyPair | null;

  return {
    async devicePublicKey() {
      const stored = await pairOrNull();
      // Made before the transaction, which would not wait for it. Of two made at once the first that is stored counts.
      const pair =
        stored ?? (await keepFirst(database, 'device', (await generateDeviceKeyPair(false)) as CryptoKeyPair));
      return rawPublicKey(pair);
    },
    hasDeviceKey: async () => (await storedPair()) !== null,
    deleteDeviceKey: () => database.write(['keys'], (tx) => tx.objectStore('keys').delete('device')),
    async openSealed(sealed) {
      const pair = await pairOrNull();
      if (pair === null) throw new FaceError('open-failed', 'the sealed key does not open');
      return openSealedSecret(pair, sealed);
    },
    async mac(message) {
      const stored = await database.read(['keys'], (tx) => tx.objectStore('keys').get('mac'));
      const key = stored ?? (await keepFirst(database, 'mac', await crypto.subtle.generateKey(MAC, false, ['sign'])));
      return new Uint8Array(await crypto.subtle.sign('HMAC', key as CryptoKey, Uint8Array.from(message)));
    },
    async putSecret(name, secret) {
      if (!isSecretName(name)) throw new FaceError('invalid-argument', 'not a name of a secret');
      const wrapped = await wrapSecret(name, secret);
      await database.write(['secrets'], (tx) => tx.objectStore('secrets').put(wrapped, name));
    },
    async getSecret(name) {
      const wrapped = await database.read(['secrets'], (tx) => tx.objectStore('secrets').get(name));
      return wrapped === undefined ? null : unwrapSecret(name, wrapped);
    },
    deleteSecret: (name) => database.write(['secrets'], (tx) => tx.objectStore('secrets').delete(name)),
    secretNames: () => database.read(['secrets'], (tx) => tx.objectStore('secrets').getAllKeys()),
  };
}

async function keepFirst<Key extends CryptoKey | CryptoKeyPair>(
  database: DeviceDatabase,
  name: 'device' | 'mac',
  made: Key,
): Promise<Key> {
  return database.write(['keys'], async (tx) => {
    const first = await tx.objectStore('keys').get(name);
    if (first !== undefined) return first as Key;
    await tx.objectStore('keys').put(made, name);
    return made;
  });
}
