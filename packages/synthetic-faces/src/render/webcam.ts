import { clamp } from '../math.ts';
import { Random } from '../random.ts';
import { halveChroma, quantise } from './compression.ts';
import { normalsFrom, type RenderedImage, sharpen, soften, toneCurve } from './sensor.ts';
import type { LinearImage } from './shade.ts';

/** A small camera with one sensor under a mosaic of colour filters, and the compression of its video. */
export interface Optics {
  /** Photosites for each pixel of the frame, across: the video takes some of them and skips the rest. */
  readonly oversampling: number;
  /** Blur of the lens, photosites (standard deviation). */
  readonly blur: number;
  /** Blur of a pixel in the frame, as the camera's own denoising leaves it, pixels. */
  readonly softness: number;
  /** Light lost in the corners, 0 … 1. */
  readonly vignette: number;
  /** Noise at gain 1 where the light is 1, and in the dark; shares of full scale. */
  readonly shot: number;
  readonly read: number;
  /** Of the compression, as of a JPEG: 1 … 100. */
  readonly quality: number;
  /** From the first to the last row of the rolling shutter, milliseconds. */
  readonly readoutMs: number;
}

/** One camera of the many; the same seed is the same camera. */
export function opticsOf(seed: number): Optics {
  const random = new Random(seed, 'optics');
  return {
    oversampling: random.range(1.6, 3.2),
    blur: random.range(0.35, 0.6),
    softness: random.range(0.4, 0.6),
    vignette: random.range(0.1, 0.35),
    shot: random.range(0.012, 0.024),
    read: random.range(0.002, 0.006),
    quality: Math.round(random.range(70, 93)),
    readoutMs: random.range(12, 30),
  };
}

interface Exposing {
  readonly optics: Optics;
  readonly noiseSeed: number;
  /** Photons to full scale, and how far they are amplified; noise grows by the root of it. */
  readonly exposure: number;
  readonly gain: number;
  /** White balance. */
  readonly balance: readonly [number, number, number];
}

/** Takes a picture of linear light through mosaic, noise, tone curve and compression. Overwrites the image's memory. */
export function film(image: LinearImage, { optics, noiseSeed, exposure, gain, balance }: Exposing): RenderedImage {
  const { width, height, data } = image;
  soften(image, optics.softness);
  const raw = mosaic(image, optics, exposure, gain, noiseSeed);
  demosaic(raw, width, height, data);
  for (let i = 0; i < data.length; i++) data[i] = toneCurve((data[i] as number) * (balance[i % 3] as number));
  const out: RenderedImage = { data: new Uint8Array(width * height * 4), width, height, channels: 4 };
  sharpen(image, out.data);
  halveChroma(out);
  quantise(out, optics.quality);
  return out;
}

/** Brightest that a photosite holds. */
const fullWell = 1.6;

/** One value a photosite, red, green / green, blue, with vignetting and noise. */
function mosaic(
  { width, height, data }: LinearImage,
  optics: Optics,
  exposure: number,
  gain: number,
  noiseSeed: number,
) {
  const raw = new Float32Array(width * height);
  const { vignette, shot, read } = optics;
  const noise = Math.sqrt(gain);
  const corner = (width * width + height * height) / 4;
  const normal = normalsFrom(noiseSeed);
  for (let y = 0, i = 0; y < height; y++) {
    const dy = (y - height / 2) ** 2;
    for (let x = 0; x < width; x++, i++) {
      const lost = 1 - (vignette * ((x - width / 2) ** 2 + dy)) / corner;
      const light = Math.max(0, data[i * 3 + (y & 1) + (x & 1)] as number) * exposure * lost;
      raw[i] = clamp(light + (read + shot * Math.sqrt(light)) * noise * normal(), 0, fullWell);
    }
  }
  return raw;
}

/** Bilinear: each missing colour is the mean of its nearest photosites; edges repeated by mirroring. */
function demosaic(raw: Float32Array, width: number, height: number, out: Float32Array): void {
  for (let y = 0, i = 0; y < height; y++) {
    const up = y > 0 ? -width : width;
    const down = y + 1 < height ? width : -width;
    for (let x = 0; x < width; x++, i++) {
      const left = x > 0 ? -1 : 1;
      const right = x + 1 < width ? 1 : -1;
      const own = raw[i] as number;
      const beside = ((raw[i + left] as number) + (raw[i + right] as number)) / 2;
      const above = ((raw[i + up] as number) + (raw[i + down] as number)) / 2;
      const row = y & 1;
      const o = i * 3;
      if (((x ^ y) & 1) === 1) {
        out[o] = row === 0 ? beside : above;
        out[o + 1] = own;
        out[o + 2] = row === 0 ? above : beside;
        continue;
      }
      const across =
        ((raw[i + up + left] as number) +
          (raw[i + up + right] as number) +
          (raw[i + down + left] as number) +
          (raw[i + down + right] as number)) /
        4;
      out[o] = row === 0 ? own : across;
      out[o + 1] = (beside + above) / 2;
      out[o + 2] = row === 0 ? across : own;
    }
  }
}
