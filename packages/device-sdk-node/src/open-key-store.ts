import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FaceError } from '@svc/core';
import type { KeyStore } from '@svc/device-sdk';
import { nodeFileSystem } from '@svc/durable-fs';
import { createFileKeyStore } from './files/file-stores.ts';
import { createKeyringKeyStore, type Keyring } from './keyring/keyring.ts';

/**
 * Where a device stores its keys. `files` (the default): beside its packs. `keyring`: only in the system's keyring.
 * `keyring-or-files`: in the keyring if there is one at the device's first start, else in files; the first choice
 * stays.
 */
export type KeyPlace = 'files' | 'keyring' | 'keyring-or-files';

/** File that marks a device whose keys are in the keyring. */
const MARK = 'keys-in-keyring';

/** @throws FaceError `storage-failed` if a required keyring is missing, or the device's keys are stored elsewhere */
export async function openKeyStore(directory: string, place: KeyPlace, keyring?: Keyring): Promise<KeyStore> {
  const marked = await isThere(join(directory, MARK));
  const inFiles = await isThere(join(directory, 'keys'));
  if (place === 'files' || (place === 'keyring-or-files' && inFiles)) {
    if (marked) throw elsewhere('the keys of this device are in the system’s keyring');
    return createFileKeyStore(directory);
  }
  if (inFiles) throw elsewhere('the keys of this device are in files');
  const opened = { service: serviceOf(directory), ...(keyring === undefined ? {} : { keyring }) };
  const store = await createKeyringKeyStore(opened).catch((error: unknown) => {
    // With the mark, a locked keyring is an error: new keys in files would make another device.
    if (place === 'keyring' || marked) throw error;
    return null;
  });
  if (store === null) return createFileKeyStore(directory);
  if (!marked) await markDurably(directory);
  return store;
}

/** Written before the first key: if a power cut lost the mark, the next start would create other keys in files. */
async function markDurably(directory: string): Promise<void> {
  await nodeFileSystem.write(join(directory, MARK), []);
  await nodeFileSystem.syncDirectory(directory);
}

/** Keyrings accept short names only, and other programs can read them. */
function serviceOf(directory: string): string {
  return `svc-device-${createHash('sha256').update(resolve(directory)).digest('hex').slice(0, 16)}`;
}

function elsewhere(message: string): FaceError {
  return new FaceError('storage-failed', message);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
