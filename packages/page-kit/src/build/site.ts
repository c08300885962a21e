import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type EncodingName, encodeFile, encodings } from './encode.ts';

const types: readonly (readonly [RegExp, string])[] = [
  [/\.html$/, 'text/html; charset=utf-8'],
  [/\.js$/, 'text/javascript; charset=utf-8'],
  [/\.d\.ts$/, 'text/plain; charset=utf-8'],
  [/\.md$/, 'text/markdown; charset=utf-8'],
  [/\.css$/, 'text/css; charset=utf-8'],
  [/\.json$/, 'application/json'],
  [/\.webmanifest$/, 'application/manifest+json'],
  [/\.svg$/, 'image/svg+xml'],
  [/\.webp$/, 'image/webp'],
  [/\.wasm$/, 'application/wasm'],
];

/** `Content-Type` of a file by its name. */
export function contentTypeOf(path: string): string {
  return types.find(([pattern]) => pattern.test(path))?.[1] ?? 'application/octet-stream';
}

/** `Cache-Control` of a file whose name contains a hash of its content and that therefore never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Headers for a file, by its path below the site's folder. */
export type SiteHeaders = (path: string) => Readonly<Record<string, string>>;

interface StoredFile {
  /** Relative to the site's folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
  /** Base64. */
  readonly sha256: string;
}

/** A file in `site.json`. */
export interface ListedFile extends StoredFile {
  readonly headers: Readonly<Record<string, string>>;
  /** The same content in content codings, the best first: what to send with `Content-Encoding`. */
  readonly encodings: readonly (StoredFile & { readonly encoding: EncodingName })[];
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64');

/** SHA-256 in base64 of every file below a folder, by its relative path with slashes, sorted. */
export async function hashesBelow(folder: string): Promise<Record<string, string>> {
  const entries = (await filesBelow(folder)).map(
    async (path) => [path, hashOf(await readFile(join(folder, path)))] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** Encoded files of an earlier call. */
function encodedAmong(paths: readonly string[]): ReadonlySet<string> {
  const all = new Set(paths);
  return new Set(paths.flatMap((path) => encodings.map(({ suffix }) => path + suffix)).filter((path) => all.has(path)));
}

async function listFile(outDir: string, path: string, headersOf: SiteHeaders): Promise<ListedFile> {
  const plain = await readFile(join(outDir, path));
  const sha256 = hashOf(plain);
  const encoded = (await encodeFile(plain, sha256)).map(async ({ name, suffix, bytes }) => {
    await writeFile(join(outDir, path + suffix), bytes);
    return { encoding: name, path: path + suffix, bytes: bytes.length, sha256: hashOf(bytes) };
  });
  return {
    path,
    bytes: plain.length,
    sha256,
    headers: headersOf(path),
    encodings: await Promise.all(encoded),
  };
}

/**
 * Writes each file that gets smaller a second and third time, compressed with Brotli (`.br`) and gzip (`.gz`), and
 * `site.json`: every file of a built site with its SHA-256 in base64, its headers and its encodings. Servers send only
 * the files listed there.
 */
export async function writeSite(outDir: string, headersOf: SiteHeaders): Promise<void> {
  const all = await filesBelow(outDir);
  const earlier = encodedAmong(all);
  await Promise.all([...earlier].map((path) => rm(join(outDir, path))));
  const paths = all.filter((path) => !path.endsWith('site.json.new') && path !== 'site.json' && !earlier.has(path));
  const files = await Promise.all(paths.map((path) => listFile(outDir, path, headersOf)));
  // By rename: a server that reads it meanwhile finds the former one or the whole new one.
  const unfinished = join(outDir, '.site.json.new');
  await writeFile(unfinished, `${JSON.stringify({ format: 1, files }, null, 2)}\n`);
  await rename(unfinished, join(outDir, 'site.json'));
}
