import type { PixelImage } from '@svc/core';

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

/** Seeded numbers in [0, 1) (mulberry32). */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The degraded picture: blurred in linear light, darkened, and with independent noise on each value. */
export function poorPicture(picture: PixelImage, trouble: Trouble, seed: number): PixelImage {
  const { width, height } = picture;
  const next = seededNumbers(seed);
  let planes = linearPlanes(picture, trouble.light);
  const angle = 2 * Math.PI * next();
  const way = trouble.motionPx * next();
  if (way >= 1)
    planes = planes.map((plane) => moved(plane, width, height, way * Math.cos(angle), way * Math.sin(angle)));
  if (trouble.defocusPx > 0) planes = planes.map((plane) => blurred(plane, width, height, trouble.defocusPx));
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    for (const [c, plane] of planes.entries()) {
      const value = toned(plane[i] ?? 0) + trouble.noise * (gaussians[Math.floor(next() * gaussians.length)] ?? 0);
      data[i * 3 + c] = Math.max(0, Math.min(255, Math.round(value)));
    }
  }
  return { data, width, height, channels: 3 };
}

const GAMMA = 2.2;
const TONES = 4096;
const tones = Float32Array.from({ length: TONES + 1 }, (_, i) => 255 * (i / TONES) ** (1 / GAMMA));
const toned = (linear: number): number => tones[Math.round(TONES * Math.max(0, Math.min(1, linear)))] ?? 0;

/** Precomputed, because a picture takes a million of them. */
const gaussians = (() => {
  const next = seededNumbers(1);
  return Float32Array.from(
    { length: 65_536 },
    () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  );
})();

function linearPlanes({ data, width, height, channels }: PixelImage, light: number): Float32Array[] {
  const linear = Float32Array.from({ length: 256 }, (_, value) => light * (value / 255) ** GAMMA);
  return [0, 1, 2].map((c) => {
    const plane = new Float32Array(width * height);
    for (let i = 0; i < plane.length; i++) plane[i] = linear[data[i * channels + c] ?? 0] ?? 0;
    return plane;
  });
}

/** The mean along a straight line. */
function moved(plane: Float32Array, width: number, height: number, dx: number, dy: number): Float32Array {
  const steps = Math.max(2, Math.ceil(Math.hypot(dx, dy)));
  const sum = new Float32Array(plane.length);
  for (let step = 0; step < steps; step++) {
    const share = step / (steps - 1) - 0.5;
    const [x, y] = [Math.round(dx * share), Math.round(dy * share)];
    for (let row = 0; row < height; row++) {
      const from = Math.max(0, Math.min(height - 1, row + y)) * width;
      for (let column = 0; column < width; column++) {
        const at = row * width + column;
        sum[at] = (sum[at] ?? 0) + (plane[from + Math.max(0, Math.min(width - 1, column + x))] ?? 0) / steps;
      }
    }
  }
  return sum;
}

function blurred(plane: Float32Array, width: number, height: number, sigmaPx: number): Float32Array {
  const reach = Math.ceil(2.5 * sigmaPx);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, i) => Math.exp(-((i - reach) ** 2) / (2 * sigmaPx ** 2)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const along = (from: Float32Array, stride: number, length: number, at: (i: number) => number): Float32Array => {
    const out = new Float32Array(from.length);
    for (let i = 0; i < from.length; i++) {
      const place = at(i);
      let sum = 0;
      for (let k = -reach; k <= reach; k++) {
        const within = Math.max(0, Math.min(length - 1, place + k));
        sum += (weights[k + reach] ?? 0) * (from[i + (within - place) * stride] ?? 0);
      }
      out[i] = sum / total;
    }
    return out;
  };
  const rows = along(plane, 1, width, (i) => i % width);
  return along(rows, width, height, (i) => Math.floor(i / width));
}
