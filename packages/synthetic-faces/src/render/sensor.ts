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
  /** Blur of lens and demosaicing in pixels (standard deviation), 0 none. */
  readonly softness: number;
}

/** Strength of the camera's own sharpening. */
const sharpening = 0.2;

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

/** The tone curve at an amount of light, 0..255 with a fraction. */
export const toneCurve = (light: number): number => {
  const at = light * (curveSize / curveTop);
  return curve[at <= 0 ? 0 : at >= curveSize ? curveSize : at | 0] as number;
};

/** Standard normal values, the same ones for the same seed. */
export function normalsFrom(seed: number): () => number {
  let state = mix32(seed * 2 + 1) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return normals[state & 8191] as number;
  };
}

/** In place: first along the rows, then down the columns. */
export function soften(image: LinearImage, sigma: number): void {
  const { width, height, data } = image;
  const side = Math.exp(-0.5 / (sigma * sigma));
  const centre = 1 / (1 + 2 * side);
  const edge = side * centre;
  const row = width * 3;
  for (let y = 0; y < height; y++) {
    const base = y * row;
    const last = base + row - 3;
    let r = data[base] as number;
    let g = data[base + 1] as number;
    let b = data[base + 2] as number;
    for (let i = base; i <= last; i += 3) {
      const next = i < last ? i + 3 : i;
      const [red, green, blue] = [data[i] as number, data[i + 1] as number, data[i + 2] as number];
      data[i] = edge * (r + (data[next] as number)) + centre * red;
      data[i + 1] = edge * (g + (data[next + 1] as number)) + centre * green;
      data[i + 2] = edge * (b + (data[next + 2] as number)) + centre * blue;
      r = red;
      g = green;
      b = blue;
    }
  }
  const above = data.slice(0, row);
  for (let y = 0; y < height; y++) {
    const base = y * row;
    const below = y + 1 < height ? row : 0;
    for (let x = 0; x < row; x++) {
      const value = data[base + x] as number;
      data[base + x] = edge * ((above[x] as number) + (data[base + below + x] as number)) + centre * value;
      above[x] = value;
    }
  }
}

/**
 * Simulates a small camera: lens blur, shot and read noise, tone curve, sharpening, 8 bits. Overwrites the image's
 * memory.
 */
export function expose(image: LinearImage, options: SensorOptions): RenderedImage {
  const { width, height } = image;
  if (options.softness > 0) soften(image, options.softness);
  encode(image.data, options);
  const out = new Uint8Array(width * height * 4);
  sharpen(image, out);
  return { data: out, width, height, channels: 4 };
}

/** Light to the tone curve's values, in place, with the noise of the sensor. */
function encode(data: Float32Array, { noise, noiseSeed, exposure }: SensorOptions): void {
  const scale = curveSize / curveTop;
  const shot = 0.018 * noise;
  const read = 0.005 * noise;
  let state = mix32(noiseSeed * 2 + 1) | 1;
  for (let i = 0; i < data.length; i += 3) {
    // xorshift32: one draw feeds the three channels through different slices of its bits.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const common = 0.75 * (normals[state & 8191] as number);
    const r = (data[i] as number) * exposure;
    const g = (data[i + 1] as number) * exposure;
    const b = (data[i + 2] as number) * exposure;
    const noiseR = common + 0.65 * (normals[(state >>> 7) & 8191] as number);
    const noiseG = common + 0.65 * (normals[(state >>> 13) & 8191] as number);
    const noiseB = common + 0.65 * (normals[(state >>> 19) & 8191] as number);
    const atR = (r + (read + shot * Math.sqrt(Math.max(r, 0))) * noiseR) * scale;
    const atG = (g + (read + shot * Math.sqrt(Math.max(g, 0))) * noiseG) * scale;
    const atB = (b + (read + shot * Math.sqrt(Math.max(b, 0))) * noiseB) * scale;
    data[i] = curve[atR <= 0 ? 0 : atR >= curveSize ? curveSize : atR | 0] as number;
    data[i + 1] = curve[atG <= 0 ? 0 : atG >= curveSize ? curveSize : atG | 0] as number;
    data[i + 2] = curve[atB <= 0 ? 0 : atB >= curveSize ? curveSize : atB | 0] as number;
  }
}

/** Unsharp mask over the four neighbours, edges repeated, and rounding to bytes. */
export function sharpen({ width, height, data }: LinearImage, out: Uint8Array): void {
  const row = width * 3;
  const byte = (i: number, up: number, down: number, left: number, right: number): number => {
    const value = data[i] as number;
    const around =
      ((data[i + up] as number) +
        (data[i + down] as number) +
        (data[i + left] as number) +
        (data[i + right] as number)) /
      4;
    const sharp = value + sharpening * (value - around);
    return sharp <= 0 ? 0 : sharp >= 255 ? 255 : sharp + 0.5;
  };
  let o = 0;
  for (let y = 0; y < height; y++) {
    const up = y > 0 ? -row : 0;
    const down = y + 1 < height ? row : 0;
    const start = y * row;
    const last = start + row - 3;
    for (let i = start; i <= last; i += 3, o += 4) {
      const left = i > start ? -3 : 0;
      const right = i < last ? 3 : 0;
      out[o] = byte(i, up, down, left, right);
      out[o + 1] = byte(i + 1, up, down, left, right);
      out[o + 2] = byte(i + 2, up, down, left, right);
      out[o + 3] = 255;
    }
  }
}
