import type { PixelImage } from '@svc/core';
import { generator } from '../bootstrap.ts';
import { blurredPlane, normal, type Plane, planesOf, rgbOf } from '../images.ts';

/** Degradations by a poor camera or poor light. */
export interface Trouble {
  /** Standard deviation of an out-of-focus blur, pixels. */
  readonly defocusPx: number;
  /** Maximum motion blur in pixels: straight, in a random direction per frame, uniform from 0 on. */
  readonly motionPx: number;
  /** Fraction of the linear light that is left. */
  readonly light: number;
  /** Standard deviation of the sensor noise, of 255. */
  readonly noise: number;
}

/** The degraded picture: blurred in linear light, darkened, and with independent noise on each value. */
export function poorPicture(picture: PixelImage, trouble: Trouble, seed: number): PixelImage {
  const next = generator(seed);
  let planes = planesOf(picture, (byte) => trouble.light * (linearOf[byte] ?? 0));
  const angle = 2 * Math.PI * next();
  const way = trouble.motionPx * next();
  if (way >= 1) planes = planes.map((plane) => moved(plane, way * Math.cos(angle), way * Math.sin(angle)));
  if (trouble.defocusPx > 0) planes = planes.map((plane) => blurredPlane(plane, trouble.defocusPx, 2.5));
  return rgbOf(picture, (pixel, channel) => {
    const noise = gaussians[Math.floor(next() * gaussians.length)] ?? 0;
    return toned(planes[channel]?.values[pixel] ?? 0) + trouble.noise * noise;
  });
}

const GAMMA = 2.2;
const TONES = 4096;
const linearOf = Array.from({ length: 256 }, (_, byte) => (byte / 255) ** GAMMA);
const tones = Float32Array.from({ length: TONES + 1 }, (_, i) => 255 * (i / TONES) ** (1 / GAMMA));
const toned = (linear: number): number => tones[Math.round(TONES * Math.max(0, Math.min(1, linear)))] ?? 0;

/** Precomputed, because a picture takes a million of them. */
const gaussians = (() => {
  const next = generator(1);
  return Float32Array.from({ length: 65_536 }, () => normal(next));
})();

/** The mean along a straight line. */
function moved({ values, width, height }: Plane, dx: number, dy: number): Plane {
  const steps = Math.max(2, Math.ceil(Math.hypot(dx, dy)));
  const sum = new Float32Array(values.length);
  for (let step = 0; step < steps; step++) {
    const share = step / (steps - 1) - 0.5;
    const [x, y] = [Math.round(dx * share), Math.round(dy * share)];
    for (let row = 0; row < height; row++) {
      const from = Math.max(0, Math.min(height - 1, row + y)) * width;
      for (let column = 0; column < width; column++) {
        const at = row * width + column;
        sum[at] = (sum[at] ?? 0) + (values[from + Math.max(0, Math.min(width - 1, column + x))] ?? 0) / steps;
      }
    }
  }
  return { values: sum, width, height };
}
