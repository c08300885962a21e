import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseManifest } from '../manifest.ts';
import { createModelBundle, type ModelBundle } from '../model-bundle.ts';
import { ModelError } from '../model-error.ts';
import { addOnModelNames, addOnNames, type ModelEntry, type ModelManifest, type ModelName } from '../types.ts';
import { integerModel } from './integer-model.ts';

/**
 * Folder of the base models: beside the bundle of a published package or above it, else this package's, by its name.
 * @throws ModelError `model-missing` from a bundle that has neither
 */
function baseModelDirectory(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const carried = [join(here, 'base-models'), join(here, '..', 'base-models')].find((folder) => existsSync(folder));
  if (carried !== undefined) return carried;
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@svc/face-models/package.json')), 'dist', 'models');
  } catch (cause) {
    throw new ModelError('model-missing', 'the package @svc/face-models is not installed', { cause });
  }
}

/** Default folder of add-on models: `$SVC_MODELS_DIR`, else `svc/models` in the user's data folder (XDG). */
export function defaultAddOnDirectory(): string {
  const { SVC_MODELS_DIR: chosen, XDG_DATA_HOME: data } = process.env;
  // Relative to the folder where the command was called: `npm run` changes the working directory.
  if (chosen !== undefined && chosen !== '') return resolve(process.env.SVC_INVOKED_FROM ?? process.cwd(), chosen);
  // The XDG specification requires relative paths to be ignored.
  return join(data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local', 'share'), 'svc', 'models');
}

/** Options of {@link openModelBundle}. */
export interface OpenModelBundleOptions {
  /** Folder of the add-on models; null for none. Default: {@link defaultAddOnDirectory}. */
  readonly addOnDirectory?: string | null;
}

/**
 * Opens this package's base models and the installed add-on models, each add-on in a folder of its name. An add-on
 * directly in the directory, where the first version installed it, is read too, with lower priority.
 *
 * @throws ModelError `model-missing` if the base bundle was not built (`prepare-sources`), `model-mismatch` for a
 *   damaged manifest; an absent add-on folder is not an error
 */
export async function openModelBundle(options: OpenModelBundleOptions = {}): Promise<ModelBundle> {
  const { addOnDirectory = defaultAddOnDirectory() } = options;
  const baseDirectory = baseModelDirectory();
  const base = await readManifest(baseDirectory);
  if (base === null) throw new ModelError('model-missing', 'the model bundle was not built: run prepare-sources');
  const folders =
    addOnDirectory === null ? [] : [addOnDirectory, ...addOnNames.map((name) => join(addOnDirectory, name))];
  const winning = new Map<ModelName, readonly [folder: string, entry: ModelEntry]>();
  let about = base;
  for (const folder of folders) {
    const addOn = await readManifest(folder);
    for (const name of addOnModelNames) {
      const entry = addOn?.models[name];
      if (entry !== undefined) winning.set(name, [folder, entry]);
    }
    if (addOn?.passiveLiveness !== undefined) about = { ...base, passiveLiveness: addOn.passiveLiveness };
  }
  const added = new Map<ModelName, AddedModel>();
  for (const [name, place] of winning) added.set(name, await addedModel(...place));
  const addedModels = Object.fromEntries([...added].map(([name, { entry }]) => [name, entry]));
  return createModelBundle({
    manifest: { ...about, models: { ...base.models, ...addedModels } },
    fetch: ({ name, file }) => added.get(name)?.read() ?? readFile(join(baseDirectory, file)),
  });
}

interface AddedModel {
  readonly entry: ModelEntry;
  read(): Promise<Uint8Array>;
}

/** A model of an add-on folder. The floats of a former release become integers here; others stay as they are. */
async function addedModel(folder: string, entry: ModelEntry): Promise<AddedModel> {
  const read = (): Promise<Uint8Array> => readFile(join(folder, entry.file));
  const former = entry.file.endsWith('.tflite') ? await read().catch(() => null) : null;
  const integer = former && integerModel({ entry, bytes: former });
  return integer === null ? { entry, read } : { entry: integer.entry, read: async () => integer.bytes.slice() };
}

/** Null where there is none. */
export async function readManifest(directory: string): Promise<ModelManifest | null> {
  let json: string;
  try {
    json = await readFile(join(directory, 'manifest.json'), 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new ModelError('model-missing', 'the model manifest cannot be read', { cause });
  }
  return parseManifest(json);
}
