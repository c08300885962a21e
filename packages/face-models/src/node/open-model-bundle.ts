import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parseManifest } from '../manifest.ts';
import { createModelBundle, type ModelBundle } from '../model-bundle.ts';
import { ModelError } from '../model-error.ts';
import { addOnModelNames, addOnNames, type ModelEntry, type ModelManifest, type ModelName } from '../types.ts';

/**
 * Folder of the base models. Looked up by name, so that it is found from the source, from dist and from another
 * package's bundle.
 *
 * @throws ModelError `model-missing` from a bundle whose package does not depend on this one
 */
function baseModelDirectory(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@svc/face-models/package.json')), 'dist', 'models');
  } catch (cause) {
    throw new ModelError('model-missing', 'the package @svc/face-models is not installed', { cause });
  }
}

/**
 * Where add-on models are installed and looked for: `$SVC_MODELS_DIR`, else `svc/models` in the user's data folder
 * (XDG).
 */
export function defaultAddOnDirectory(): string {
  const { SVC_MODELS_DIR: chosen, XDG_DATA_HOME: data } = process.env;
  // As the deployment's other paths: a command that `npm run` starts runs in another folder than it was called from.
  if (chosen !== undefined && chosen !== '') return resolve(process.env.SVC_INVOKED_FROM ?? process.cwd(), chosen);
  // The XDG specification has relative paths ignored.
  return join(data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local', 'share'), 'svc', 'models');
}

export interface OpenModelBundleOptions {
  /** Folder of the add-on models; null looks for none. {@link defaultAddOnDirectory} when left out. */
  readonly addOnDirectory?: string | null;
}

/**
 * The base models of this package and, where they are installed, the add-on models: each add-on in a folder of its
 * name. An add-on that lies in the directory itself, as the first edition installed it, is read too; one in its own
 * folder comes before it.
 *
 * @throws ModelError `model-missing` when the base bundle was not built (`prepare-sources`), `model-mismatch` when a
 * manifest is damaged; an absent add-on folder is no error
 */
export async function openModelBundle(options: OpenModelBundleOptions = {}): Promise<ModelBundle> {
  const { addOnDirectory = defaultAddOnDirectory() } = options;
  const baseDirectory = baseModelDirectory();
  const base = await readManifest(baseDirectory);
  if (base === null) throw new ModelError('model-missing', 'the model bundle was not built: run prepare-sources');
  const folders =
    addOnDirectory === null ? [] : [addOnDirectory, ...addOnNames.map((name) => join(addOnDirectory, name))];
  const added = new Map<ModelName, InFolder<ModelEntry>>();
  const calibrations = new Map((base.passiveLiveness ?? []).map((own) => [own.model, own]));
  const own = new Set(calibrations.keys());
  for (const folder of folders) {
    const addOn = await readManifest(folder);
    for (const name of addOnModelNames) {
      const entry = addOn?.models[name];
      if (entry !== undefined) added.set(name, { folder, value: entry });
    }
    for (const one of addOn?.passiveLiveness ?? []) if (!own.has(one.model)) calibrations.set(one.model, one);
  }
  const addedModels = Object.fromEntries([...added].map(([name, { value }]) => [name, value]));
  return createModelBundle({
    manifest: { ...base, models: { ...base.models, ...addedModels }, passiveLiveness: [...calibrations.values()] },
    fetch: (entry) => readFile(join(added.get(entry.name)?.folder ?? baseDirectory, entry.file)),
  });
}

interface InFolder<T> {
  readonly folder: string;
  readonly value: T;
}

async function readManifest(directory: string): Promise<ModelManifest | null> {
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
