import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FaceError } from '@svc/core';
import type { KeyStore } from '@svc/device-sdk';
import { nodeFileSystem } from '@svc/durable-fs';
import { createFileKeyStore } from '../files/file-stores.ts';
import type { Keyring } from '../keyring/keyring.ts';
import { createKeyringKeyStore } from '../keyring/keyring-key-store.ts';

/**
 * Where a device has its keys. `files` (the default): beside its packs. `keyring`: in the system's keyring, and nowhere
 * where there is none. `keyring-or-files`: in the keyring where there is one at the device's first start, else in
 * files; what was chosen then stays.
 */
export type KeyPlace = 'files' | 'keyring' | 'keyring-or-files';

/** Says in the device's directory that its keys are in the keyring. */
const MARK = 'keys-in-keyring';

/**
 * @throws FaceError `storage-failed` where there should be a keyring and is none, or the device has its keys elsewhere
 */
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
    // A keyring that is locked today does not make another device of this one.
    if (place === 'keyring' || marked) throw error;
    return null;
  });
  if (store === null) return createFileKeyStore(directory);
  if (!marked) await markDurably(directory);
  return store;
}

/**
 * Before the first key is made: where a power cut took the mark away, the next start would make other keys in files.
 */
async function markDurably(directory: string): Promise<void> {
  await nodeFileSystem.write(join(directory, MARK), []);
  await nodeFileSystem.syncDirectory(directory);
}

/** Keyrings take short names, and tell them to other programs. */
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
