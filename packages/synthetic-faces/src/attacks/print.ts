import { lastFew } from '../last-few.ts';
import { noise2 } from '../random.ts';
import type { Material, Part } from '../render/part.ts';
import type { RenderedImage } from '../render/sensor.ts';
import { renderHead } from '../scene.ts';
import type { LitFrame, LitScene } from '../screen-light/flat-scene.ts';
import type { FrameOptions, HeadOptions } from '../types.ts';
import { type FlatPose, facePictureShare, flatPart, litFlat, photographFlat, readPicture, sheetFor } from './flat.ts';

export interface PrintOptions extends FrameOptions, FlatPose {
  /**
   * The person on the photo and its options; light, noise and noise seed are those of the scene that the print is held
   * in.
   */
  readonly head: HeadOptions;
}

export const pictureWidth = 600;
export const pictureHeight = 800;
/** White border as a share of the picture's width. */
const whiteBorder = 0.05;
/** Shine of the paper: 0 matt … 1 glossy. */
const gloss = 0.3;

const pictures = lastFew<RenderedImage>(1);

/** Where the person is in the photo. */
export const photoStance = (head: HeadOptions) => ({
  ...head,
  distance: 1 / (3 * facePictureShare),
  centreX: 0.5,
  centreY: 0.46,
  width: pictureWidth,
  height: pictureHeight,
});

/** The photo on the paper: taken by a better camera, in another room. */
export function portrait(head: HeadOptions): RenderedImage {
  const options = {
    ...photoStance(head),
    light: { azimuthDeg: -15, elevationDeg: 30 },
    noise: 0.4,
    noiseSeed: 1,
    background: { seed: head.seed + 77, kind: 'gradient' as const },
  };
  return pictures(JSON.stringify(options), () => renderHead(options));
}

/** Ink on paper: a narrower range than light, a little pale, with the grain of the dots. */
export function paperMaterial(picture: RenderedImage, border: number, covers: Material['covers'] = null): Material {
  const edge = border / (1 + 2 * border);
  const aspect = picture.height / picture.width;
  const edgeY = border / (aspect + 2 * border);
  const colour = new Float32Array(3);
  return {
    covers,
    surface(sample) {
      const u = (sample.u - edge) / (1 - 2 * edge);
      const v = (sample.v - edgeY) / (1 - 2 * edgeY);
      const inside = u > 0 && v > 0 && u < 1 && v < 1;
      if (inside) {
        readPicture(picture, u, v, colour);
        const grey = (colour[0] as number) * 0.3 + (colour[1] as number) * 0.59 + (colour[2] as number) * 0.11;
        const dots = 1 + 0.035 * noise2(u * 420, v * 560, 9) + 0.025 * Math.sin(u * 900 + v * 500);
        const ink = (k: number): number => 0.035 + 0.76 * ((colour[k] as number) * 0.86 + grey * 0.14) * dots;
        sample.r = ink(0);
        sample.g = ink(1) * 0.99;
        sample.b = ink(2) * 0.96;
      } else {
        sample.r = 0.8;
        sample.g = 0.8;
        sample.b = 0.78;
      }
      sample.specular = 0.02 + 0.05 * gloss;
      sample.gloss = 6 + 40 * gloss;
    },
  };
}

function printParts(options: PrintOptions): readonly Part[] {
  const { head } = options;
  const pose = { ...options, distance: options.distance ?? head.distance ?? 1 };
  const sheet = sheetFor(pictureWidth, pictureHeight, whiteBorder);
  return [flatPart(pose, sheet, paperMaterial(portrait(head), whiteBorder))];
}

/**
 * A printed photo of a head, held before the camera: flat or bent, so without any parallax between nose and cheeks.
 *
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export const renderPrint = (options: PrintOptions): RenderedImage =>
  photographFlat(options, printParts(options), options.head, 0.6);

/** The same before a lit screen. */
export const litPrint = (options: PrintOptions & LitFrame): LitScene => litFlat(options, printParts(options));
