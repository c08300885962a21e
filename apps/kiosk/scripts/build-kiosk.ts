import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildDeviceAssetsOptions, buildDeviceAssets } from '@svc/device-sdk-web/assets';
import { bundlePage, bundleScript, hashesBelow, writeSite } from '@svc/site-build';
import { headersOf } from './headers.ts';

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export { PAGE_POLICY } from './headers.ts';

/**
 * Bundles the page that shows any one screen: `#` and the name of it. For tests and for looking at.
 * @returns the page's path below `outDir`
 */
export async function bundleGallery(outDir: string): Promise<string> {
  await bundlePage({ root, html: join(root, 'src', 'testing', 'gallery.html'), outDir });
  return 'src/testing/gallery.html';
}

export interface BuildKioskOptions {
  /** Emptied first. */
  readonly outDir: string;
  /** The engines whose models are in the page; every one that is installed when left out. */
  readonly engineIds?: readonly string[] | undefined;
  /** Folder of the add-on models; null for none. Left out: where `svc models add` puts them. */
  readonly addOnDirectory?: string | null | undefined;
  /** The passive check that the page makes; null for none. Left out: the bundle's default. */
  readonly passiveModel?: BuildDeviceAssetsOptions['passiveModel'] | undefined;
}

/** The page's scripts, styles and engine, each under a name that changes with its content. */
async function bundleWithEngine({ outDir, engineIds, addOnDirectory, passiveModel }: BuildKioskOptions): Promise<void> {
  const temporary = await mkdtemp(join(root, 'node_modules', '.engine-'));
  try {
    const directory = join(temporary, 'engine');
    const assets = await buildDeviceAssets({
      directory,
      ...(engineIds === undefined ? {} : { engineIds }),
      ...(addOnDirectory === undefined ? {} : { addOnDirectory }),
      ...(passiveModel === undefined ? {} : { passiveModel }),
    });
    const engineFolder = `engine-${createHash('sha256').update(JSON.stringify(assets)).digest('hex').slice(0, 16)}`;
    const define = {
      __ENGINE_FOLDER__: JSON.stringify(engineFolder),
      __MODELS_NOT_INSTALLED__: JSON.stringify(assets.notInstalled),
    };
    await bundlePage({ root, html: join(root, 'index.html'), outDir, define });
    await cp(directory, join(outDir, engineFolder), { recursive: true });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/**
 * Builds the page into a folder, ready to be put behind any web server: `site.json` says what each file is and how it
 * is served.
 * @throws ModelError `model-missing` for an engine or a passive check that there is not
 */
export async function buildKiosk(options: BuildKioskOptions): Promise<void> {
  const { outDir } = options;
  await bundleWithEngine(options);
  await bundleScript({
    root,
    entry: join(root, 'src', 'offline', 'service-worker.ts'),
    outDir,
    fileName: 'sw.js',
    target: 'es2022',
    define: { __PRECACHE__: JSON.stringify(await hashesBelow(outDir)) },
  });
  await writeSite(outDir, headersOf);
}
