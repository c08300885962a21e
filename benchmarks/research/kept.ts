import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Stores the results of a long run by name, so that an interrupted run can be resumed and later stages repeated without
 * rendering.
 */
export interface Kept<T> {
  /** Null if not stored. */
  find(name: string): Promise<T | null>;
  keep(name: string, value: T): Promise<void>;
}

/** JSON, one file per name. Null: nothing is stored. */
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
