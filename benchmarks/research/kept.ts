import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * What was measured under a name before, or what `measure` finds now, kept as JSON: so that an interrupted run resumes,
 * and later stages are repeated without rendering.
 * @param folder null: nothing is kept
 */
export async function kept<T>(folder: string | null, name: string, measure: () => Promise<T>): Promise<T> {
  if (folder === null) return measure();
  const file = join(folder, `${name}.json`);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text !== null) return JSON.parse(text) as T;
  const measured = await measure();
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.part`, JSON.stringify(measured));
  await rename(`${file}.part`, file);
  return measured;
}
