import { join } from 'node:path';
import type { KeyStore, PackStore } from '@svc/device-sdk';
import { DurableFolder, type FileSystem, nodeFileSystem } from '@svc/durable-fs';
import { createStoredKeyStore } from '../keys/stored-key-store.ts';

/**
 * Keys in files that only their owner may read (0600 in a folder of 0700). This is as much as a plain file can do:
 * whoever becomes that user, or takes the disk out of the machine, has the keys. Encrypt the disk, or have them in the
 * system's keyring.
 * @param directory must be this device's own; see `lockDirectory`
 */
export async function createFileKeyStore(directory: string, fs: FileSystem = nodeFileSystem): Promise<KeyStore> {
  await fs.makeDirectory(directory);
  return createStoredKeyStore(
    await DurableFolder.open(join(directory, 'keys'), fs),
    await DurableFolder.open(join(directory, 'secrets'), fs),
  );
}

const STATE = 'state';
const packName = (generation: number): string => `${generation}.pack`;

/**
 * The state record and the sealed packs in files of a directory, each for the owner alone.
 * @param directory must be this device's own; see `lockDirectory`
 */
export async function createFilePackStore(directory: string, fs: FileSystem = nodeFileSystem): Promise<PackStore> {
  await fs.makeDirectory(directory);
  const state = await DurableFolder.open(join(directory, 'state'), fs);
  const packs = await DurableFolder.open(join(directory, 'packs'), fs);
  return {
    readState: () => state.read(STATE),
    writeState: (bytes) => state.write(STATE, bytes),
    writePack: (generation, parts) => packs.write(packName(generation), parts),
    openPack: (generation) => packs.open(packName(generation)),
    deletePack: (generation) => packs.delete(packName(generation)),
    listPacks: async () =>
      (await packs.names()).flatMap((name) => {
        const number = /^([1-9][0-9]{0,15})\.pack$/.exec(name)?.[1];
        return number === undefined ? [] : [Number(number)];
      }),
  };
}
