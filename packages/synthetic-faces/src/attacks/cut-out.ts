import { headModel } from '../head-model.ts';
import { lastFew } from '../last-few.ts';
import type { Part } from '../render/part.ts';
import { cameraOf, placeHead } from '../render/place.ts';
import { projectScene, sampleBuffer } from '../render/rasteriser.ts';
import type { LitFrame, LitScene } from '../screen-light/flat-scene.ts';
import type { HeadOptions } from '../types.ts';
import { type FlatPose, flatPart, litFlat, sheetFor } from './flat.ts';
import { paperMaterial, photoStance, pictureHeight, pictureWidth, portrait } from './print.ts';

export interface CutOutOptions extends LitFrame, FlatPose {
  /** The person on the photo; its light, noise and noise seed are those of the scene that the paper is held in. */
  readonly head: HeadOptions;
  /** The person who wears it as a mask and turns the head under it; default: it is held up with nobody behind. */
  readonly wearer?: number;
}

/** Distance of a worn mask in front of the nose, and in front of the neck's axis. Canonical units. */
const worn = { lift: 9, swing: 4.6 } as const;

type Covers = (u: number, v: number) => boolean;

const outlines = lastFew<Covers>(1);

/** Mask of the head in the photo: cut along hair, ears and jaw. */
function outlineOf(head: HeadOptions): Covers {
  const stance = photoStance(head);
  return outlines(JSON.stringify(stance), () => {
    const camera = cameraOf(pictureWidth, pictureHeight);
    const parts = placeHead(headModel(head.seed, head.spread), stance, camera, pictureWidth, pictureHeight, 'head');
    const buffer = sampleBuffer(pictureWidth, pictureHeight, 1);
    buffer.draw(projectScene(parts, camera));
    const inside = Uint8Array.from(buffer.triangle, (id) => (id < 0 ? 0 : 1));
    return (u, v) => {
      const [x, y] = [Math.floor(u * pictureWidth), Math.floor(v * pictureHeight)];
      return x >= 0 && y >= 0 && x < pictureWidth && y < pictureHeight && inside[y * pictureWidth + x] === 1;
    };
  });
}

/**
 * A photo of a head, printed life-size and cut out along the head, so that neither border nor the photo's own
 * background shows: held up, or worn by another person as a mask, flat or bent round the face.
 *
 * @throws RangeError if the size is not two whole numbers from 16 to 4096
 */
export const litCutOut = (options: CutOutOptions): LitScene => litFlat(options, cutOutParts(options));

function cutOutParts(options: CutOutOptions): readonly Part[] {
  const { head, wearer, width, height } = options;
  const distance = options.distance ?? head.distance ?? 1;
  const photographed = { ...head, yawDeg: 0, pitchDeg: 0, rollDeg: 0, expression: {} };
  const material = paperMaterial(portrait(photographed), 0, outlineOf(photographed));
  const sheet = sheetFor(pictureWidth, pictureHeight, 0);
  const parts: Part[] = [];
  if (wearer === undefined) parts.push(flatPart({ ...options, distance }, sheet, material));
  else {
    const { turnDeg = 0, tiltDeg = 0, rollDeg = 0 } = options;
    // The face is a little above the middle of the photo, and of the frame.
    const turned = { yawDeg: turnDeg, pitchDeg: -tiltDeg, rollDeg };
    const posed = { seed: wearer, ...turned, distance, centreX: 0.5, centreY: 0.5 - 0.02 };
    parts.push(...placeHead(headModel(wearer, head.spread), posed, cameraOf(width, height), width, height));
    parts.push(flatPart({ ...options, distance, swing: worn.swing }, sheet, material, [0, 0, 1, 1], worn.lift));
  }
  return parts;
}
