import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { build } from 'vite';
import { bundlePage, root, shared } from './bundle-page.ts';
import { headersOf } from './headers.ts';

export interface BuildKioskOptions {
  /** Emptied first. */
  readonly outDir: string;
  /** The engine whose templates the deployment makes; the default one when left out. No other engine's models are in the page. */
  readonly engineId?: string | undefined;
  /** Folder of the add-on models; null for none. Left out: where `svc models add` puts them. */
  readonly addOnDirectory?: string | null | undefined;
}

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes);

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

async function hashesBelow(folder: string): Promise<Record<string, string>> {
  const entries = (await filesBelow(folder)).map(
    async (path) => [path, sha256(await readFile(join(folder, path))).digest('base64')] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/** The page's scripts, styles and engine, each under a name that changes with its content. */
async function bundleWithEngine({ outDir, engineId, addOnDirectory }: BuildKioskOptions): Promise<void> {
  const temporary = await mkdtemp(join(root, 'node_modules', '.engine-'));
  try {
    const directory = join(temporary, 'engine');
    const assets = await buildDeviceAssets({
      directory,
      ...(engineId === undefined ? {} : { engineId }),
      ...(addOnDirectory === undefined ? {} : { addOnDirectory }),
    });
    const engineFolder = `engine-${sha256(JSON.stringify(assets)).digest('hex').slice(0, 16)}`;
    await bundlePage({
      html: join(root, 'index.html'),
      outDir,
      define: { __ENGINE_FOLDER__: JSON.stringify(engineFolder) },
    });
    await cp(directory, join(outDir, engineFolder), { recursive: true });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Builds the page into a folder, ready to be put behind any web server: `site.json` says what each file is and how it is served.
 * @throws ModelError `model-missing` for an engine that there is not
 */
export async function buildKiosk(options: BuildKioskOptions): Promise<void> {
  const { outDir } = options;
  await bundleWithEngine(options);
  await build({
    ...shared,
    publicDir: false,
    define: { __PRECACHE__: JSON.stringify(await hashesBelow(outDir)) },
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
  const files = Object.entries(await hashesBelow(outDir));
  const site = files.map(([path, hash]) => ({ path, sha256: hash, headers: headersOf(path) }));
  await writeFile(join(outDir, 'site.json'), `${JSON.stringify({ format: 1, files: site }, null, 2)}\n`);
}
