import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseManifest } from '../manifest.ts';
import { createModelBundle, type ModelBundle } from '../model-bundle.ts';
import { ModelError } from '../model-error.ts';
import { addOnModelNames, type ModelManifest, type ModelName } from '../types.ts';
import { baseModelDirectory, defaultAddOnDirectory } from './directories.ts';

export interface OpenModelBundleOptions {
  /** Folder of the add-on models; null looks for none. {@link defaultAddOnDirectory} when left out. */
  readonly addOnDirectory?: string | null;
}

/**
 * The base models of this package and, where they are installed, the add-on models.
 *
 * @throws ModelError `model-missing` when the base bundle was not built (`prepare-sources`), `model-mismatch` when a manifest
 * is damaged; an absent add-on folder is no error
 */
export async function openModelBundle(options: OpenModelBundleOptions = {}): Promise<ModelBundle> {
  const { addOnDirectory = defaultAddOnDirectory() } = options;
  const baseDirectory = baseModelDirectory();
  const base = await readManifest(baseDirectory);
  if (base === null) throw new ModelError('model-missing', 'the model bundle was not built: run prepare-sources');
  const addOns = addOnDirectory === null ? null : await readManifest(addOnDirectory);
  const added = Object.fromEntries(
    addOnModelNames.flatMap((name) => {
      const entry = addOns?.models[name];
      return entry === undefined ? [] : [[name, entry]];
    }),
  );
  const calibrations = base.passiveLiveness ?? [];
  const addedCalibrations = (addOns?.passiveLiveness ?? []).filter(
    ({ model }) => !calibrations.some((own) => own.model === model),
  );
  return createModelBundle({
    manifest: {
      ...base,
      models: { ...base.models, ...added },
      passiveLiveness: [...calibrations, ...addedCalibrations],
    },
    fetch: (entry) => readFile(join(folderOf(entry.name), entry.file)),
  });

  function folderOf(name: ModelName): string {
    return addOnDirectory !== null && name in added ? addOnDirectory : baseDirectory;
  }
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
