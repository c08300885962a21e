import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addOnNames } from '../add-ons/add-on.ts';
import { parseManifest } from '../manifest.ts';
import { createModelBundle, type ModelBundle } from '../model-bundle.ts';
import { ModelError } from '../model-error.ts';
import { addOnModelNames, type ModelEntry, type ModelManifest, type ModelName } from '../types.ts';
import { baseModelDirectory, defaultAddOnDirectory } from './directories.ts';

export interface OpenModelBundleOptions {
  /** Folder of the add-on models; null looks for none. {@link defaultAddOnDirectory} when left out. */
  readonly addOnDirectory?: string | null;
}

/**
 * The base models of this package and, where they are installed, the add-on models: each add-on in a folder of its name. An add-on that lies in the
 * directory itself, as the first edition installed it, is read too; one in its own folder comes before it.
 *
 * @throws ModelError `model-missing` when the base bundle was not built (`prepare-sources`), `model-mismatch` when a manifest
 * is damaged; an absent add-on folder is no error
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
