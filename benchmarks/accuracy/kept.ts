import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Results of a long run by name, so that one that was cut off goes on where it was, and a change of what comes after
 * costs no rendering.
 */
export interface Kept<T> {
  /** Null where it was not kept. */
  find(name: string): Promise<T | null>;
  keep(name: string, value: T): Promise<void>;
}

/** As JSON, a file a name. Null: nothing is kept. */
export function keptIn<T>(folder: string | null): Kept<T> {
  if (folder === null) return { find: () => Promise.resolve(null), keep: () => Promise.resolve() };
  return {
    async find(name) {
      const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => null);
      return text === null ? null : (JSON.parse(text) as T);
    },
    async keep(name, value) {
      await mkdir(folder, { recursive: true });
      const part = join(folder, `${name}.part`);
      await writeFile(part, JSON.stringify(value));
      await rename(part, join(folder, `${name}.json`));
    },
  };
}
