import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineRecipes } from '../engine-spec.ts';
import { parseManifest } from '../manifest.ts';
import { writeModelFolder } from '../node/write-model-folder.ts';
import { compileBaseModels, readSources, type Sources } from './base-models.ts';

const here = dirname(fileURLToPath(import.meta.url));
/** What the core makes a network's file with. */
const formatFiles = ['bytes', 'network/filters', 'network/format', 'network/plan', 'network/widen'];

/**
 * Builds the base bundle in `directory`, unless it is up to date with this code and its sources.
 *
 * @returns whether it was built
 */
export async function prepareBundle(directory: string): Promise<boolean> {
  const sources = readSources();
  const stamp = `${inputHash(sources)}\n`;
  if (isUpToDate(directory, stamp)) return false;
  await writeModelFolder(directory, { engines: engineRecipes }, compileBaseModels(sources), { stamp });
  return true;
}

function inputHash(sources: Sources): string {
  const hash = createHash('sha256');
  for (const [name, bytes] of Object.entries(sources)) hash.update(`\0${name}\0`).update(bytes);
  const code = readdirSync(join(here, '..'), { recursive: true, encoding: 'utf8' });
  const own = code.filter((file) => /\.(ts|json)$/.test(file) && !/\.test\.|testing/.test(file)).sort();
  const cores = formatFiles.map((file) => join('../../core/src', `${file}.ts`));
  for (const name of [...own, ...cores]) hash.update(`\0${name}\0`).update(readFileSync(join(here, '..', name)));
  return hash.digest('hex');
}

/** Whether the bundle in `directory` is whole, and of the code and sources with this stamp. */
export function isUpToDate(directory: string, stamp: string): boolean {
  try {
    if (readFileSync(join(directory, 'stamp'), 'utf8') !== stamp) return false;
    const { models } = parseManifest(readFileSync(join(directory, 'manifest.json'), 'utf8'));
    return Object.values(models).every(({ file, sha256 }) => {
      const path = join(directory, file);
      return existsSync(path) && createHash('sha256').update(readFileSync(path)).digest('hex') === sha256;
    });
  } catch {
    return false;
  }
}
