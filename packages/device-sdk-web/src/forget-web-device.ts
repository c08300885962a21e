import { deleteDB } from 'idb';
import { DEFAULT_DATABASE_NAME, DeviceDatabase } from './database/device-database.ts';
import { storageFailure } from './database/storage-failure.ts';
import { createIndexedDbKeyStore } from './keys/indexed-db-key-store.ts';
import { holdDevice } from './lock/hold-device.ts';

/**
 * Deletes the device from this browser: first the keys, then, after checking that they are gone, everything else. Does
 * nothing if there is no device.
 * @throws FaceError `device-in-use` while a tab, this one included, uses the device; `storage-failed`
 */
export async function forgetWebDevice(databaseName: string = DEFAULT_DATABASE_NAME): Promise<void> {
  const release = await holdDevice(databaseName);
  try {
    const database = await DeviceDatabase.open(databaseName);
    try {
      await forgetKeys(database);
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

async function forgetKeys(database: DeviceDatabase): Promise<void> {
  await database.write(['keys', 'secrets'], async (tx) => {
    await Promise.all([tx.objectStore('keys').clear(), tx.objectStore('secrets').clear()]);
  });
  const keyStore = createIndexedDbKeyStore(database);
  if ((await keyStore.hasDeviceKey()) || (await keyStore.listKeyGenerations()).length > 0) {
    throw storageFailure(new DOMException('the keys are still there', 'UnknownError'));
  }
}
