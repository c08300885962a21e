import { type CoreImage, type FaceCore, FaceError } from '@svc/core';
import {
  type ModelBundle,
  type PassiveCalibration,
  type PassiveModelName,
  passiveNetworks,
  type ScorableLimits,
} from '@svc/face-models';
import { coreImageOf } from '../open-image.ts';
import type { TfliteRuntime } from '../runtime/port.ts';
import { openSessions } from '../session.ts';
import type { Box, FaceAnalysis, PassiveLiveness } from '../types.ts';
import type { FrameScorer, OpenNetwork } from './frame-scorer.ts';
import { contextScale, livenessBox } from './liveness-crop.ts';

export interface PassiveLivenessOptions {
  readonly core: FaceCore;
  /** Stays the caller's: dispose it after the passive check. */
  readonly runtime: TfliteRuntime;
  readonly bundle: ModelBundle;
}

/**
 * A passive check that scores the frames which its calibration says can be scored.
 *
 * @throws FaceError `model-missing` where the bundle lacks one of its networks, `model-mismatch` also where it has no calibration of them,
 * `golden-mismatch`, `runtime-failed`
 */
export async function createPassiveLiveness(
  name: PassiveModelName,
  { runtime, bundle }: PassiveLivenessOptions,
  openScorer: (open: OpenNetwork, calibration: PassiveCalibration) => Promise<FrameScorer>,
): Promise<PassiveLiveness> {
  const missing = passiveNetworks[name].find((network) => !bundle.has(network));
  if (missing !== undefined) {
    throw new FaceError('model-missing', `the passive check ${name} needs ${missing}, which is not installed`);
  }
  const calibration = bundle.manifest.passiveLiveness?.find(({ model }) => model === name);
  if (calibration === undefined) {
    throw new FaceError('model-mismatch', `the passive check ${name} has no calibration: install its models anew`);
  }
  const scorer = await openSessions(runtime, bundle, (open) => openScorer(open, calibration));
  return {
    name,
    calibration,
    async score(image, face) {
      const frame = coreImageOf(image);
      const box = livenessBox(face.box);
      if (!isScorable(frame, box, face, calibration.scorable)) return null;
      const score = await scorer.score(frame, box);
      if (!Number.isFinite(score)) throw new FaceError('runtime-failed', 'the liveness score is not a number');
      return score;
    },
    dispose: () => scorer.dispose(),
  };
}

function isScorable(frame: CoreImage, box: Box, { quality }: FaceAnalysis, limits: ScorableLimits): boolean {
  return (
    contextScale(frame, box) >= limits.contextScale &&
    quality.interEyePx >= limits.interEyePx &&
    quality.brightness >= limits.brightness &&
    quality.overexposed <= limits.overexposed &&
    quality.sharpness >= limits.sharpness
  );
}
