import { join } from 'node:path';
import type { FaceEngine } from '@svc/face-engine';
import { decodePhoto } from '../../inputs/decode-photo.ts';
import { type ByModel, type FrameScore, scoreFrame } from './scored-frame.ts';
import type { UngatedModel } from './ungated-models.ts';

interface Sample {
  readonly path: string;
  readonly shows: 'a person' | 'a print' | 'a screen';
}

const sample = (path: string, shows: Sample['shows']): Sample => ({ path, shows });

/** Real pictures by others, which nothing was trained on or set by. What they show is as their authors say. */
const samples: readonly Sample[] = [
  sample('minivision/images/sample/image_T1.jpg', 'a person'),
  sample('minivision/images/sample/image_F1.jpg', 'a print'),
  sample('minivision/images/sample/image_F2.jpg', 'a screen'),
  ...['true_001.jpg', 'true_002.jpg', 'true_003.png'].map((file) => sample(`vietmoney/data/test/${file}`, 'a person')),
  ...['fake_001.jpg', 'fake_002.jpg', 'fake_003.jpg'].map((file) => sample(`vietmoney/data/test/${file}`, 'a screen')),
];

export interface ScoredSample extends Sample {
  /** Null where no face was found. */
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
