import { srgb } from '../identity/colours.ts';
import { lastFew } from '../last-few.ts';
import { clamp } from '../math.ts';
import { type Material, plainMaterial } from '../render/part.ts';
import type { RenderedImage } from '../render/sensor.ts';
import { renderHead } from '../scene.ts';
import type { FrameOptions, HeadOptions } from '../types.ts';
import { type FlatPose, flatPart, photographFlat, readPicture, sheetFor } from './flat.ts';
import { photoStance, pictureHeight, pictureWidth } from './print.ts';

export interface ScreenOptions extends FrameOptions, Omit<FlatPose, 'bend'> {
  /** The shown person and options; light, noise and noise seed are those of the scene that the screen is held in. */
  readonly head: HeadOptions;
  /** A photo rather than a recording: every frame shows the very same picture. Default false. */
  readonly still?: boolean;
}

/** Pixels of the shown device across its width. */
const gridColumns = 810;
/** Contrast of the beat between the screen's grid and the sensor's, 0 none … 1 strong. */
const moire = 0.4;

const photos = lastFew<RenderedImage>(1);

/** The screen's picture: the head as taken by another camera. */
function shown(head: HeadOptions, still: boolean): RenderedImage {
  if (!still) return renderHead(recorded(head));
  const options = recorded({ ...head, noise: 1, noiseSeed: 1 });
  return photos(JSON.stringify(options), () => renderHead(options));
}

const recorded = (head: HeadOptions): FrameOptions & HeadOptions => ({
  ...photoStance(head),
  light: { azimuthDeg: -20, elevationDeg: 30 },
  background: { seed: head.seed + 55 },
});

function screenMaterial(picture: RenderedImage): Material {
  const colour = new Float32Array(3);
  const rows = (gridColumns * picture.height) / picture.width;
  return {
    covers: null,
    surface(sample) {
      const { u, v } = sample;
      readPicture(picture, u, v, colour);
      // Stripes of red, green and blue across, gaps between the rows: sampled unfiltered, they beat with the sensor's
      // grid.
      const across = 2 * Math.PI * u * gridColumns;
      const down = Math.cos(2 * Math.PI * v * rows);
      const level = (k: number): number => {
        const stripe = Math.cos(across - (k * 2 * Math.PI) / 3);
        return clamp(1 + moire * (0.3 * stripe + 0.22 * down), 0, 2);
      };
      const veil = 0.018;
      sample.r = (colour[0] as number) * 0.93 * level(0) + veil;
      sample.g = (colour[1] as number) * 0.98 * level(1) + veil;
      sample.b = (colour[2] as number) * 1.12 * level(2) + veil * 1.2;
      sample.glows = true;
      sample.specular = 0.04;
      sample.gloss = 500;
    },
  };
}

/**
 * A head on a phone or tablet that is held before the camera: glowing, with its grid, its rim and reflections.
 *
 * @throws RangeError when the size is not two whole numbers from 16 to 4096
 */
export function renderScreen(options: ScreenOptions): RenderedImage {
  const { head } = options;
  const pose = { ...options, bend: 0, distance: options.distance ?? head.distance ?? 1 };
  const picture = shown(head, options.still ?? false);
  const border = 0.07;
  const sheet = sheetFor(pictureWidth, pictureHeight, border);
  const [edgeX, edgeY] = [border / (1 + 2 * border), border / (pictureHeight / pictureWidth + 2 * border)];
  const parts = [
    flatPart(pose, sheet, screenMaterial(picture), [edgeX, edgeY, 1 - edgeX, 1 - edgeY], 0.05),
    flatPart(pose, sheet, plainMaterial(srgb(14, 14, 16), 0.04, 120)),
  ];
  return photographFlat(options, parts, head, 0.55);
}
