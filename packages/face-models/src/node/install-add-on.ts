import { readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddOn, PinnedFile } from '../add-ons/add-on.ts';
import { minifasnet } from '../add-ons/minifasnet.ts';
import { retail0095 } from '../add-ons/retail-0095.ts';
import { ModelError } from '../model-error.ts';
import { type AddOnName, addOnNames, type ModelName } from '../types.ts';
import { fetchPinned, forgetPartials, type Patience, requirePublished } from './fetch-pinned.ts';
import { defaultAddOnDirectory } from './open-model-bundle.ts';
import { type CompiledModel, writeModelFolder } from './write-model-folder.ts';

const family: Readonly<Record<AddOnName, AddOn>> = { 'face-reidentification-retail-0095': retail0095, minifasnet };

/** Every add-on, the recommended ones, which are all of them today. */
export const addOns: readonly AddOn[] = addOnNames.map((name) => family[name]);
export const addOnOf = (name: AddOnName): AddOn => family[name];

/** Subfolders searched for a file, including upstream's own folder names. */
const within = (name: AddOnName): readonly string[] => [name, `${name}/FP16`, '.', 'FP16'];

/** Options of {@link installAddOn}. */
export interface InstallAddOnOptions {
  /**
   * Folder, or http(s) base address of a mirror, with the published files and the licence, or with a subfolder of the
   * add-on's name. Default: fetch them from their authors' servers.
   */
  readonly from?: string | undefined;
  /** Where to install. Default: {@link defaultAddOnDirectory}. */
  readonly addOnDirectory?: string;
  /** How long servers are waited for. */
  readonly patience?: Patience;
}

/** Result of {@link installAddOn}. */
export interface InstalledAddOn {
  readonly directory: string;
  readonly models: readonly ModelName[];
}

/**
 * Compiles published weights and installs them with their licence in the add-on's folder, where bundles look for it.
 * Every file is pinned by its digest; nothing is installed unless all match. Parts of fetched files wait beside it, for
 * the next call.
 *
 * @throws ModelError `model-missing` if a file is not in the folder, `model-mismatch` if a file is not the published
 *   one, `install-failed` if fetching or writing fails
 */
export async function installAddOn(name: AddOnName, options: InstallAddOnOptions = {}): Promise<InstalledAddOn> {
  const { from, addOnDirectory = defaultAddOnDirectory(), patience } = options;
  const addOn = addOnOf(name);
  const partials = join(addOnDirectory, '.partial');
  const bring =
    from === undefined || isAddress(from)
      ? (pinned: PinnedFile) => fetchPinned(pinned, addressesOf(pinned, name, from), partials, patience)
      : (pinned: PinnedFile) => readFrom(from, name, pinned);
  const { passiveLiveness } = addOn;
  const directory = join(addOnDirectory, name);
  try {
    const [licenceText = new Uint8Array(), ...contents] = await publishedFiles(addOn, bring);
    const models = addOn.compile(contents);
    await writeModelFolder(directory, passiveLiveness === undefined ? {} : { passiveLiveness }, models, {
      LICENSE: licenceText,
    });
    await forgetPartials([addOn.licenceFile, ...addOn.files], partials);
    return { directory, models: models.map((model) => model.name) };
  } catch (cause) {
    if (cause instanceof ModelError) throw cause;
    throw new ModelError('install-failed', 'the add-on folder cannot be written', { cause });
  } finally {
    // Unless another one's parts are in it.
    await rmdir(partials).catch(() => undefined);
  }
}

/** The models of an add-on, compiled from its published files. @param from as of {@link installAddOn}, a folder */
export async function compileAddOn(name: AddOnName, from: string): Promise<readonly CompiledModel[]> {
  const addOn = addOnOf(name);
  const [, ...contents] = await publishedFiles(addOn, (pinned) => readFrom(from, name, pinned));
  return addOn.compile(contents);
}

/** The licence, then the files, brought at the same time, each checked against its digest. */
async function publishedFiles(
  { licenceFile, files }: AddOn,
  bring: (pinned: PinnedFile) => Promise<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  const brought = [licenceFile, ...files].map(async (pinned) => requirePublished(pinned, await bring(pinned)));
  // After a failure too, so that nothing is written any more when this ends.
  await Promise.allSettled(brought);
  return Promise.all(brought);
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

export const isAddress = (from: string): boolean => /^https?:/i.test(from);

/** Where a file may lie on a mirror; without one, its authors' address. */
function addressesOf({ url, file }: PinnedFile, name: AddOnName, mirror: string | undefined): readonly string[] {
  if (mirror === undefined) return [url];
  if (!/^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(mirror))
    throw new ModelError('install-failed', 'a mirror is http(s)://host/path, without a password and a query');
  return within(name).map((place) => `${mirror.replace(/\/$/, '')}/${place}/${file}`);
}
