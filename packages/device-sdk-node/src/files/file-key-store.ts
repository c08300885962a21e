import { join } from 'node:path';
import type { KeyStore } from '@svc/device-sdk';
import { createStoredKeyStore } from '../keys/stored-key-store.ts';
import { DurableFolder } from './durable-folder.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';

/**
 * Keys in files that only their owner may read (0600 in a folder of 0700). This is as much as a plain file can do: whoever becomes that
 * user, or takes the disk out of the machine, has the keys. Encrypt the disk, or have them in the system's keyring.
 * @param directory must be this device's own; see `lockDirectory`
 */
export async function createFileKeyStore(directory: string, fs: FileSystem = nodeFileSystem): Promise<KeyStore> {
  await fs.makeDirectory(directory);
  return createStoredKeyStore(
    await DurableFolder.open(fs, join(directory, 'keys')),
    await DurableFolder.open(fs, join(directory, 'secrets')),
  );
}
