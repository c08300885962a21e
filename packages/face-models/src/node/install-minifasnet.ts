import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultEngine, specOf } from '../engine-spec.ts';
import { goldenOf } from '../golden-outputs.ts';
import { sha256Hex } from '../hash.ts';
import { ModelError } from '../model-error.ts';
import { compileMiniFasNet } from '../networks/minifasnet.ts';
import { minifasnetCalibration } from '../passive-calibration.ts';
import { readTorchCheckpoint } from '../sources/torch-checkpoint.ts';
import type { AddOnModelName } from '../types.ts';
import { defaultAddOnDirectory } from './directories.ts';
import { type CompiledModel, writeModelFolder } from './write-model-folder.ts';

const commit = 'b6d5f04ad78778917853b25c778acef6d5626d15';
const upstream = `https://raw.githubusercontent.com/minivision-ai/Silent-Face-Anti-Spoofing/${commit}`;
const downloadTimeoutMs = 60_000;

interface PinnedFile {
  readonly file: string;
  /** Folder of the file in upstream's repository. */
  readonly folder: string;
  readonly sha256: string;
  readonly bytes: number;
}

const licence: PinnedFile = {
  file: 'LICENSE',
  folder: '',
  sha256: 'daf94bf1dc9cc5700fe5af2c7c0cbd1836e70d509ed78fd0bebef7432edee6fb',
  bytes: 11_340,
};

const weights: readonly (PinnedFile & { readonly name: AddOnModelName; readonly title: string })[] = [
  {
    name: 'minifasnet-v2',
    title: 'MiniFASNet V2, scale 2.7',
    file: '2.7_80x80_MiniFASNetV2.pth',
    folder: 'resources/anti_spoof_models/',
    sha256: 'a5eb02e1843f19b5386b953cc4c9f011c3f985d0ee2bb9819eea9a142099bec0',
    bytes: 1_849_453,
  },
  {
    name: 'minifasnet-v1se',
    title: 'MiniFASNet V1SE, scale 4.0',
    file: '4_0_0_80x80_MiniFASNetV1SE.pth',
    folder: 'resources/anti_spoof_models/',
    sha256: '84ee1d37d96894d5e82de5a57df044ef80a58be2b218b5ed7cdfd875ec2f5990',
    bytes: 1_856_130,
  },
];

export interface InstallMiniFasNetOptions {
  /** Folder that holds upstream's two `.pth` files and its LICENSE; left out, they are fetched. */
  readonly from?: string;
  /** Where to install; {@link defaultAddOnDirectory} when left out. */
  readonly addOnDirectory?: string;
  /** Address to fetch from instead of upstream's; it serves the same paths. The hashes stay those of upstream's files. */
  readonly mirror?: string;
}

/**
 * Compiles the published MiniFASNet weights and installs them, with their licence, where bundles look for add-ons. The three
 * files are pinned by SHA-256; nothing in them is executed, and nothing is written unless all of them are right.
 *
 * @throws ModelError `model-missing` when a file is not in the folder, `model-mismatch` when one is not upstream's,
 * `install-failed` when fetching or writing fails
 */
export async function installMiniFasNet(
  options: InstallMiniFasNetOptions = {},
): Promise<{ readonly directory: string; readonly models: readonly AddOnModelName[] }> {
  const { from, addOnDirectory: directory = defaultAddOnDirectory(), mirror = upstream } = options;
  const bring = async (pinned: PinnedFile): Promise<Uint8Array> => {
    const bytes = from === undefined ? await download(mirror, pinned) : await readFrom(from, pinned);
    if (bytes.length !== pinned.bytes || (await sha256Hex(bytes)) !== pinned.sha256) {
      throw new ModelError('model-mismatch', `${pinned.file} is not the file that upstream published`);
    }
    return bytes;
  };
  const licenceText = await bring(licence);
  const models: CompiledModel[] = [];
  for (const pinned of weights) models.push(compile(pinned.name, pinned.title, await bring(pinned)));
  try {
    const about = { engine: specOf(defaultEngine), passiveLiveness: [minifasnetCalibration] };
    await writeModelFolder(directory, about, models, { LICENSE: licenceText });
  } catch (cause) {
    throw new ModelError('install-failed', 'the add-on folder cannot be written', { cause });
  }
  return { directory, models: models.map(({ name }) => name as AddOnModelName) };
}

function compile(name: AddOnModelName, title: string, checkpoint: Uint8Array): CompiledModel {
  return {
    name,
    bytes: compileMiniFasNet(readTorchCheckpoint(checkpoint), title),
    inputRange: [0, 255],
    licence: 'Apache-2.0',
    origin: `${title}, minivision-ai/Silent-Face-Anti-Spoofing@${commit}`,
    golden: goldenOf(name),
  };
}

async function readFrom(folder: string, { file }: PinnedFile): Promise<Uint8Array> {
  try {
    return await readFile(join(folder, file));
  } catch (cause) {
    throw new ModelError('model-missing', `the folder has no readable ${file}`, { cause });
  }
}

async function download(base: string, { folder, file, bytes }: PinnedFile): Promise<Uint8Array> {
  try {
    const response = await fetch(`${base}/${folder}${file}`, {
      redirect: 'error',
      signal: AbortSignal.timeout(downloadTimeoutMs),
    });
    if (!response.ok || response.body === null) throw new Error(`the server answered ${response.status}`);
    const content = new Uint8Array(bytes);
    let length = 0;
    for await (const chunk of response.body) {
      // Leaving the loop cancels the transfer: an endless answer fills no memory.
      if (length + chunk.length > bytes) throw new Error('the answer is longer than the file');
      content.set(chunk, length);
      length += chunk.length;
    }
    return content.subarray(0, length);
  } catch (cause) {
    throw new ModelError('install-failed', `${file} could not be fetched`, { cause });
  }
}
