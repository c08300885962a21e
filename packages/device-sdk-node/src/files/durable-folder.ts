import { join } from 'node:path';
import type { FileSystem } from './file-system.ts';

const UNFINISHED = '.tmp';

/**
 * A folder of small files that are replaced whole: written beside, synced, renamed over, folder synced. A kill at any instant leaves the
 * old content or the new.
 */
export class DurableFolder {
  readonly #fs: FileSystem;
  readonly #directory: string;

  private constructor(fs: FileSystem, directory: string) {
    this.#fs = fs;
    this.#directory = directory;
  }

  /** Makes the folder and removes what an interrupted write left. */
  static async open(fs: FileSystem, directory: string): Promise<DurableFolder> {
    await fs.makeDirectory(directory);
    const folder = new DurableFolder(fs, directory);
    for (const name of await fs.list(directory)) if (name.endsWith(UNFINISHED)) await folder.delete(name);
    return folder;
  }

  read(name: string): Promise<Uint8Array | null> {
    return this.#fs.read(this.#path(name));
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const unfinished = this.#path(name + UNFINISHED);
    await this.#fs.write(unfinished, bytes);
    await this.#fs.rename(unfinished, this.#path(name));
    await this.#fs.syncDirectory(this.#directory);
  }

  /** As {@link write}, zeroing the old content first: for secrets. Between the two there is none. */
  async replaceSecret(name: string, bytes: Uint8Array): Promise<void> {
    const unfinished = this.#path(name + UNFINISHED);
    await this.#fs.write(unfinished, bytes);
    await this.#fs.zero(this.#path(name));
    await this.#fs.rename(unfinished, this.#path(name));
    await this.#fs.syncDirectory(this.#directory);
  }

  /** Zeroes, then removes. Idempotent. */
  async delete(name: string): Promise<void> {
    await this.#fs.zero(this.#path(name));
    await this.#fs.remove(this.#path(name));
    await this.#fs.syncDirectory(this.#directory);
  }

  async names(): Promise<readonly string[]> {
    return (await this.#fs.list(this.#directory)).filter((name) => !name.endsWith(UNFINISHED));
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}
