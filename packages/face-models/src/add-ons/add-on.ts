import type { CompiledModel } from '../node/write-model-folder.ts';
import type { PassiveCalibration } from '../passive-model.ts';
import type { AddOnModelName, AddOnName } from '../types.ts';

/** A file as its authors published it. */
export interface PinnedFile {
  readonly file: string;
  readonly url: string;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly digest: { readonly algorithm: 'sha256' | 'sha384'; readonly hex: string };
}

/** Published weights that are not shipped with this package, and how they are compiled into models. */
export interface AddOn {
  readonly name: AddOnName;
  /** What the add-on is for, in a few words. */
  readonly purpose: string;
  /** SPDX expression. */
  readonly licence: string;
  /** The licence text, stored beside the models. */
  readonly licenceFile: PinnedFile;
  readonly files: readonly PinnedFile[];
  /** Names of the models that `compile` returns, in the same order. */
  readonly models: readonly AddOnModelName[];
  /** How the scores are read if this is the passive model. */
  readonly passiveLiveness?: PassiveCalibration;
  /**
   * Pure: the same files give the same bytes.
   * @param contents in the order of `files`
   */
  compile(contents: readonly Uint8Array[]): readonly CompiledModel[];
}
