import { FaceError } from '@svc/core';
import { defaultPassiveModel, type PassiveModelName } from '@svc/face-models';
import type { PassiveLiveness } from '../types.ts';
import { createPresenceMiniFasNet } from './fused.ts';
import { createMiniFasNet } from './minifasnet.ts';
import type { PassiveLivenessOptions } from './passive-liveness.ts';
import { createPresence } from './presence.ts';

const creators: Readonly<Record<PassiveModelName, (options: PassiveLivenessOptions) => Promise<PassiveLiveness>>> = {
  presence: createPresence,
  minifasnet: createMiniFasNet,
  'presence-minifasnet': createPresenceMiniFasNet,
};

/**
 * The passive check of a bundle.
 *
 * @param model null for none. Left out, the first of the manifest's defaults whose networks are all there
 * @returns null where none was wanted, or no default can be had
 * @throws FaceError `configuration-invalid` for a name that no model has, `model-missing` when the one that was named can't be had, `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function openPassiveLiveness(
  options: PassiveLivenessOptions,
  model: PassiveModelName | null = defaultPassiveModel(options.bundle.manifest),
): Promise<PassiveLiveness | null> {
  if (model === null) return null;
  if (Object.hasOwn(creators, model)) return creators[model](options);
  throw new FaceError('configuration-invalid', `the passive models are ${Object.keys(creators).join(', ')}`);
}
