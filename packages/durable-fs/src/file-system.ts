import { randomFillSync } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, link, lstat, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The file operations of the stores, as an interface so that a test can simulate a power failure between any two. */
export interface FileSystem {
  /** Null when there is no such file. */
  read(path: string): Promise<Uint8Array | null>;
  /** Creates or replaces a file with the concatenated `parts`, mode 0600, and syncs it. Not atomic. */
  write(path: string, parts: Parts): Promise<void>;
  /** Opens a file for reading ranges; null when there is none. */
  open(path: string): Promise<OpenFile | null>;
  /** @throws Error `ENOENT` when there is no such file */
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name. @returns false when there is a file of that name; @throws Error `ENOENT` */
  link(from: string, to: string): Promise<boolean>;
  /** Number of hard links; 0 when there is no such file. */
  linkCount(path: string): Promise<number>;
  /** Overwrites the file's bytes in place and syncs it; does nothing when there is no such file. */
  overwrite(path: string): Promise<void>;
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>;
  /** Names of the files in a directory; empty when it is missing. */
  list(directory: string): Promise<readonly string[]>;
  /** Creates a directory and its parents durably with mode 0700; removes others' access from an existing one. */
  makeDirectory(directory: string): Promise<void>;
  /** Waits until creations, renames and removals in the directory are on the disk. */
  syncDirectory(directory: string): Promise<void>;
}

export type Parts = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** An open file for reading ranges. */
export interface OpenFile {
  readonly byteLength: number;
  /** Exactly `length` bytes from `offset`; rejects where there are fewer, and after {@link close}. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Files are overwritten in pieces of this size. */
const PIECE_BYTES = 2 ** 20;
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

export const hasCode = (error: unknown, code: string): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === code;

/** Resolves to `otherwise` when the file does not exist. */
export async function unlessMissing<T>(action: Promise<T>, otherwise: T): Promise<T> {
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
    // `Buffer.slice` returns a view, `Uint8Array.slice` a copy: only a Uint8Array leaves this module.
    return content && new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  },
  async write(path, parts) {
    const file = await open(path, 'w', FILE_MODE);
    try {
      // The mode above holds for new files only.
      await file.chmod(FILE_MODE);
      for await (const part of parts) await file.writeFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  async open(path) {
    const file = await unlessMissing(open(path, 'r'), null);
    if (file === null) return null;
    try {
      return openFile(file, (await file.stat()).size);
    } catch (error) {
      await file.close();
      throw error;
    }
  },
  rename,
  async link(from, to) {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
  },
  linkCount: (path) =>
    unlessMissing(
      lstat(path).then(({ nlink }) => nlink),
      0,
    ),
  async overwrite(path) {
    const file = await unlessMissing(open(path, constants.O_RDWR), null);
    if (file === null) return;
    try {
      const { size } = await file.stat();
      const noise = randomFillSync(new Uint8Array(Math.min(size, PIECE_BYTES)));
      for (let at = 0; at < size; at += noise.length) await file.write(noise, 0, Math.min(noise.length, size - at), at);
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
    // Sync up to the first existing parent. The nearest parent always: an earlier run may have ended before syncing it.
    const top = resolve(first ?? directory);
    for (let made = resolve(directory); ; made = dirname(made)) {
      await syncFolder(dirname(made)).catch(unlessForbidden);
      if (made === top) return;
    }
  },
  syncDirectory: syncFolder,
};

function openFile(file: FileHandle, byteLength: number): OpenFile {
  let closed: Promise<void> | null = null;
  return {
    byteLength,
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      for (let at = 0; at < length; ) {
        const { bytesRead } = await file.read(bytes, at, length - at, offset + at);
        if (bytesRead === 0) throw new Error('the file ends before the range does');
        at += bytesRead;
      }
      if (closed !== null) throw new Error('the file is closed');
      return bytes;
    },
    close() {
      closed ??= file.close();
      return closed;
    },
  };
}

async function syncFolder(directory: string): Promise<void> {
  // Windows cannot open a directory; its renames are journalled.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Ignores a parent that we may not open: it existed before and belongs to others. */
function unlessForbidden(error: unknown): void {
  if (!hasCode(error, 'EACCES') && !hasCode(error, 'EPERM')) throw error;
}

/** Others than the owner can read a secret's file. */
export class PrivateFileError extends Error {
  override readonly name = 'PrivateFileError';
}

/**
 * Mode bits that a secret's file must not have. A file of another owner may be readable by its group: container
 * platforms mount secrets in that way.
 */
const refused = (uid: number): number => (uid === process.getuid?.() ? 0o077 : 0o037);

/**
 * The file's content, or null when there is none.
 * @throws PrivateFileError when its mode has one of the {@link refused} bits
 */
export async function readPrivateFile(path: string): Promise<string | null> {
  const file = await unlessMissing(open(path, 'r'), null);
  if (file === null) return null;
  try {
    const { mode, uid } = await file.stat();
    if (process.platform !== 'win32' && (mode & refused(uid)) !== 0) {
      throw new PrivateFileError(`others than its owner may open ${path}; chmod 600 it, and replace what it holds`);
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
