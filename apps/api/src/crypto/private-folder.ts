import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createPrivateFile,
  DRAFT_SUFFIX,
  destroyDraft,
  destroyPrivateFile,
  PrivateFileError,
  readPrivateFile,
  replacePrivateFile,
  supersedePrivateFile,
  syncFolder,
} from './private-file.ts';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** A folder of small files, each written whole and made durable before a call resolves. Only its owner may enter it. */
export class PrivateFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder where there is none. @throws PrivateFileError when it is a link or others than its owner may enter it */
  static async open(path: string): Promise<PrivateFolder> {
    if ((await mkdir(path, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(dirname(path));
    return PrivateFolder.existing(path);
  }

  /** As `open`, but makes nothing. @throws Error where there is none */
  static async existing(path: string): Promise<PrivateFolder> {
    const found = await lstat(path);
    if (!found.isDirectory()) throw new PrivateFileError(`${path} is not a folder`);
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
      throw new PrivateFileError(`others than its owner may enter ${path}; chmod 700 it`);
    }
    return new PrivateFolder(path);
  }

  read(name: string): Promise<string | null> {
    return readPrivateFile(this.#at(name));
  }

  /** @returns false when there is a file of the name */
  create(name: string, content: string): Promise<boolean> {
    return createPrivateFile(this.#at(name), content);
  }

  replace(name: string, content: string): Promise<void> {
    return replacePrivateFile(this.#at(name), content);
  }

  /** As `replace`, for a secret that is there: its former content is overwritten. */
  supersede(name: string, content: string): Promise<void> {
    return supersedePrivateFile(this.#at(name), content);
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(this.#at(name), { force: true });
    if (names.length > 0) await syncFolder(this.path);
  }

  /** Removes secrets, overwritten; those that are not there are fine. */
  async destroy(names: readonly string[]): Promise<void> {
    for (const name of names) await destroyPrivateFile(this.#at(name));
    if (names.length > 0) await syncFolder(this.path);
  }

  /** Removes in the same way what was being written or destroyed when a process was killed. Nobody may be writing meanwhile. */
  async destroyDrafts(): Promise<void> {
    const drafts = (await readdir(this.path)).filter((name) => name.endsWith(DRAFT_SUFFIX));
    for (const name of drafts) await destroyDraft(this.#at(name));
    if (drafts.length > 0) await syncFolder(this.path);
  }

  /** In ascending order. */
  async names(): Promise<string[]> {
    return (await readdir(this.path)).filter((name) => !name.endsWith(DRAFT_SUFFIX)).sort();
  }

  #at(name: string): string {
    if (!NAME.test(name)) throw new Error('not a name for a file of the key store');
    return join(this.path, name);
  }
}
