import { sha256Hex } from './model-bundle.ts';
import type { GoldenOutput, GoldenPicture, ModelEntry } from './types.ts';

type Colour = readonly [red: number, green: number, blue: number];

/**
 * The input for a manifest's golden outputs: a drawn head, so that detectors find a face, landmarks have positions and
 * an embedding is not that of noise.
 *
 * Uses only +, −, ×, ÷, which ECMAScript rounds identically everywhere, and whole bytes as colours before they are
 * mapped to the input's range: Node and every browser compute the same values.
 *
 * @returns the first input, NHWC, `Float32Array` of its size, owned by the caller
 */
export function goldenInput(
  model: Pick<ModelEntry, 'name' | 'inputs'> & { readonly golden: GoldenPicture },
): Float32Array {
  const [, height = 0, width = 0, channels = 0] = model.inputs[0]?.shape ?? [];
  if (height * width <= 0 || channels !== 3) throw new RangeError(`the input of ${model.name} is not an RGB image`);
  const [low, high] = model.inputs[0]?.range ?? [0, 1];
  const head = drawnHead(model.golden.inputSeed, model.golden.faceHeight);
  const values = new Float32Array(height * width * 3);
  for (let y = 0, i = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (const channel of head((x + 0.5) / width, (y + 0.5) / height)) {
        const byte = Math.round(clamp(channel) * 255);
        values[i++] = low + ((high - low) * byte) / 255;
      }
    }
  }
  return values;
}

/** SHA-256 of all outputs of a network, in their order, as little-endian 32-bit floats; lower-case hexadecimal. */
export function digestOf(outputs: readonly ArrayLike<number>[]): Promise<string> {
  const numbers = Float32Array.from(outputs.flatMap((output) => Array.from(output)));
  return sha256Hex(new Uint8Array(numbers.buffer));
}

/** Whether a network gave its golden outputs. @param outputs all of them, for {@link goldenInput} */
export async function isGolden(golden: GoldenOutput, outputs: readonly ArrayLike<number>[]): Promise<boolean> {
  if ('sha256' in golden) return (await digestOf(outputs)) === golden.sha256;
  return golden.outputs.every(({ index, length, positions, values }) => {
    const output = outputs[index] ?? [];
    const errors = positions.map((at, i) => (output[at] ?? Number.NaN) - Math.fround(values[i] ?? Number.NaN));
    // False for NaN.
    return output.length === length && errors.every((error) => Math.abs(error) <= golden.tolerance);
  });
}

/** Colour of the golden picture at (x, y), both 0 to 1. */
function drawnHead(seed: number, faceHeight: number): (x: number, y: number) => Colour {
  const random = mulberry32(seed);
  const vary = (middle: number, spread: number): number => middle + (random() * 2 - 1) * spread;
  const centreX = vary(0.5, 0.02);
  const centreY = vary(0.5, 0.02);
  const tilt = vary(0, 0.04);
  const eyeX = vary(0.36, 0.02);
  const eyeY = vary(-0.12, 0.02);
  const mouthY = vary(0.55, 0.02);
  const warmth = vary(0, 0.05);
  const skin: Colour = [0.8 + warmth, 0.6, 0.5 - warmth];
  const hair: Colour = [0.2, 0.13 + warmth, 0.1];
  const cloth: Colour = [0.2, 0.3 + warmth, 0.45];

  return (x, y) => {
    // Head coordinates: the face is the ellipse with half-axes 0.76 and 1, y downwards.
    const dx = ((x - centreX) * 2) / faceHeight;
    const dy = ((y - centreY) * 2) / faceHeight;
    const u = dx + tilt * dy;
    const v = dy - tilt * dx;
    const aside = u < 0 ? -u : u;

    let colour: Colour = [0.55 + 0.2 * x, 0.6 + 0.1 * y, 0.66 - 0.1 * x];
    const paint = (shape: number, over: Colour): void => {
      colour = mix(colour, over, shape);
    };
    paint(ellipse(u, v - 2.1, 1.7, 1.05, 0.05), cloth);
    paint(ellipse(u, v - 0.9, 0.42, 0.75, 0.1), shade(skin, 0.75));
    paint(ellipse(u, v + 0.2, 0.88, 1.0, 0.08), hair);
    const relief = 1 - 0.28 * (u * u * 1.4 + v * v * 0.4) - 0.1 * u;
    paint(ellipse(u, v, 0.72, 0.98, 0.06) * (1 - ellipse(u, v + 1.02, 0.66, 0.4, 0.3)), shade(skin, relief));

    paint(0.45 * ellipse(aside - eyeX, v - eyeY, 0.21, 0.15, 0.9), shade(skin, 0.5));
    paint(ellipse(aside - eyeX, v - eyeY + 0.2 - 0.1 * (aside - eyeX), 0.2, 0.04, 0.7), hair);
    paint(ellipse(aside - eyeX, v - eyeY, 0.14, 0.065, 0.3), [0.93, 0.92, 0.9]);
    paint(ellipse(aside - eyeX, v - eyeY, 0.065, 0.07, 0.3), [0.3, 0.22, 0.15]);
    paint(ellipse(aside - eyeX, v - eyeY, 0.032, 0.035, 0.3), [0.03, 0.03, 0.04]);
    paint(0.5 * ellipse(u + 0.09, v - 0.1, 0.05, 0.24, 1), shade(skin, 0.62));
    paint(0.5 * ellipse(u - 0.02, v - 0.15, 0.06, 0.22, 1), shade(skin, 1.15));
    paint(0.6 * ellipse(u, v - 0.33, 0.19, 0.07, 0.9), shade(skin, 0.6));
    paint(ellipse(aside - 0.08, v - 0.32, 0.04, 0.025, 0.6), shade(skin, 0.25));
    paint(ellipse(u, v - mouthY, 0.27, 0.085, 0.5), [0.68, 0.32, 0.3]);
    paint(ellipse(u, v - mouthY + 0.01, 0.25, 0.016, 0.7), [0.3, 0.1, 0.1]);
    return colour;
  };
}

/** 1 inside an ellipse around the origin, 0 outside; `softness` is the width of the edge relative to the radius. */
function ellipse(u: number, v: number, halfWidth: number, halfHeight: number, softness: number): number {
  const distance = (u / halfWidth) * (u / halfWidth) + (v / halfHeight) * (v / halfHeight);
  const t = clamp((1 - distance) / (2 * softness) + 0.5);
  return t * t * (3 - 2 * t);
}

const clamp = (x: number): number => Math.min(Math.max(x, 0), 1);
const shade = ([r, g, b]: Colour, light: number): Colour => [r * light, g * light, b * light];
const mix = (a: Colour, b: Colour, t: number): Colour => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
];

/** Mulberry32, a 32-bit generator with integer operations only. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
