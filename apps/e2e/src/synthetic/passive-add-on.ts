import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installMiniFasNet } from '@svc/face-models/node';

/** The folder beside the repository that holds other people's data, where there is one. */
export function sharedFolder(): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'pnpm-workspace.yaml'))) {
    const parent = dirname(folder);
    if (parent === folder) return null;
    folder = parent;
  }
  const shared = join(folder, '..', 'shared');
  return existsSync(shared) ? shared : null;
}

/** Installs the passive-liveness models into a temporary folder for a run; null where their weights are not at hand. */
export async function temporaryAddOn(): Promise<{ readonly directory: string; remove(): Promise<void> } | null> {
  const shared = sharedFolder();
  const weights = shared && join(shared, 'models', 'minifasnet');
  if (!weights || !existsSync(weights)) return null;
  const directory = await mkdtemp(join(tmpdir(), 'svc-add-on-'));
  await installMiniFasNet({ from: weights, addOnDirectory: directory });
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

/**
 * What makes an engine or a page have MiniFASNet alone, whatever serves by default, where it is at hand; and no passive check elsewhere.
 *
 * @param addOnDirectory where it was installed; null where it is not at hand
 */
export const withMiniFasNet = (addOnDirectory: string | null) =>
  ({ addOnDirectory, passiveModel: addOnDirectory === null ? null : 'minifasnet' }) as const;
