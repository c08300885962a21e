import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddOn, PinnedFile } from '../add-ons/add-on.ts';
import { minifasnet } from '../add-ons/minifasnet.ts';
import { retail0095 } from '../add-ons/retail-0095.ts';
import { ModelError } from '../model-error.ts';
import { type AddOnName, addOnNames, type ModelName } from '../types.ts';
import { defaultAddOnDirectory } from './open-model-bundle.ts';
import { type CompiledModel, writeModelFolder } from './write-model-folder.ts';

const family: Readonly<Record<AddOnName, AddOn>> = { 'face-reidentification-retail-0095': retail0095, minifasnet };

/** Every add-on, the recommended ones, which are all of them today. */
export const addOns: readonly AddOn[] = addOnNames.map((name) => family[name]);
export const addOnOf = (name: AddOnName): AddOn => family[name];

const downloadTimeoutMs = 60_000;
/** Subfolders searched for a file, including upstream's own folder names. */
const within = (name: AddOnName): readonly string[] => [name, join(name, 'FP16'), '.', 'FP16'];

/** Options of {@link installAddOn}. */
export interface InstallAddOnOptions {
  /** Folder with the published files and the licence, or with a subfolder of the add-on's name. Default: fetch them. */
  readonly from?: string;
  /** Where to install. Default: {@link defaultAddOnDirectory}. */
  readonly addOnDirectory?: string;
  /**
   * Base URL to fetch from instead of the authors' servers; it serves each file under its own name. The digests are the
   * same.
   */
  readonly mirror?: string;
}

/** Result of {@link installAddOn}. */
export interface InstalledAddOn {
  readonly directory: string;
  readonly models: readonly ModelName[];
}

/**
 * Compiles published weights and installs them with their licence in the add-on's folder, where bundles look for it.
 * Every file is pinned by its digest; nothing is written unless all match.
 *
 * @throws ModelError `model-missing` if a file is not in the folder, `model-mismatch` if a file is not the published
 *   one, `install-failed` if fetching or writing fails
 */
export async function installAddOn(name: AddOnName, options: InstallAddOnOptions = {}): Promise<InstalledAddOn> {
  const { from, addOnDirectory = defaultAddOnDirectory(), mirror } = options;
  const addOn = addOnOf(name);
  const [licenceText = new Uint8Array(), ...contents] = await publishedFiles(addOn, (pinned) =>
    from === undefined ? download(mirror, pinned) : readFrom(from, name, pinned),
  );
  const models = addOn.compile(contents);
  const directory = join(addOnDirectory, name);
  const { passiveLiveness } = addOn;
  try {
    await writeModelFolder(directory, passiveLiveness === undefined ? {} : { passiveLiveness }, models, {
      LICENSE: licenceText,
    });
  } catch (cause) {
    if (cause instanceof ModelError) throw cause;
    throw new ModelError('install-failed', 'the add-on folder cannot be written', { cause });
  }
  return { directory, models: models.map((model) => model.name) };
}

/** The models of an add-on, compiled from its published files. @param from as of {@link installAddOn} */
export async function compileAddOn(name: AddOnName, from: string): Promise<readonly CompiledModel[]> {
  const addOn = addOnOf(name);
  const [, ...contents] = await publishedFiles(addOn, (pinned) => readFrom(from, name, pinned));
  return addOn.compile(contents);
}

/** The licence, then the files, each checked against its digest. */
async function publishedFiles(
  { licenceFile, files }: AddOn,
  bring: (pinned: PinnedFile) => Promise<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  const contents: Uint8Array[] = [];
  for (const pinned of [licenceFile, ...files]) {
    const bytes = await bring(pinned);
    const { algorithm, hex } = pinned.digest;
    if (bytes.length !== pinned.bytes || createHash(algorithm).update(bytes).digest('hex') !== hex) {
      throw new ModelError('model-mismatch', `${pinned.file} is not the file that its authors published`);
    }
    contents.push(bytes);
  }
  return contents;
}

async function readFrom(folder: string, name: AddOnName, { file }: PinnedFile): Promise<Uint8Array> {
  let cause: unknown;
  for (const place of within(name)) {
    try {
      return await readFile(join(folder, place, file));
    } catch (error) {
      cause ??= error;
    }
  }
  throw new ModelError('model-missing', `the folder has no readable ${file}`, { cause });
}

async function download(mirror: string | undefined, { url, file, bytes }: PinnedFile): Promise<Uint8Array> {
  try {
    const response = await fetch(mirror === undefined ? url : `${mirror}/${file}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(downloadTimeoutMs),
    });
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const content = new Uint8Array(bytes);
    let length = 0;
    for await (const chunk of response.body) {
      // Leaving the loop cancels the transfer, so an endless response does not fill the memory.
      if (length + chunk.length > bytes) throw new Error('the answer is longer than the file');
      content.set(chunk, length);
      length += chunk.length;
    }
    return content.subarray(0, length);
  } catch (cause) {
    throw new ModelError('install-failed', `${file} could not be fetched`, { cause });
  }
}
