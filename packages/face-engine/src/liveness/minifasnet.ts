import type { PassiveLiveness } from '../types.ts';
import { type CropNetwork, type FrameScorer, type OpenNetwork, openCropScorer } from './frame-scorer.ts';
import { createPassiveLiveness, type PassiveLivenessOptions } from './passive-liveness.ts';

/** Inputs are the picture's bytes. */
const input = { scale: 1, offset: 0 } as const;

/** Of minivision's Silent-Face-Anti-Spoofing. Element 1 of each softmax means live; the others are two kinds of attack. */
const networks: readonly CropNetwork[] = [
  { name: 'minifasnet-v2', scale: 2.7, side: 80, input, element: 1 },
  { name: 'minifasnet-v1se', scale: 4, side: 80, input, element: 1 },
];

/** The mean of both networks' live probability. */
export const openMiniFasNet = (open: OpenNetwork): Promise<FrameScorer> =>
  openCropScorer(open, networks, (live) => live.reduce((sum, probability) => sum + probability, 0) / live.length);

/**
 * MiniFASNet V2 and V1SE, mean of both. An operator adds the models (`svc models add minifasnet`); not in the base bundle.
 *
 * @throws FaceError `model-missing` when the add-on is absent, `model-mismatch` also when it came without its calibration,
 * `golden-mismatch`, `runtime-failed`
 */
export const createMiniFasNet = (options: PassiveLivenessOptions): Promise<PassiveLiveness> =>
  createPassiveLiveness('minifasnet', options, openMiniFasNet);
