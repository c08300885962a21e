import { join } from 'node:path';
import type { PixelImage } from '@svc/core';
import { calibrate, STANDARD_POLICY } from '@svc/device-sdk/evaluation';
import { type FaceEngine, type PassiveCalibration, type PassiveModelName, wipeAnalysis } from '@svc/face-engine';
import { decodePhoto } from '../../inputs/decode-photo.ts';
import { type UngatedModel, unmetLimits } from './ungated-models.ts';

interface Sample {
  readonly path: string;
  readonly shows: 'a person' | 'a print' | 'a screen';
}

const sample = (path: string, shows: Sample['shows']): Sample => ({ path, shows });

/** Third-party real pictures, not used for training or tuning. Labels are their authors'. */
const samples: readonly Sample[] = [
  sample('minivision/images/sample/image_T1.jpg', 'a person'),
  sample('minivision/images/sample/image_F1.jpg', 'a print'),
  sample('minivision/images/sample/image_F2.jpg', 'a screen'),
  ...['true_001.jpg', 'true_002.jpg', 'true_003.png'].map((file) => sample(`vietmoney/data/test/${file}`, 'a person')),
  ...['fake_001.jpg', 'fake_002.jpg', 'fake_003.jpg'].map((file) => sample(`vietmoney/data/test/${file}`, 'a screen')),
];

export interface ScoredSample extends Sample {
  /** Null if no face was found. */
  readonly scores: ByModel<FrameScore> | null;
}

/** @param folder with the samples of both sources */
export async function scoreSamples(
  engine: FaceEngine,
  models: readonly UngatedModel[],
  folder: string,
): Promise<readonly ScoredSample[]> {
  const scored: ScoredSample[] = [];
  for (const one of samples) {
    const photo = await decodePhoto(join(folder, one.path));
    scored.push({ ...one, scores: await scoreFrame(engine, models, photo) });
  }
  return scored;
}

/** One model's result for a frame. */
export interface FrameScore {
  /** 0..1; null if the face can't be measured. */
  readonly score: number | null;
  /** Why the device would not have scored it; empty if it would. */
  readonly unmet: readonly string[];
}

export type ByModel<T> = Readonly<Partial<Record<PassiveModelName, T>>>;

/** Scores of a frame's most certain face, by model; null if there is none. */
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

/** Whether a device would continue after this frame alone: the calibrated score against the policy's bar. */
export const passes = (score: number, calibration: PassiveCalibration): boolean =>
  calibrate(score, calibration) >= STANDARD_POLICY.passive.minOutward;
