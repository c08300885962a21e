import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installMiniFasNet } from '@svc/face-models/node';
import { sharedData } from '../support/shared-data.ts';

/** The add-on, installed into a temporary folder for a run. */
export interface TemporaryAddOn {
  readonly directory: string;
  remove(): Promise<void>;
}

/** Installs the passive-liveness models into a temporary folder; null where their weights are not at hand. */
export async function temporaryAddOn(): Promise<TemporaryAddOn | null> {
  const weights = sharedData('models', 'minifasnet');
  if (weights === null) return null;
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
