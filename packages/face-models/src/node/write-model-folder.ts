import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ModelError } from '../model-error.ts';
import { readSignature } from '../tflite/flat-view.ts';
import type { ModelEntry, ModelManifest, ModelName } from '../types.ts';
import { type BundledModel, integerModel, sha256Of } from './integer-model.ts';

/** A compiled `.tflite` model and the facts that its file does not contain. */
export interface CompiledModel {
  readonly name: ModelName;
  readonly bytes: Uint8Array;
  /** Value range of the first input. */
  readonly inputRange: readonly [number, number];
  readonly licence: string;
  readonly origin: string;
}

/**
 * Writes models, then the manifest, then removes files that no manifest names. Readers see the old or the new bundle
 * whole, also after a crash: file names contain the hash, and files are created by rename.
 */
export async function writeModelFolder(
  directory: string,
  about: Omit<ModelManifest, 'format' | 'models'>,
  models: readonly CompiledModel[],
  companions: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<ModelManifest> {
  await mkdir(directory, { recursive: true });
  const files = new Map<string, string | Uint8Array>(Object.entries(companions));
  const entries = models.map((model) => {
    const { entry, bytes } = inIntegers(model);
    files.set(entry.file, bytes);
    return entry;
  });
  const manifest: ModelManifest = {
    format: 1,
    ...about,
    models: Object.fromEntries(entries.map((entry) => [entry.name, entry])),
  };
  for (const [name, content] of files) await writeAtomically(directory, name, content);
  await writeAtomically(directory, 'manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
  for (const name of await readdir(directory)) {
    if (isOurs(name) && !files.has(name)) await rm(join(directory, name), { force: true });
  }
  return manifest;
}

/** @throws ModelError `model-mismatch` without a calibration of exactly these bytes */
function inIntegers(model: CompiledModel): BundledModel {
  const integer = integerModel({ entry: describe(model), bytes: model.bytes });
  const missing = `no calibration of this ${model.name}: run record-ranges, then record-goldens`;
  if (integer === null) throw new ModelError('model-mismatch', missing);
  return integer;
}

/** A model's entry in the manifest, as a `.tflite` file. */
export function describe({ name, bytes, inputRange, licence, origin }: CompiledModel): Omit<ModelEntry, 'golden'> {
  const { inputs, outputs } = readSignature(bytes);
  const sha256 = sha256Of(bytes);
  return {
    name,
    file: `${name}-${sha256.slice(0, 12)}.tflite`,
    sha256,
    bytes: bytes.length,
    inputs: inputs.map((input, i) => (i === 0 ? { ...input, range: inputRange } : input)),
    outputs,
    licence,
    origin,
  };
}

/** Whether a file is a model that this function wrote; the folder may hold unrelated files. */
const isOurs = (file: string): boolean => /^[a-z0-9-]+-[0-9a-f]{12}\.(tflite|network)$/.test(file);

async function writeAtomically(directory: string, name: string, content: string | Uint8Array): Promise<void> {
  const temporary = join(directory, `.${name}.${randomUUID()}`);
  try {
    await writeFile(temporary, content);
    await rename(temporary, join(directory, name));
  } finally {
    await rm(temporary, { force: true });
  }
}
