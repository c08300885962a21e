import { join } from 'node:path';
import type { PackStore } from '@svc/device-sdk';
import { DurableFolder } from './durable-folder.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';

const STATE = 'state';
const packName = (generation: number): string => `${generation}.pack`;

/**
 * The state record and the sealed packs in files of a directory, each for the owner alone.
 * @param directory must be this device's own; see `lockDirectory`
 */
export async function createFilePackStore(directory: string, fs: FileSystem = nodeFileSystem): Promise<PackStore> {
  await fs.makeDirectory(directory);
  const state = await DurableFolder.open(fs, join(directory, 'state'));
  const packs = await DurableFolder.open(fs, join(directory, 'packs'));
  return {
    readState: () => state.read(STATE),
    writeState: (bytes) => state.write(STATE, bytes),
    writePack: (generation, parts) => packs.writeParts(packName(generation), parts),
    openPack: (generation) => packs.open(packName(generation)),
    deletePack: (generation) => packs.delete(packName(generation)),
    listPacks: async () =>
      (await packs.names()).flatMap((name) => {
        const number = /^([1-9][0-9]{0,15})\.pack$/.exec(name)?.[1];
        return number === undefined ? [] : [Number(number)];
      }),
  };
}
