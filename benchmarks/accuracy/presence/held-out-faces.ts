import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaceEngine } from '@svc/face-engine';
import { livenessContextScale, wipeAnalysis } from '@svc/face-engine';
import { decodePhoto } from '../../inputs/decode-photo.ts';
import type { ByModel } from './scored-frame.ts';
import { type UngatedModel, unmetLimits } from './ungated-models.ts';

/** As listed by `python3 -m presence collect`. */
export interface ListedPicture {
  /** Relative to the folder. */
  readonly file: string;
  readonly source: string;
  /** All pictures of a person are in one group, and so in one part of the split. */
  readonly group: string;
}

/** A face in a picture that was not used for training. */
export interface HeldOutFace {
  readonly source: string;
  /** Size of the picture relative to its box. */
  readonly room: number;
  /** Whether a device would have scored it, by the model's limits. */
  readonly isScored: boolean;
  /** 0..1 each. */
  readonly scores: ByModel<number>;
}

/** `SPLIT` of training/presence/sources.py. */
const split = 42;

/** The part of the split for a group, as computed by training/presence/sources.py. */
export function partOf(group: string): 'training' | 'development' | 'held-out' {
  const share = createHash('sha256').update(`presence split ${split}: ${group}`).digest().readUInt32BE(0) / 2 ** 32;
  if (share < 0.3) return 'held-out';
  return share < 0.35 ? 'development' : 'training';
}

/** Distance between the eyes in pixels below which a crop would be enlarged. */
export const leastInterEyePx = 14;
export const mostFacesOfPicture = 40;

/**
 * Every face of the held-out pictures, with every model.
 *
 * @param folder written by `python3 -m presence collect`
 * @param onPicture called with the number of pictures done, and of all
 */
export async function scoreHeldOut(
  engine: FaceEngine,
  models: readonly UngatedModel[],
  folder: string,
  onPicture: (done: number, all: number) => void,
): Promise<readonly HeldOutFace[]> {
  const listed = JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')) as ListedPicture[];
  const heldOut = listed.filter(({ group }) => partOf(group) === 'held-out');
  const faces: HeldOutFace[] = [];
  for (const [i, { file, source }] of heldOut.entries()) {
    const picture = await decodePhoto(join(folder, file)).catch(() => null);
    if (picture === null) continue;
    const image = engine.open(picture);
    for (const detection of (await engine.detect(image)).slice(0, mostFacesOfPicture)) {
      const face = await engine.analyse(image, detection);
      if (face === null || face.quality.interEyePx < leastInterEyePx) continue;
      const scores: [string, number][] = [];
      for (const model of models) {
        const score = await model.score(image, face);
        if (score !== null) scores.push([model.name, score]);
      }
      faces.push({
        source,
        room: livenessContextScale(picture, face.box),
        isScored: models.every(({ calibration }) => unmetLimits(picture, face, calibration.scorable).length === 0),
        scores: Object.fromEntries(scores),
      });
      wipeAnalysis(face);
    }
    image.dispose();
    picture.data.fill(0);
    onPicture(i + 1, heldOut.length);
  }
  return faces;
}
