import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CoreKind } from '@svc/core';
import {
  type BuildDeviceAssetsOptions,
  buildDeviceAssets,
  ENGINE_WORKER_POLICY,
  parsePassiveModel,
} from '@svc/device-sdk-web/assets';
import { bundlePage, bundleScript, contentTypeOf, hashesBelow, IMMUTABLE, writeSite } from '@svc/page-kit/build';

/** The page runs its own scripts only; `wasm-unsafe-eval` allows the core's WebAssembly but no evaluation of text. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types default',
].join('; ');

const SERVICE_WORKER_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

/** A name with a hash of the content always has the same content. */
const isHashed = (path: string): boolean => /^(assets|engine-[0-9a-f]{16})\//.test(path);

function policyOf(path: string): string {
  if (path === 'index.html') return PAGE_POLICY;
  if (path === 'sw.js') return SERVICE_WORKER_POLICY;
  if (/^(assets\/code-worker-[\w-]+|engine-[0-9a-f]{16}\/engine-worker)\.js$/.test(path)) return ENGINE_WORKER_POLICY;
  return "default-src 'none'";
}

/** Headers with which a server must send a file of the page. */
function headersOf(path: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': contentTypeOf(path),
    'Cache-Control': isHashed(path) ? IMMUTABLE : 'no-cache',
    'Content-Security-Policy': policyOf(path),
    ...(path === 'index.html'
      ? {
          'Permissions-Policy': 'camera=(self), microphone=(), geolocation=()',
          'Cross-Origin-Opener-Policy': 'same-origin',
        }
      : {}),
  };
}

/** Folder of this package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Bundles the development page that shows the screen named in the URL hash.
 * @returns the page's path below `outDir`
 */
export async function bundleGallery(outDir: string): Promise<string> {
  await bundlePage({ root, html: join(root, 'src', 'testing', 'gallery.html'), outDir });
  return 'src/testing/gallery.html';
}

/** Files for browsers with one build of the core; `later`: for devices of lists of one engine, which fetch them then. */
type Group = CoreKind | 'later';

/** The engines whose models the page gets, and its passive check. */
export interface BuildKioskOptions extends Omit<BuildDeviceAssetsOptions, 'directory' | 'native'> {
  /** Emptied first. */
  readonly outDir: string;
}

/**
 * The page's scripts, styles and engine, each under a name with a hash of its content.
 * @returns the engine's files that not every kiosk loads, by path, and who does
 */
async function bundleWithEngine({ outDir, ...models }: BuildKioskOptions): Promise<ReadonlyMap<string, Group>> {
  const temporary = await mkdtemp(join(root, 'node_modules', '.engine-'));
  try {
    const directory = join(temporary, 'engine');
    const assets = await buildDeviceAssets({ directory, ...models });
    const engineFolder = `engine-${createHash('sha256').update(JSON.stringify(assets)).digest('hex').slice(0, 16)}`;
    const define = {
      __ENGINE_FOLDER__: JSON.stringify(engineFolder),
      __MODELS_NOT_INSTALLED__: JSON.stringify(assets.notInstalled),
      __HAS_PASSIVE_CHECK__: JSON.stringify(assets.passiveModel !== null),
    };
    await bundlePage({ root, html: join(root, 'index.html'), outDir, define });
    await cp(directory, join(outDir, engineFolder), { recursive: true });
    return new Map(
      assets.files.flatMap(({ path, kind, engineId }) => {
        const group = engineId === undefined ? kind : 'later';
        return group === undefined ? [] : [[`${engineFolder}/${path}`, group] as const];
      }),
    );
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Sorts the files by who needs them. */
function byGroup(hashes: Readonly<Record<string, string>>, engineFiles: ReadonlyMap<string, Group>) {
  const kinds = ['simd', 'scalar'] as const;
  const sorted: Record<Group | 'all', Record<string, string>> = { all: {}, simd: {}, scalar: {}, later: {} };
  for (const [path, sha256] of Object.entries(hashes)) {
    const kind = engineFiles.get(path) ?? kinds.find((each) => path.startsWith(`assets/core-${each}-`));
    sorted[kind ?? 'all'][path] = sha256;
  }
  return sorted;
}

/**
 * Builds the page into a folder that any web server can serve; `site.json` lists each file with its headers.
 * @throws ModelError `model-missing` if an engine or the passive check is not installed
 */
export async function buildKiosk(options: BuildKioskOptions): Promise<void> {
  const { outDir } = options;
  const engineFiles = await bundleWithEngine(options);
  await bundleScript({
    root,
    entry: join(root, 'src', 'offline', 'service-worker.ts'),
    outDir,
    fileName: 'sw.js',
    target: 'es2022',
    define: { __PRECACHE__: JSON.stringify(byGroup(await hashesBelow(outDir), engineFiles)) },
  });
  await writeSite(outDir, headersOf);
}

/** @throws Error for an unknown `SVC_MODELS`; models that cannot be had are told of */
function installModels(): void {
  const program = join(root, '..', '..', 'packages', 'face-models', 'scripts', 'install-recommended.ts');
  const { status } = spawnSync(process.execPath, [...process.execArgv, program], { stdio: 'inherit' });
  if (status === 1) throw new Error('the recommended models could not be looked at');
}

/**
 * Run as a program it installs the recommended models unless `SVC_MODELS` says no, and builds into `dist/`. `SVC_KIOSK_ENGINES`: engine ids separated by commas (default: all installed).
 * `SVC_PASSIVE_MODEL`: the passive check, or `none` (default: that of the model bundle).
 */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { SVC_KIOSK_ENGINES: engines, SVC_PASSIVE_MODEL: passive } = process.env;
  if (process.env.SVC_MODELS !== 'built-in') installModels();
  await buildKiosk({
    outDir: join(root, 'dist'),
    ...(engines ? { engineIds: engines.split(',').map((id) => id.trim()) } : {}),
    ...(passive ? { passiveModel: parsePassiveModel(passive) } : {}),
  });
}
