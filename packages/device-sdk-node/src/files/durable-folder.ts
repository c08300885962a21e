import { join } from 'node:path';
import type { FileSystem, OpenFile, Parts } from './file-system.ts';

const UNFINISHED = '.tmp';

/**
 * A folder of files that are replaced whole: written beside, synced, renamed over, folder synced. A kill at any instant leaves the
 * old content or the new.
 */
export class DurableFolder {
  readonly #fs: FileSystem;
  readonly #directory: string;
  /** What a deletion or a write left that the disk failed: as long as any of it may be there, nothing is said to be gone. */
  readonly #leftovers = new Set<string>();

  private constructor(fs: FileSystem, directory: string) {
    this.#fs = fs;
    this.#directory = directory;
  }

  /** Makes the folder and removes what an interrupted write or deletion left. */
  static async open(fs: FileSystem, directory: string): Promise<DurableFolder> {
    await fs.makeDirectory(directory);
    // A program that was killed right behind a rename leaves a name that a power cut could still take, and that is relied on from here.
    await fs.syncDirectory(directory);
    const folder = new DurableFolder(fs, directory);
    for (const name of await fs.list(directory)) {
      if (name.endsWith(UNFINISHED)) await folder.#discard(join(directory, name));
    }
    return folder;
  }

  async read(name: string): Promise<Uint8Array | null> {
    await this.#tidy();
    return this.#fs.read(this.#path(name));
  }

  /** Opens it to be read in ranges; null when there is none. */
  open(name: string): Promise<OpenFile | null> {
    return this.#fs.open(this.#path(name));
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.writeParts(name, [bytes]);
  }

  /** As {@link write}, of `parts` joined as they come. */
  async writeParts(name: string, parts: Parts): Promise<void> {
    await this.#tidy();
    const unfinished = this.#path(name + UNFINISHED);
    if (this.#leftovers.has(unfinished)) await this.#discard(unfinished);
    try {
      await this.#fs.write(unfinished, parts);
      await this.#fs.rename(unfinished, this.#path(name));
    } catch (error) {
      // Half a pack on a full disk would be what keeps it full. What can't be removed now goes before names are told again.
      this.#leftovers.add(unfinished);
      await this.#discard(unfinished).catch(() => undefined);
      throw error;
    }
    await this.#fs.syncDirectory(this.#directory);
  }

  /** Takes the name away at once, then zeroes and removes what is left of it. Idempotent. */
  async delete(name: string): Promise<void> {
    const unfinished = this.#path(name + UNFINISHED);
    if (this.#leftovers.has(unfinished)) await this.#discard(unfinished);
    if (!(await this.#fs.list(this.#directory)).includes(name)) return;
    await this.#fs.rename(this.#path(name), unfinished);
    this.#leftovers.add(unfinished);
    await this.#discard(unfinished);
  }

  /** Of what is there; a deletion that the disk failed is finished first. */
  async names(): Promise<readonly string[]> {
    for (const path of this.#leftovers) await this.#discard(path);
    return (await this.#fs.list(this.#directory)).filter((name) => !name.endsWith(UNFINISHED));
  }

  /** Tries again to remove what is left over, whatever the folder is asked for: nobody may ever ask for its names. */
  async #tidy(): Promise<void> {
    for (const path of this.#leftovers) await this.#discard(path).catch(() => undefined);
  }

  async #discard(path: string): Promise<void> {
    // First of all: a power cut must not give zeros the name back that was taken away.
    await this.#fs.syncDirectory(this.#directory);
    await this.#fs.zero(path);
    await this.#fs.remove(path);
    await this.#fs.syncDirectory(this.#directory);
    this.#leftovers.delete(path);
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}
