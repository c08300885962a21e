import type { AffineTransform, PixelImage } from '../image.ts';

// The definition of a warp (docs/internals/core.md), pixel by pixel; bit-identical to the core.

const f32 = Math.fround;
type Rgb = [number, number, number];

function pixel(image: PixelImage, x: number, y: number, edge: boolean): Rgb {
  const column = Math.max(0, Math.min(image.width - 1, x));
  const row = Math.max(0, Math.min(image.height - 1, y));
  if (!edge && (column !== x || row !== y)) return [0, 0, 0];
  const at = (row * image.width + column) * image.channels;
  return [image.data[at] ?? 0, image.data[at + 1] ?? 0, image.data[at + 2] ?? 0];
}

const zip = (a: Rgb, b: Rgb, f: (p: number, q: number) => number): Rgb => [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])];
const add = (a: Rgb, b: Rgb): Rgb => zip(a, b, (p, q) => f32(p + q));
const each = (a: Rgb, f: (p: number) => number): Rgb => [f(a[0]), f(a[1]), f(a[2])];

/** Rounds to a multiple of 2^-32, ties to even, like the kernel's fixed-point positions. */
function fixed(value: number): number {
  const scaled = value * 2 ** 32;
  const floor = Math.floor(scaled);
  const rest = scaled - floor;
  return (floor + (rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? 1 : 0)) / 2 ** 32;
}

/** Positions are rounded to this share of a pixel. */
const unit = 1 / 128;

function gridMean(image: PixelImage, t: AffineTransform, x: number, y: number, edge: boolean): Rgb {
  const samples = (dx: number, dy: number) => Math.max(1, Math.ceil(Math.sqrt(dx * dx + dy * dy) / 1.125));
  const [nu, nv] = [Math.min(512, samples(t.a, t.d)), samples(t.b, t.e)];
  const startX = fixed((t.a / nu + t.b / nv) * 0.5 + t.c - 0.5) + fixed(t.b) * y + fixed(t.a) * x;
  const startY = fixed((t.d / nu + t.e / nv) * 0.5 + t.f - 0.5) + fixed(t.e) * y + fixed(t.d) * x;
  let sum: Rgb = [0, 0, 0];
  for (let j = 0; j < nv; j++) {
    let row: Rgb = [0, 0, 0];
    for (let i = 0; i < nu; i++) {
      const sx = Math.floor((startX + fixed(t.a / nu) * i + fixed(t.b / nv) * j) / unit + 0.5);
      const sy = Math.floor((startY + fixed(t.d / nu) * i + fixed(t.e / nv) * j) / unit + 0.5);
      const [left, top] = [Math.floor(sx * unit), Math.floor(sy * unit)];
      const [right, below] = [sx - left / unit, sy - top / unit];
      for (const [dx, wx] of [
        [0, 1 / unit - right],
        [1, right],
      ] as const) {
        for (const [dy, wy] of [
          [0, 1 / unit - below],
          [1, below],
        ] as const) {
          row = zip(row, pixel(image, left + dx, top + dy, edge), (p, q) => p + q * wx * wy);
        }
      }
    }
    sum = add(sum, each(row, f32));
  }
  return each(sum, (value) => f32(value / f32(f32(f32(nu) * f32(nv)) / unit ** 2)));
}

interface Tap {
  readonly index: number;
  readonly weight: number;
}

/** Length of each pixel that the interval covers; with `edge` the outermost pixels extend to infinity. */
function taps(centre: number, half: number, size: number, edge: boolean): Tap[] {
  const [low, high] = [centre - half, centre + half];
  const clamp = (index: number): number => Math.max(0, Math.min(size - 1, index));
  const out: Tap[] = [];
  for (let index = clamp(Math.floor(low)); index <= clamp(Math.ceil(high) - 1); index++) {
    const from = edge && index === 0 ? low : Math.max(low, index);
    const to = edge && index === size - 1 ? high : Math.min(high, index + 1);
    out.push({ index, weight: f32(Math.max(0, to - from)) });
  }
  return out;
}

function boxMean(image: PixelImage, t: AffineTransform, x: number, y: number, edge: boolean): Rgb {
  const halfX = Math.max(1, Math.abs(t.a)) * 0.5;
  const halfY = Math.max(1, Math.abs(t.e)) * 0.5;
  const rows = taps(t.e * (y + 0.5) + t.f, halfY, image.height, edge);
  let sum: Rgb = [0, 0, 0];
  for (const column of taps(t.a * (x + 0.5) + t.c, halfX, image.width, edge)) {
    // Whole rows first, then the two that may be partly covered.
    let down: Rgb = [0, 0, 0];
    for (const row of [...rows.slice(1, -1), ...rows.slice(0, 1), ...rows.slice(1).slice(-1)]) {
      const weighted = each(pixel(image, column.index, row.index, true), (value) => f32(value * row.weight));
      down = add(down, weighted);
    }
    sum = add(
      sum,
      each(down, (value) => f32(value * column.weight)),
    );
  }
  return each(sum, (value) => f32(f32(value / f32(halfY * 2)) / f32(halfX * 2)));
}

/** RGB means before scale, offset and rounding. */
export function warpReference(
  image: PixelImage,
  t: AffineTransform,
  width: number,
  height: number,
  edge: boolean,
): Float32Array {
  const mean = t.b === 0 && t.d === 0 ? boxMean : gridMean;
  const out = new Float32Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      out.set(mean(image, t, x, y, edge), (y * width + x) * 3);
    }
  }
  return out;
}
