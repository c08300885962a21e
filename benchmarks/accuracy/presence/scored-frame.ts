import type { PixelImage } from '@svc/core';
import { calibrate, STANDARD_POLICY } from '@svc/device-sdk';
import { type FaceEngine, type PassiveCalibration, type PassiveModelName, wipeAnalysis } from '@svc/face-engine';
import { type UngatedModel, unmetLimits } from './ungated-models.ts';

/** What one model makes of a frame. */
export interface FrameScore {
  /** 0..1; null where the face can't be measured. */
  readonly score: number | null;
  /** Why the device would not have it scored; empty where it would. */
  readonly unmet: readonly string[];
}

export type ByModel<T> = Readonly<Partial<Record<PassiveModelName, T>>>;

/** Scores of the surest face of a frame, by model; null where there is none. */
export async function scoreFrame(
  engine: FaceEngine,
  models: readonly UngatedModel[],
  frame: PixelImage,
): Promise<ByModel<FrameScore> | null> {
  const image = engine.open(frame);
  try {
    const [detection] = await engine.detect(image);
    const face = detection ? await engine.analyse(image, detection) : null;
    if (face === null) return null;
    const scores: [PassiveModelName, FrameScore][] = [];
    for (const model of models) {
      const unmet = unmetLimits(frame, face, model.calibration.scorable);
      scores.push([model.name, { score: await model.score(image, face), unmet }]);
    }
    wipeAnalysis(face);
    return Object.fromEntries(scores);
  } finally {
    image.dispose();
  }
}

/** Whether a device that saw nothing else would go on with it: the score as the policy reads it, held to the policy's bar. */
export const passes = (score: number, calibration: PassiveCalibration): boolean =>
  calibrate(score, calibration) >= STANDARD_POLICY.passive.minOutward;
