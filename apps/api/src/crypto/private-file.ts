import { randomFillSync, randomUUID } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** A secret's file can be read by others than its owner. */
export class PrivateFileError extends Error {
  override readonly name = 'PrivateFileError';
}

/** Group and others, but for a group's right to read what is not ours: that is how a container's platform hands out secrets. */
const refused = (uid: number): number => (uid === process.getuid?.() ? 0o077 : 0o037);

/**
 * The file's content, or null where there is none.
 * @throws PrivateFileError when everybody may read or write it, or its group where it is our own
 */
export async function readPrivateFile(path: string): Promise<string | null> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
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

/** Makes a change of a folder's entries durable. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export const DRAFT_SUFFIX = '.tmp';
const draftOf = (path: string): string => `${path}.${randomUUID()}${DRAFT_SUFFIX}`;

async function writeDraft(path: string, content: string): Promise<string> {
  const draft = draftOf(path);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Random bytes in the place of a file's own, on the disk when it resolves. What a copying file system keeps of it is beyond any program. */
async function overwrite(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  await file.write(randomFillSync(Buffer.alloc(size)), 0, size, 0);
  await file.sync();
}

/**
 * Removes a draft that a killed writer has left behind, overwritten; one that is a file's second name loses the name alone. Nobody may be
 * writing in the folder meanwhile.
 */
export async function destroyDraft(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    if ((await file.stat()).nlink === 1) await overwrite(file);
  } finally {
    await file.close();
  }
  await unlink(path);
}

/**
 * Takes a secret's file away and overwrites it; one that is not there is fine. The folder is not synced. Readers find it whole or not at all,
 * but for those who have it open. Killed on the way, it leaves a draft.
 */
export async function destroyPrivateFile(path: string): Promise<void> {
  const draft = draftOf(path);
  try {
    await rename(path, draft);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const file = await open(draft, 'r+');
  try {
    await overwrite(file);
  } finally {
    await file.close();
  }
  await unlink(draft);
}

/** Writes a file of mode 0600 in the place of whatever is there: a kill at any instant leaves the old content or the new. */
export async function replacePrivateFile(path: string, content: string): Promise<void> {
  await rename(await writeDraft(path, content), path);
  await syncFolder(dirname(path));
}

/** As {@link replacePrivateFile}, in the place of a secret that must be there: the former content is overwritten. */
export async function supersedePrivateFile(path: string, content: string): Promise<void> {
  const former = await open(path, 'r+');
  try {
    await replacePrivateFile(path, content);
    await overwrite(former);
  } finally {
    await former.close();
  }
}

/** Makes a file of mode 0600, whole or not at all. @returns false when there is one */
export async function createPrivateFile(path: string, content: string): Promise<boolean> {
  const draft = await writeDraft(path, content);
  try {
    await link(draft, path);
  } catch (error) {
    await destroyDraft(draft);
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  await unlink(draft);
  await syncFolder(dirname(path));
  return true;
}

/**
 * Reads a secret's file; where there is none, makes it with mode 0600, whole or not at all. Of two processes that make it
 * at once, one wins and both read the winner's content.
 * @throws PrivateFileError as {@link readPrivateFile}
 */
export async function readOrCreatePrivateFile(path: string, create: () => string): Promise<string> {
  const existing = await readPrivateFile(path);
  if (existing !== null) return existing;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await createPrivateFile(path, create());
  const made = await readPrivateFile(path);
  if (made === null) throw new Error('a file that was just made is gone');
  return made;
}
