import { join } from 'node:path';
import type { KeyStore, PackStore } from '@svc/device-sdk';
import { DurableFolder, type FileSystem, nodeFileSystem } from '@svc/durable-fs';
import { createStoredKeyStore } from '../keys/stored-key-store.ts';

/**
 * Keys in files for the current OS user only (0600 in a folder of 0700). Another process of this user, or anyone who
 * removes the disk, can read them: encrypt the disk, or use the system's keyring.
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
const pageName = (page: number): string => `${page}.page`;

/**
 * The state record, the sealed packs and the pages of the log of admissions in files of a directory, for the current OS user only.
 * @param directory must be this device's own; see `lockDirectory`
 */
export async function createFilePackStore(directory: string, fs: FileSystem = nodeFileSystem): Promise<PackStore> {
  await fs.makeDirectory(directory);
  const state = await DurableFolder.open(join(directory, 'state'), fs);
  const packs = await DurableFolder.open(join(directory, 'packs'), fs);
  const pages = await DurableFolder.open(join(directory, 'admissions'), fs);
  return {
    readState: () => state.read(STATE),
    writeState: (bytes) => state.write(STATE, bytes),
    writePack: (generation, parts) => packs.write(packName(generation), parts),
    openPack: (generation) => packs.open(packName(generation)),
    deletePack: (generation) => packs.delete(packName(generation)),
    listPacks: () => numbersOf(packs, /^([1-9][0-9]{0,15})\.pack$/),
    readPage: (page) => pages.read(pageName(page)),
    writePage: (page, content) => pages.write(pageName(page), content),
    deletePage: (page) => pages.delete(pageName(page)),
    listPages: () => numbersOf(pages, /^([1-9][0-9]{0,15})\.page$/),
  };
}

/** The numbers in the names of a folder's files. */
async function numbersOf(folder: DurableFolder, pattern: RegExp): Promise<number[]> {
  return (await folder.names()).flatMap((name) => {
    const number = pattern.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}
