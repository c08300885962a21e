import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { sha256Hex } from '../model-bundle.ts';
import { ModelError } from '../model-error.ts';
import type { AddOnName } from '../types.ts';
import { addOnOf, addOns, type InstallAddOnOptions, installAddOn, isAddress } from './install-add-on.ts';
import { recordedGoldens } from './integer-model.ts';
import { defaultAddOnDirectory, readManifest } from './open-model-bundle.ts';

/** Options of {@link ensureRecommended}. */
export interface EnsureRecommendedOptions extends Omit<InstallAddOnOptions, 'from'> {
  /** `SVC_MODELS` and `SVC_MODELS_FROM`; docs/internals/models.md tells what they say. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Gets one line at a time, for an operator. */
  tell(line: string): void;
}

/**
 * Installs the recommended add-ons that are missing, damaged or of another release, unless `SVC_MODELS` says no. What
 * cannot be installed is told, and what serves in its place.
 *
 * @returns whether all that is wanted is there
 * @throws ModelError `install-failed` for an unknown value of `SVC_MODELS`
 */
export async function ensureRecommended(options: EnsureRecommendedOptions): Promise<boolean> {
  const { settings = process.env, addOnDirectory = defaultAddOnDirectory(), tell, ...rest } = options;
  const choice = settings.SVC_MODELS || 'recommended';
  if (choice === 'built-in') return true;
  if (choice !== 'recommended') throw new ModelError('install-failed', 'SVC_MODELS is recommended or built-in');
  const wanted: AddOnName[] = [];
  for (const { name } of addOns) if (!(await isCurrent(name, addOnDirectory))) wanted.push(name);
  if (wanted.length === 0) return true;
  const given = settings.SVC_MODELS_FROM || undefined;
  const base = settings.SVC_INVOKED_FROM ?? settings.INIT_CWD ?? process.cwd();
  const from = given && !isAddress(given) ? resolve(base, given) : given;
  tell(`installing ${wanted.join(' and ')}, pinned by digest (SVC_MODELS=built-in skips this)`);
  const outcomes = await Promise.all(
    wanted.map(async (name) => {
      const why = await installAddOn(name, { ...rest, from, addOnDirectory }).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : 'unknown reason'),
      );
      tell(
        `${name} (${addOnOf(name).purpose}): ${why === null ? `installed in ${addOnDirectory}` : `not installed: ${why}`}`,
      );
      return why === null;
    }),
  );
  if (outcomes.every(Boolean)) return true;
  tell(`${await whatServes(addOnDirectory)}; the next start tries again (docs/internals/models.md)`);
  return false;
}

/** Whether the add-on is installed as this release would install it. */
async function isCurrent(name: AddOnName, addOnDirectory: string): Promise<boolean> {
  const { models, passiveLiveness } = addOnOf(name);
  const folder = join(addOnDirectory, name);
  const installed = await readManifest(folder).catch(() => null);
  if (!isDeepStrictEqual(installed?.passiveLiveness, passiveLiveness)) return false;
  for (const model of models) {
    const entry = installed?.models[model];
    if (entry === undefined || !isDeepStrictEqual(entry.golden, recordedGoldens[model])) return false;
    const bytes = await readFile(join(folder, entry.file)).catch(() => null);
    if (bytes === null || (await sha256Hex(bytes)) !== entry.sha256) return false;
  }
  return true;
}

async function whatServes(addOnDirectory: string): Promise<string> {
  const parts = addOns.map(async ({ name, models, passiveLiveness }) => {
    const installed = await readManifest(join(addOnDirectory, name)).catch(() => null);
    if (models.every((model) => installed?.models[model] !== undefined)) return `${name} is used as installed before`;
    return passiveLiveness === undefined
      ? 'the built-in engine is used, which turns away more guests'
      : 'there is no passive check, so devices need staff in view';
  });
  return (await Promise.all(parts)).join('; ');
}
