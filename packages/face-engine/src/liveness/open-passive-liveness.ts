import { FaceError } from '@svc/core';
import { defaultPassiveModel, type PassiveCalibration, type PassiveModelName } from '@svc/face-models';
import type { PassiveLiveness } from '../types.ts';
import {
  type CropNetwork,
  createPassiveLiveness,
  type FrameScorer,
  type OpenNetwork,
  openCropScorer,
  type PassiveLivenessOptions,
} from './passive-liveness.ts';

/** Inputs are in −1 to 1. */
const aroundZero = { scale: 1 / 127.5, offset: -1 } as const;

/**
 * A wide and a narrow crop around the face, as MiniFASNet's, from which they were trained; outputs are log odds of a
 * person.
 */
const presenceNetworks: readonly CropNetwork[] = [
  { name: 'passive-context', scale: 4, side: 80, input: aroundZero, element: 0 },
  { name: 'passive-texture', scale: 2.7, side: 80, input: aroundZero, element: 0 },
];

const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** The mean of the two networks' probabilities. */
const openPresence = (open: OpenNetwork): Promise<FrameScorer> =>
  openCropScorer(
    open,
    presenceNetworks,
    (logits) => logits.reduce((sum, logit) => sum + sigmoid(logit), 0) / logits.length,
  );

/**
 * Opens «presence», this project's own model: does the camera see a person, or a reproduction of one? Its networks are
 * part of the base bundle.
 * @throws FaceError `model-missing` if the bundle lacks them, `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export const createPresence = (options: PassiveLivenessOptions): Promise<PassiveLiveness> =>
  createPassiveLiveness('presence', options, openPresence);

const asBytes = { scale: 1, offset: 0 } as const;

/** minivision's Silent-Face-Anti-Spoofing. Element 1 of each softmax is live; the others are two kinds of attack. */
const minifasnetNetworks: readonly CropNetwork[] = [
  { name: 'minifasnet-v2', scale: 2.7, side: 80, input: asBytes, element: 1 },
  { name: 'minifasnet-v1se', scale: 4, side: 80, input: asBytes, element: 1 },
];

/** The mean of the two networks' live probabilities. */
const openMiniFasNet = (open: OpenNetwork): Promise<FrameScorer> =>
  openCropScorer(
    open,
    minifasnetNetworks,
    (live) => live.reduce((sum, probability) => sum + probability, 0) / live.length,
  );

/**
 * Opens MiniFASNet V2 and V1SE and averages them. Not in the base bundle: an operator adds them with `svc models add
 * minifasnet`.
 * @throws FaceError `model-missing` without the add-on, `model-mismatch` also without its calibration,
 *   `golden-mismatch`, `runtime-failed`
 */
export const createMiniFasNet = (options: PassiveLivenessOptions): Promise<PassiveLiveness> =>
  createPassiveLiveness('minifasnet', options, openMiniFasNet);

async function openFused(open: OpenNetwork, calibration: PassiveCalibration): Promise<FrameScorer> {
  if (calibration.model !== 'presence-minifasnet') throw new FaceError('model-mismatch', 'another model’s calibration');
  const { weight } = calibration;
  const presence = await openPresence(open);
  const minifasnet = await openMiniFasNet(open);
  return {
    async score(frame, box) {
      return weight * (await presence.score(frame, box)) + (1 - weight) * (await minifasnet.score(frame, box));
    },
    dispose() {
      presence.dispose();
      minifasnet.dispose();
    },
  };
}

/**
 * Opens «presence» and MiniFASNet. A frame's score is the mean of both, weighted by their joint calibration.
 * @throws FaceError `model-missing` if networks of either are missing, `model-mismatch`, `golden-mismatch`,
 *   `runtime-failed`
 */
export const createPresenceMiniFasNet = (options: PassiveLivenessOptions): Promise<PassiveLiveness> =>
  createPassiveLiveness('presence-minifasnet', options, openFused);

const creators: Readonly<Record<PassiveModelName, (options: PassiveLivenessOptions) => Promise<PassiveLiveness>>> = {
  presence: createPresence,
  minifasnet: createMiniFasNet,
  'presence-minifasnet': createPresenceMiniFasNet,
};

/**
 * Opens the passive check of a bundle.
 * @param model null for none. Default: the first of the manifest's defaults whose networks are installed
 * @returns null for `model` null, or if no default is installed
 * @throws FaceError `configuration-invalid` for an unknown name, `model-missing` if the named model is not installed,
 *   `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export async function openPassiveLiveness(
  options: PassiveLivenessOptions,
  model: PassiveModelName | null = defaultPassiveModel(options.bundle.manifest),
): Promise<PassiveLiveness | null> {
  if (model === null) return null;
  if (Object.keys(creators).includes(model)) return creators[model](options);
  throw new FaceError('configuration-invalid', `the passive models are ${Object.keys(creators).join(', ')}`);
}
