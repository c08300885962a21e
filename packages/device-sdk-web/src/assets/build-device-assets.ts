import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { FaceError } from '@svc/core';
import {
  enginesIn,
  type ModelManifest,
  manifestOfEngines,
  manifestOfPassiveModel,
  modelFiles,
  type PassiveModelName,
  passiveModelIn,
  passiveModelNames,
} from '@svc/face-models';
import { openModelBundle } from '@svc/face-models/node';
import {
  type AssetFile,
  type AssetManifest,
  ENGINE_WORKER_POLICY,
  NATIVE_PAGE_PATHS,
  NATIVE_PAGE_POLICY,
  WORKER_PATHS,
} from './asset-manifest.ts';

/** Options of {@link buildDeviceAssets}. */
export interface BuildDeviceAssetsOptions {
  /** Created if missing. Files of an earlier build are replaced, other files stay. */
  readonly directory: string;
  /** Names of the engines that the folder's worker supports. Default: every installed one. */
  readonly engineIds?: readonly string[];
  /** Folder of the add-on models; null for none. Default: where `svc models add` installs them. */
  readonly addOnDirectory?: string | null;
  /**
   * The page's passive check: null for none, a name to require it. Default: if it is installed.
   */
  readonly passiveModel?: PassiveModelName | null;
  /** Adds the page that native shells show, `index.html`: the folder is then packaged in an app. Default false. */
  readonly native?: boolean;
}

const MANIFEST = 'assets.json';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
};

/**
 * Writes all files that the engine's worker loads: its script, the core with WebAssembly SIMD and without (a browser
 * loads one of them), the models, and `assets.json`, which lists them.
 * @throws FaceError `model-missing` if this package or its models were not built
 * @throws ModelError `model-mismatch`; `model-missing` for an engine or passive check that is not installed
 */
export async function buildDeviceAssets({
  directory,
  engineIds,
  addOnDirectory,
  passiveModel,
  native = false,
}: BuildDeviceAssetsOptions): Promise<AssetManifest> {
  const bundle = await openModelBundle(addOnDirectory === undefined ? {} : { addOnDirectory });
  const passive = passiveModel === undefined ? passiveModelIn(bundle.manifest) : passiveModel;
  const models = manifestOfPassiveModel(
    manifestOfEngines(bundle.manifest, engineIds ?? idsOf(enginesIn(bundle.manifest))),
    passive,
  );
  const files = new Map<string, Uint8Array>([
    ...(await workerScripts()),
    ...(native ? await nativePage() : []),
    ...(await modelFiles(bundle, models)).map(([name, bytes]) => [WORKER_PATHS.models + name, bytes] as const),
  ]);
  await rm(join(directory, MANIFEST), { force: true });
  // `tflite` is of a former release.
  for (const folder of ['tflite', WORKER_PATHS.models]) {
    await rm(join(directory, folder), { recursive: true, force: true });
  }
  await mkdir(join(directory, WORKER_PATHS.models), { recursive: true });
  for (const [path, bytes] of files) await writeFile(join(directory, path), bytes);
  const manifest: AssetManifest = {
    format: 1,
    engineIds: idsOf(enginesIn(models)),
    passiveModel: passive,
    notInstalled: notInstalledIn(bundle.manifest),
    files: [...files].map(([path, bytes]) => describe(path, bytes, models)),
  };
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

const idsOf = (engines: readonly { readonly engineId: string }[]): readonly string[] =>
  engines.map(({ engineId }) => engineId);

/** What missing add-ons would bring. */
function notInstalledIn(manifest: ModelManifest): readonly string[] {
  const there = idsOf(enginesIn(manifest));
  const engines = idsOf(manifest.engines ?? []).filter((id) => !there.includes(id));
  return [...engines, ...(passiveModelIn(manifest) === null ? passiveModelNames : [])];
}

function describe(path: string, bytes: Uint8Array, models: ModelManifest): AssetFile {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const headers: Record<string, string> = { 'content-type': type };
  if (path === WORKER_PATHS.worker) headers['content-security-policy'] = ENGINE_WORKER_POLICY;
  if (path === NATIVE_PAGE_PATHS.page) headers['content-security-policy'] = NATIVE_PAGE_POLICY;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const kind = (['simd', 'scalar'] as const).find((each) => path === WORKER_PATHS.cores[each]);
  const engine = enginesIn(models).find(({ model }) => path === WORKER_PATHS.models + models.models[model]?.file);
  return {
    ...{ path, bytes: bytes.length, sha256, headers },
    ...(kind === undefined ? {} : { kind }),
    ...(engine === undefined ? {} : { engineId: engine.engineId }),
  };
}

/** A file of this package's build, found by name from the sources and from dist. */
async function readBuilt(path: string): Promise<Uint8Array> {
  const own = createRequire(import.meta.url).resolve('@svc/device-sdk-web/package.json');
  try {
    return await readFile(join(dirname(own), 'dist', path));
  } catch (cause) {
    throw new FaceError('model-missing', `${path} was not built: run prepare-sources`, { cause });
  }
}

async function workerScripts(): Promise<readonly (readonly [path: string, bytes: Uint8Array])[]> {
  const paths = [WORKER_PATHS.worker, ...Object.values(WORKER_PATHS.cores)];
  return Promise.all(paths.map(async (path) => [path, await readBuilt(path)] as const));
}

async function nativePage(): Promise<readonly (readonly [path: string, bytes: Uint8Array])[]> {
  const paths = [NATIVE_PAGE_PATHS.page, ...NATIVE_PAGE_PATHS.others];
  return Promise.all(paths.map(async (path) => [path, await readBuilt(`native/${path}`)] as const));
}

/** Names that {@link parsePassiveModel} accepts. */
export const passiveChoices: readonly string[] = [...passiveModelNames, 'none'];

/**
 * Parses the name of a passive check from a command line or a setting.
 * @returns null for `none`
 * @throws FaceError `configuration-invalid` for any other text
 */
export function parsePassiveModel(text: string): PassiveModelName | null {
  const name = passiveModelNames.find((known) => known === text);
  if (name === undefined && text !== 'none') {
    throw new FaceError('configuration-invalid', `the passive model must be one of ${passiveChoices.join(', ')}`);
  }
  return name ?? null;
}
