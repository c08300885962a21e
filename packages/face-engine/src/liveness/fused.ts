import { FaceError } from '@svc/core';
import type { PassiveCalibration } from '@svc/face-models';
import type { PassiveLiveness } from '../types.ts';
import type { FrameScorer, OpenNetwork } from './frame-scorer.ts';
import { openMiniFasNet } from './minifasnet.ts';
import { createPassiveLiveness, type PassiveLivenessOptions } from './passive-liveness.ts';
import { openPresence } from './presence.ts';

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
 * «presence» and MiniFASNet, the mean of both scores of a frame, weighted as their common calibration says, which is no other than theirs together.
 *
 * @throws FaceError `model-missing` when either's networks are absent, `model-mismatch`, `golden-mismatch`, `runtime-failed`
 */
export const createPresenceMiniFasNet = (options: PassiveLivenessOptions): Promise<PassiveLiveness> =>
  createPassiveLiveness('presence-minifasnet', options, openFused);
