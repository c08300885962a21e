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
 * A folder of files, for its owner alone, that are replaced whole: written beside under a name of the writer's own,
 * synced, renamed over, folder synced. A kill or a power cut at any instant leaves the old content or the new. Every
 * change is durable when its call resolves. Removed content is overwritten in place; copy-on-write file systems and
 * SSDs may keep it.
 */
export class DurableFolder {
  readonly path: string;
  readonly #fs: FileSystem;
  /**
   * Drafts that a deletion or a write left because the disk failed: as long as any may be there, nothing is said to be
   * gone.
   */
  readonly #leftovers = new Set<string>();

  private constructor(path: string, fs: FileSystem) {
    this.path = path;
    this.#fs = fs;
  }

  /**
   * For one process at a time: makes the folder, closes it to others, and destroys what an interrupted write or
   * deletion left.
   */
  static async open(path: string, fs: FileSystem = nodeFileSystem): Promise<DurableFolder> {
    await fs.makeDirectory(path);
    // A program killed right after a rename leaves a name that a power cut could still remove; callers rely on it from
    // here.
    await fs.syncDirectory(path);
    const folder = new DurableFolder(path, fs);
    await folder.destroyDrafts();
    return folder;
  }

  /**
   * For several processes: makes the folder where there is none, and leaves drafts alone.
   * @throws PrivateFileError when it is a link or others than its owner may enter it
   */
  static async openShared(path: string): Promise<DurableFolder> {
    if ((await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined) {
      await nodeFileSystem.syncDirectory(dirname(path));
    }
    return DurableFolder.existing(path);
  }

  /** As {@link openShared}, but makes nothing. @throws Error `ENOENT` where there is none */
  static async existing(path: string): Promise<DurableFolder> {
    const found = await lstat(path);
    if (!found.isDirectory()) throw new PrivateFileError(`${path} is not a folder`);
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new PrivateFileError(`others than its owner may enter ${path}; chmod 700 it`);
    }
    return new DurableFolder(path, nodeFileSystem);
  }

  /** The folder that a file lies in, whoever may enter it. */
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

  /** Opens it to be read in ranges; null when there is none. */
  open(name: string): Promise<OpenFile | null> {
    return this.#fs.open(this.#at(name));
  }

  /** @returns false, and changes nothing, when there is a file of the name */
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

  /** Creates or replaces; `Parts` are joined as they come. Former content is not overwritten: see {@link supersede}. */
  async write(name: string, content: string | Uint8Array | Parts): Promise<void> {
    await this.#tidy();
    const draft = await this.#writeDraft(name, content);
    await this.#orDestroy(draft, this.#fs.rename(draft, this.#at(name)));
    await this.#fs.syncDirectory(this.path);
  }

  /** As {@link write}, of a file that is there, whose former content is overwritten. */
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

  /** Takes the names away at once, then overwrites and removes what they named; those that are not there are fine. */
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

  /** Of what is there, in ascending order; a deletion that the disk failed is finished first. */
  async names(): Promise<string[]> {
    await this.#destroy(this.#leftovers);
    return (await this.#fs.list(this.path)).filter((name) => !name.endsWith(DRAFT_SUFFIX)).sort();
  }

  /** Destroys what was being written or deleted when a process was killed. No process may be writing meanwhile. */
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

  /** Half a file would keep a full disk full. What can't be removed now goes before names are told again. */
  async #orDestroy(draft: string, step: Promise<void>): Promise<void> {
    try {
      await step;
    } catch (error) {
      await this.#destroy([draft]).catch(() => undefined);
      throw error;
    }
  }

  /** Destroys a draft, unless its content is also that of a file that stays: then only the draft's name goes. */
  async #discard(draft: string): Promise<void> {
    if ((await this.#fs.linkCount(draft)) > 1) await this.#fs.remove(draft);
    else await this.#destroy([draft]);
  }

  /** Tries again to remove what is left over, whatever the folder is asked for. */
  async #tidy(): Promise<void> {
    await this.#destroy(this.#leftovers).catch(() => undefined);
  }

  /** Overwrites and removes drafts; those that the disk fails stay among the leftovers. */
  async #destroy(drafts: Iterable<string>): Promise<void> {
    for (const draft of drafts) this.#leftovers.add(draft);
    const paths = [...drafts];
    if (paths.length === 0) return;
    // First of all: a power cut must not give a name back to content that is overwritten.
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

/** Makes a file of mode 0600, whole or not at all. @returns false when there is one */
export function createPrivateFile(path: string, content: string): Promise<boolean> {
  return DurableFolder.of(path).create(basename(path), content);
}

/**
 * Writes a file of mode 0600 in the place of whatever is there: a kill at any instant leaves the old content or the
 * new.
 */
export function replacePrivateFile(path: string, content: string): Promise<void> {
  return DurableFolder.of(path).write(basename(path), content);
}

/**
 * Reads a secret's file; where there is none, makes it with mode 0600, whole or not at all. Of two processes that make
 * it at once, one wins and both read the winner's content.
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
