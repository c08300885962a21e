import { join } from 'node:path';
import { FaceError } from '@svc/core';
import type { KeyStore, PackStore } from '@svc/device-sdk';
import { DurableFolder, type FileSystem, nodeFileSystem, tryLockFolder } from '@svc/durable-fs';
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

/** Runs `action`; file system errors become FaceError `storage-failed`. */
export async function inStorage<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (FaceError.is(cause)) throw cause;
    throw new FaceError('storage-failed', 'the device’s directory can’t be used', { cause, retryable: true });
  }
}

/**
 * Locks a device's directory, creating it if missing, against a second process, which would corrupt generations. A lock
 * of a process that has ended is taken over; that of a killed container after ten seconds.
 * @returns releases the lock
 * @throws FaceError `storage-failed`, also while another process holds the lock
 */
export function lockDirectory(directory: string): Promise<() => Promise<void>> {
  return inStorage(async () => {
    await nodeFileSystem.makeDirectory(directory);
    const release = await tryLockFolder(directory);
    if (release !== null) return () => inStorage(release);
    throw new FaceError('storage-failed', 'another process uses this directory', { retryable: true });
  });
}
