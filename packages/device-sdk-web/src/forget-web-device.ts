import { deleteDB } from 'idb';
import {
  DEFAULT_DATABASE_NAME,
  DeviceDatabase,
  deviceStores,
  holdDevice,
  storageFailure,
} from './database/device-database.ts';
import { createIndexedDbKeyStore } from './database/indexed-db-key-store.ts';

/** Options of {@link forgetWebDevice}. */
export interface ForgetOptions {
  /**
   * Keeps the device's own key pair, to which the service has bound the token: a device created with the same token in
   * this browser then gets its list again. With another token delete the pair first, by another call. Default false.
   */
  readonly keepDeviceKey?: boolean;
}

/**
 * Deletes the device from this browser: first the keys, then, after checking that they are gone, everything else. Does
 * nothing if there is no device.
 * @throws FaceError `device-in-use` while a tab, this one included, uses the device; `storage-failed`
 */
export async function forgetWebDevice(
  databaseName: string = DEFAULT_DATABASE_NAME,
  { keepDeviceKey = false }: ForgetOptions = {},
): Promise<void> {
  const release = await holdDevice(databaseName);
  try {
    const database = await DeviceDatabase.open(databaseName);
    try {
      await forgetKeys(database, keepDeviceKey);
      if (keepDeviceKey) return await forgetData(database);
    } finally {
      database.close();
    }
    await new Promise<void>((resolve, reject) => {
      const blocked = () => reject(storageFailure(new DOMException('another tab has it open', 'InvalidStateError')));
      deleteDB(databaseName, { blocked }).then(resolve, (cause: unknown) => reject(storageFailure(cause)));
    });
  } finally {
    await release();
  }
}

/** Every key, or every key but the device's own pair. */
async function forgetKeys(database: DeviceDatabase, keepDeviceKey: boolean): Promise<void> {
  await database.write(['keys', 'secrets'], async (tx) => {
    const keys = tx.objectStore('keys');
    const gone = (await keys.getAllKeys()).filter((name) => !(keepDeviceKey && name === 'device'));
    await Promise.all([...gone.map((name) => keys.delete(name)), tx.objectStore('secrets').clear()]);
  });
  const keyStore = createIndexedDbKeyStore(database);
  const isDeviceKeyLeft = !keepDeviceKey && (await keyStore.hasDeviceKey());
  const isKeyLeft = isDeviceKeyLeft || (await keyStore.hasAdmissionKey());
  if (isKeyLeft || (await keyStore.listKeyGenerations()).length > 0) {
    throw storageFailure(new DOMException('the keys are still there', 'UnknownError'));
  }
}

/** What the keys open, and the state. */
async function forgetData(database: DeviceDatabase): Promise<void> {
  const stores = deviceStores.filter((name) => name !== 'keys');
  await database.write(stores, async (tx) => {
    await Promise.all(stores.map((name) => tx.objectStore(name).clear()));
  });
}
