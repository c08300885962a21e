import { randomUUID } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  type FileSystem,
  nodeFileSystem,
  type OpenFile,
  type Parts,
  PrivateFileError,
  readPrivateFile,
  unlessMissing,
} from './file-system.ts';

const DRAFT_SUFFIX = '.tmp';

function partsOf(content: string | Uint8Array | Parts): Parts {
  if (typeof content === 'string') return [new TextEncoder().encode(content)];
  return content instanceof Uint8Array ? [content] : content;
}

/**
 * A folder, accessible to its owner alone, whose files are replaced as a whole: written under a temporary name, synced,
 * renamed, folder synced. After a kill or a power cut at any instant a file has its old content or its new content. A
 * change is durable when its call resolves. Removed content is overwritten in place; copy-on-write file systems and
 * SSDs may still keep it.
 */
export class DurableFolder {
  readonly path: string;
  readonly #fs: FileSystem;
  /**
   * Drafts that could not be removed because of a disk error; while there are any, no deletion is reported as complete.
   */
  readonly #leftovers = new Set<string>();

  private constructor(path: string, fs: FileSystem) {
    this.path = path;
    this.#fs = fs;
  }

  /**
   * For a single process: creates the folder, removes access for others, and destroys drafts of an interrupted write or
   * deletion.
   */
  static async open(path: string, fs: FileSystem = nodeFileSystem): Promise<DurableFolder> {
    await fs.makeDirectory(path);
    // Syncs renames of an earlier process that was killed before it did: callers rely on the names that are read from
    // here on.
    await fs.syncDirectory(path);
    const folder = new DurableFolder(path, fs);
    await folder.destroyDrafts();
    return folder;
  }

  /**
   * For several processes: creates the folder if it is missing, and keeps drafts.
   * @throws PrivateFileError when it is a link or accessible to others
   */
  static async openShared(path: string): Promise<DurableFolder> {
    if ((await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined) {
      await nodeFileSystem.syncDirectory(dirname(path));
    }
    return DurableFolder.existing(path);
  }

  /** As {@link openShared}, but creates nothing. @throws Error `ENOENT` when it is missing */
  static async existing(path: string): Promise<DurableFolder> {
    const found = await lstat(path);
    if (!found.isDirectory()) throw new PrivateFileError(`${path} is not a folder`);
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new PrivateFileError(`others than its owner may enter ${path}; chmod 700 it`);
    }
    return new DurableFolder(path, nodeFileSystem);
  }

  /** The folder that contains a file, whatever the folder's mode. */
  static of(path: string): DurableFolder {
    return new DurableFolder(dirname(path), nodeFileSystem);
  }

  /** Owned by the caller; null when there is none. */
  async read(name: string): Promise<Uint8Array | null> {
    await this.#tidy();
    return this.#fs.read(this.#at(name));
  }

  /** As {@link read}, of UTF-8. @throws PrivateFileError when others may open the file */
  readText(name: string): Promise<string | null> {
    return readPrivateFile(this.#at(name));
  }

  /** Opens a file for reading ranges; null when there is none. */
  open(name: string): Promise<OpenFile | null> {
    return this.#fs.open(this.#at(name));
  }

  /** @returns false, without any change, when the file exists */
  async create(name: string, content: string | Uint8Array): Promise<boolean> {
    const draft = await this.#writeDraft(name, content);
    let isNew = false;
    try {
      isNew = await this.#fs.link(draft, this.#at(name));
    } finally {
      if (!isNew) await this.#discard(draft);
    }
    if (isNew) {
      await this.#fs.remove(draft);
      await this.#fs.syncDirectory(this.path);
    }
    return isNew;
  }

  /** Creates or replaces a file; `Parts` are concatenated. Former content is not overwritten: see {@link supersede}. */
  async write(name: string, content: string | Uint8Array | Parts): Promise<void> {
    await this.#tidy();
    const draft = await this.#writeDraft(name, content);
    await this.#orDestroy(draft, this.#fs.rename(draft, this.#at(name)));
    await this.#fs.syncDirectory(this.path);
  }

  /** As {@link write} for an existing file, and overwrites its former content. */
  async supersede(name: string, content: string | Uint8Array): Promise<void> {
    const former = this.#draftOf(name);
    await this.#fs.link(this.#at(name), former);
    try {
      await this.write(name, content);
    } catch (error) {
      await this.#discard(former).catch(() => undefined);
      throw error;
    }
    await this.#destroy([former]);
  }

  /** Removes the names first, then overwrites and removes the content; missing files are ignored. */
  async delete(names: string | readonly string[]): Promise<void> {
    for (const name of [names].flat()) {
      const draft = this.#draftOf(name);
      await unlessMissing(
        this.#fs.rename(this.#at(name), draft).then(() => this.#leftovers.add(draft)),
        undefined,
      );
    }
    await this.#destroy(this.#leftovers);
  }

  /** File names in ascending order; a deletion that failed with a disk error is completed first. */
  async names(): Promise<string[]> {
    await this.#destroy(this.#leftovers);
    return (await this.#fs.list(this.path)).filter((name) => !name.endsWith(DRAFT_SUFFIX)).sort();
  }

  /** Destroys drafts of a process that was killed. No other process may be writing at the same time. */
  async destroyDrafts(): Promise<void> {
    for (const name of await this.#fs.list(this.path)) {
      if (name.endsWith(DRAFT_SUFFIX)) await this.#discard(join(this.path, name));
    }
  }

  async #writeDraft(name: string, content: string | Uint8Array | Parts): Promise<string> {
    const draft = this.#draftOf(name);
    await this.#orDestroy(draft, this.#fs.write(draft, partsOf(content)));
    return draft;
  }

  /**
   * Destroys the draft when `step` fails: half a file would keep a full disk full. A draft that cannot be removed now
   * is removed before names are listed again.
   */
  async #orDestroy(draft: string, step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (error) {
      await this.#destroy([draft]).catch(() => undefined);
      throw error;
    }
  }

  /** Destroys a draft; if another file shares its content, removes only the draft's name. */
  async #discard(draft: string): Promise<void> {
    if ((await this.#fs.linkCount(draft)) > 1) await this.#fs.remove(draft);
    else await this.#destroy([draft]);
  }

  /** Tries again to remove leftovers, before every operation. */
  async #tidy(): Promise<void> {
    await this.#destroy(this.#leftovers).catch(() => undefined);
  }

  /** Overwrites and removes drafts; those that fail stay in the leftovers. */
  async #destroy(drafts: Iterable<string>): Promise<void> {
    for (const draft of drafts) this.#leftovers.add(draft);
    const paths = [...drafts];
    if (paths.length === 0) return;
    // Before overwriting: a power cut must not restore a name whose content is already overwritten.
    await this.#fs.syncDirectory(this.path);
    for (const path of paths) {
      await this.#fs.overwrite(path);
      await this.#fs.remove(path);
    }
    await this.#fs.syncDirectory(this.path);
    for (const path of paths) this.#leftovers.delete(path);
  }

  #draftOf(name: string): string {
    return `${this.#at(name)}.${randomUUID()}${DRAFT_SUFFIX}`;
  }

  #at(name: string): string {
    if (['', '.', '..'].includes(name) || basename(name) !== name) throw new Error('not a name for a file of a folder');
    return join(this.path, name);
  }
}

/** Creates a file of mode 0600 atomically. @returns false when the file exists */
export function createPrivateFile(path: string, content: string): Promise<boolean> {
  return DurableFolder.of(path).create(basename(path), content);
}

/** Replaces or creates a file of mode 0600 atomically: after a kill it has the old content or the new. */
export function replacePrivateFile(path: string, content: string): Promise<void> {
  return DurableFolder.of(path).write(basename(path), content);
}

/**
 * Reads a secret's file, or creates it atomically with mode 0600. If two processes create it at once, both read the
 * content of the one that won.
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
