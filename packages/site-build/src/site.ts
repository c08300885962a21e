import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Headers for a file, by its path below the site's folder. */
export type SiteHeaders = (path: string) => Readonly<Record<string, string>>;

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

/** SHA-256 in base64 of every file below a folder, by its relative path with slashes, sorted. */
export async function hashesBelow(folder: string): Promise<Record<string, string>> {
  const entries = (await filesBelow(folder)).map(async (path) => {
    const bytes = await readFile(join(folder, path));
    return [path, createHash('sha256').update(bytes).digest('base64')] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Writes `site.json`: every file of a built site with its SHA-256 in base64 and its headers. Servers send only the
 * files listed there.
 */
export async function writeSite(outDir: string, headersOf: SiteHeaders): Promise<void> {
  const hashes = Object.entries(await hashesBelow(outDir)).filter(([path]) => path !== 'site.json');
  const files = hashes.map(([path, sha256]) => ({ path, sha256, headers: headersOf(path) }));
  await writeFile(join(outDir, 'site.json'), `${JSON.stringify({ format: 1, files }, null, 2)}\n`);
}
