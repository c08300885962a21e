import { constants } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The few operations that the stores need, so that a test can let the power fail between any two of them. */
export interface FileSystem {
  /** Null when there is no such file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Creates or replaces the content, for the owner alone, and waits until it is on the disk. Not atomic. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Overwrites the file with zeros in place. No file: nothing. */
  zero(path: string): Promise<void>;
  /** No file: nothing. */
  remove(path: string): Promise<void>;
  /** Names of the files in it; empty when it is not there. */
  list(directory: string): Promise<readonly string[]>;
  /** Makes it, and its parents, durably and for the owner alone; closes one that is open to others. */
  makeDirectory(directory: string): Promise<void>;
  /** Waits until creations, renames and removals in it are on the disk. */
  syncDirectory(directory: string): Promise<void>;
}

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

async function unlessMissing<T>(action: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await action;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return otherwise;
    throw error;
  }
}

export const nodeFileSystem: FileSystem = {
  read: async (path) => {
    const content = await unlessMissing<Uint8Array | null>(readFile(path), null);
    // A Buffer's `slice` is a view where a Uint8Array's is a copy: only the latter leaves this module.
    return content && new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  },
  async write(path, bytes) {
    const file = await open(path, 'w', FILE_MODE);
    try {
      // The mode above holds for new files only.
      await file.chmod(FILE_MODE);
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  rename,
  async zero(path) {
    const file = await unlessMissing(open(path, constants.O_RDWR), null);
    if (file === null) return;
    try {
      const { size } = await file.stat();
      await file.write(new Uint8Array(size), 0, size, 0);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  remove: (path) => unlessMissing(unlink(path), undefined),
  list: (directory) => unlessMissing(readdir(directory), []),
  async makeDirectory(directory) {
    const first = await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
    await chmod(directory, DIRECTORY_MODE);
    // Up to where nothing was made; the nearest parent always, for an earlier run may have ended before it was synced.
    const top = resolve(first ?? directory);
    for (let made = resolve(directory); ; made = dirname(made)) {
      await syncFolder(dirname(made)).catch(unlessForbidden);
      if (made === top) return;
    }
  },
  syncDirectory: syncFolder,
};

async function syncFolder(directory: string): Promise<void> {
  // Windows can't open a directory; its renames are journalled.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A parent that only others may list has been there before this device and is theirs to keep. */
function unlessForbidden(error: unknown): void {
  if (!hasCode(error, 'EACCES') && !hasCode(error, 'EPERM')) throw error;
}
