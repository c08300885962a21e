import { srgbFromLinear } from '../identity/colours.ts';
import { mix32 } from '../random.ts';
import type { LinearImage } from './shade.ts';

/** RGBA bytes, row-major, no padding. */
export interface RenderedImage {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 4;
}

interface SensorOptions {
  /** Strength of the noise: 0 none, 1 an ordinary webcam in a lit room. */
  readonly noise: number;
  readonly noiseSeed: number;
  /** Gain before the tone curve, 1 as lit. */
  readonly exposure: number;
  /** Strength of the camera's own sharpening, 0 none … 1 strong. */
  readonly sharpening: number;
  /** Blur of lens and demosaicing in pixels (standard deviation), 0 none. */
  readonly softness: number;
}

const curveSize = 4096;
const curveTop = 1.6;

/** Tone curve: the sRGB encoding with a shoulder above 0.75, as 8-bit values with a fraction. */
const curve = (() => {
  const table = new Float32Array(curveSize + 1);
  for (let i = 0; i <= curveSize; i++) {
    const x = (i / curveSize) * curveTop;
    const soft = x < 0.7 ? x : 0.7 + 0.3 * (1 - Math.exp(-(x - 0.7) / 0.3));
    table[i] = 255 * srgbFromLinear(soft);
  }
  return table;
})();

/** Standard normal values to draw noise from. */
const normals = (() => {
  const table = new Float32Array(8192);
  for (let i = 0; i < table.length; i += 2) {
    const u = (mix32(i * 2 + 1) + 1) / 4294967297;
    const v = mix32(i * 2 + 2) / 4294967296;
    const r = Math.sqrt(-2 * Math.log(u));
    table[i] = r * Math.cos(2 * Math.PI * v);
    table[i + 1] = r * Math.sin(2 * Math.PI * v);
  }
  return table;
})();

function soften(image: LinearImage, sigma: number): void {
  const { width, height, data } = image;
  const side = Math.exp(-0.5 / (sigma * sigma));
  const centre = 1 / (1 + 2 * side);
  const edge = side * centre;
  const row = width * 3;
  const previous = new Float32Array(row);
  const current = new Float32Array(row);
  for (let y = 0; y < height; y++) {
    const base = y * row;
    for (let k = 0; k < 3; k++) {
      let left = data[base + k] as number;
      for (let x = k; x < row; x += 3) {
        const value = data[base + x] as number;
        const right = data[base + (x + 3 < row ? x + 3 : x)] as number;
        data[base + x] = edge * (left + right) + centre * value;
        left = value;
      }
    }
  }
  previous.set(data.subarray(0, row));
  for (let y = 0; y < height; y++) {
    const base = y * row;
    current.set(data.subarray(base, base + row));
    const below = y + 1 < height ? base + row : base;
    for (let x = 0; x < row; x++) {
      data[base + x] = edge * ((previous[x] as number) + (data[below + x] as number)) + centre * (current[x] as number);
    }
    previous.set(current);
  }
}

/** What a small camera makes of the light: lens blur, shot and read noise, tone curve, sharpening, 8 bits. */
export function expose(image: LinearImage, options: SensorOptions): RenderedImage {
  const { width, height, data } = image;
  if (options.softness > 0) soften(image, options.softness);
  const out = new Uint8Array(width * height * 4);
  const encoded = data;
  const scale = curveSize / curveTop;
  let state = mix32(options.noiseSeed * 2 + 1) | 1;
  const shot = 0.018 * options.noise;
  const read = 0.005 * options.noise;
  for (let i = 0; i < encoded.length; i += 3) {
    // xorshift32: one draw feeds the three channels through different slices of its bits.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const common = normals[state & 8191] as number;
    for (let k = 0; k < 3; k++) {
      const light = (data[i + k] as number) * options.exposure;
      const own = normals[(state >>> (k === 0 ? 7 : k === 1 ? 13 : 19)) & 8191] as number;
      const sigma = read + shot * Math.sqrt(Math.max(light, 0));
      const noisy = light + sigma * (0.75 * common + 0.65 * own);
      const position = noisy * scale;
      encoded[i + k] = curve[position <= 0 ? 0 : position >= curveSize ? curveSize : position | 0] as number;
    }
  }
  const amount = options.sharpening * 0.5;
  const row = width * 3;
  for (let y = 0; y < height; y++) {
    const up = y > 0 ? -row : 0;
    const down = y + 1 < height ? row : 0;
    for (let x = 0; x < width; x++) {
      const i = (y * width + x) * 3;
      const o = (y * width + x) * 4;
      const left = x > 0 ? -3 : 0;
      const right = x + 1 < width ? 3 : 0;
      for (let k = 0; k < 3; k++) {
        const value = encoded[i + k] as number;
        const around =
          ((encoded[i + k + up] as number) +
            (encoded[i + k + down] as number) +
            (encoded[i + k + left] as number) +
            (encoded[i + k + right] as number)) /
          4;
        const sharp = value + amount * (value - around);
        out[o + k] = sharp <= 0 ? 0 : sharp >= 255 ? 255 : sharp + 0.5;
      }
      out[o + 3] = 255;
    }
  }
  return { data: out, width, height, channels: 4 };
}
