import type { CompiledModel } from '../node/write-model-folder.ts';
import type { PassiveCalibration } from '../passive-calibration.ts';
import type { AddOnModelName, AddOnName } from '../types.ts';

/** A file as its authors published it. */
export interface PinnedFile {
  readonly file: string;
  readonly url: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly digest: { readonly algorithm: 'sha256' | 'sha384'; readonly hex: string };
}

/** Published weights that this project does not carry, and how they become models. */
export interface AddOn {
  readonly name: AddOnName;
  /** What it is for, in a few words. */
  readonly purpose: string;
  /** SPDX expression. */
  readonly licence: string;
  /** The licence's text, which is kept beside the models. */
  readonly licenceFile: PinnedFile;
  readonly files: readonly PinnedFile[];
  /** What `compile` gives, in its order. */
  readonly models: readonly AddOnModelName[];
  /** How the scores of its networks are read, where they are scores. */
  readonly passiveLiveness?: readonly PassiveCalibration[];
  /** Pure: the same files give the same bytes. @param contents in the order of `files` */
  compile(contents: readonly Uint8Array[]): readonly CompiledModel[];
}
