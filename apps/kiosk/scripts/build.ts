/** Builds the page into `dist/`, ready to be put behind any web server: `site.json` says what each file is and how it is served. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { build } from 'vite';
import { bundlePage, root, shared } from './bundle-page.ts';
import { headersOf } from './headers.ts';

const outDir = join(root, 'dist');

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes);

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

async function hashesOf(paths: readonly string[]): Promise<Record<string, string>> {
  const entries = await Promise.all(
    paths.map(async (path) => [path, sha256(await readFile(join(outDir, path))).digest('base64')] as const),
  );
  return Object.fromEntries(entries);
}

async function main(): Promise<void> {
  const engine = await mkdtemp(join(root, 'node_modules', '.engine-'));
  try {
    const assets = await buildDeviceAssets({ directory: engine });
    const engineFolder = `engine-${sha256(JSON.stringify(assets)).digest('hex').slice(0, 16)}`;
    await bundlePage({
      html: join(root, 'index.html'),
      outDir,
      define: { __ENGINE_FOLDER__: JSON.stringify(engineFolder) },
    });
    await rename(engine, join(outDir, engineFolder));
  } finally {
    await rm(engine, { recursive: true, force: true });
  }

  const files = await hashesOf(await filesBelow(outDir));
  await build({
    ...shared,
    publicDir: false,
    define: { __PRECACHE__: JSON.stringify(files) },
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      lib: {
        entry: join(root, 'src', 'offline', 'service-worker.ts'),
        formats: ['iife'],
        name: 'kiosk',
        fileName: () => 'sw.js',
      },
    },
  });

  const all = await hashesOf(await filesBelow(outDir));
  const site = Object.entries(all).map(([path, hash]) => ({ path, sha256: hash, headers: headersOf(path) }));
  await writeFile(join(outDir, 'site.json'), `${JSON.stringify({ format: 1, files: site }, null, 2)}\n`);
}

await main();
