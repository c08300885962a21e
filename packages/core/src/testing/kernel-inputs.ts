// Random calls of every export of the compiled core, to compare two builds of it: the same bytes in memory, the same
// arguments.
import type { KernelExports } from '../kernel.ts';

/** One call. Addresses among its arguments are those of `Scene`. */
export interface KernelCall {
  readonly name: Exclude<keyof KernelExports, 'memory' | 'heapBase'>;
  readonly args: readonly number[];
}

/** A small generator with a seed, since the order of calls is part of a case (G. Marsaglia's xorshift). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 1;
    for (let i = 0; i < 4; i++) this.bits();
  }

  /** 32 random bits. */
  bits(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return Math.imul(x, 0x2545f491) >>> 0;
  }

  /** An integer from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + (this.bits() % (most - least + 1));
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.bits() % values.length];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  }

  /** In [−1, 1). */
  unit(): number {
    return this.bits() / 2 ** 31 - 1;
  }
}

const special = [0, -0, 1, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-45, -1e-38, 3e38];

/** Memory of both cores from `base` on: blocks are placed one after the other, with bytes between that nobody owns. */
export class Scene {
  readonly random: Random;
  readonly base: number;
  #bytes = new Uint8Array(1 << 16);
  #end = 0;

  constructor(random: Random, base: number) {
    this.random = random;
    this.base = base;
  }

  /** All that was placed. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** The address of `length` random bytes. */
  block(length: number): number {
    const start = (this.#end + 31) & ~15;
    const end = (start + length + 31) & ~15;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    for (let at = this.#end; at < end; at++) this.#bytes[at] = this.random.bits() >>> 24;
    this.#end = end;
    return this.base + start;
  }

  /**
   * The address of random floats: mostly moderate ones, in one scene of six any bits, in another special values here and
   * there, in a third one number all over, which makes sums of nothing but −0.
   */
  floats(length: number, mode = this.random.whole(0, 5)): number {
    const address = this.block(length * 4);
    if (mode === 0) return address;
    const view = new DataView(this.#bytes.buffer, address - this.base, length * 4);
    const same = this.random.pick([0, -0, 1, -1]);
    for (let i = 0; i < length; i++) {
      const isSpecial = mode === 1 && this.random.bits() % 4 === 0;
      const other = isSpecial ? this.random.pick(special) : this.random.unit();
      view.setFloat32(i * 4, mode === 2 ? same : other, true);
    }
    return address;
  }

  /** Overwrites a block that was placed. */
  set(address: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, address - this.base);
  }
}

const four = (random: Random, most: number): number => 4 * random.whole(1, most);

type Maker = (scene: Scene, random: Random) => readonly number[];

function warp(scene: Scene, random: Random): { readonly from: number[]; readonly to: number[] } {
  const [width, height] = [random.whole(1, 12), random.whole(1, 12)];
  const from = [scene.block(width * height * 4), width, height];
  const [toWidth, toHeight] = [random.whole(1, 6), random.whole(1, 6)];
  // The kernel writes one float too many.
  const to = [scene.block(toWidth * toHeight * 12 + 4), toWidth, toHeight];
  return { from, to: [...to, random.whole(0, 7), random.unit() * 2, random.unit() * 100] };
}

const transform = (random: Random): number => random.pick([1, -1, 0.5, 2, random.unit(), random.unit() * 4]);
const shift = (random: Random): number => random.pick([0, 0.5, random.unit() * 16]);

function window(random: Random) {
  return { height: random.whole(1, 3), width: random.whole(1, 3), stride: random.whole(1, 2) };
}

function pool(scene: Scene, random: Random): readonly number[] {
  const { height, width, stride } = window(random);
  const [yHeight, yWidth, channels] = [random.whole(1, 3), random.whole(1, 3), four(random, 3)];
  const [xHeight, xWidth] = [(yHeight - 1) * stride + height, (yWidth - 1) * stride + width];
  const x = scene.floats(xHeight * xWidth * channels);
  const y = scene.block(yHeight * yWidth * channels * 4);
  return [x, xWidth, channels, height, width, stride, y, yHeight, yWidth];
}

function message(scene: Scene, random: Random): readonly number[] {
  const most = random.pick([40, 40, 300, 300, 300, 5000]);
  const [aadLength, length] = [random.whole(0, random.pick([16, 64, 2200])), random.whole(0, most)];
  const [key, nonce] = [scene.block(32), scene.block(16)];
  const aad = scene.block(Math.ceil(aadLength / 16) * 16);
  return [key, nonce, aad, aadLength, scene.block(length + 128), length, scene.block(16)];
}

const makers: { readonly [Name in KernelCall['name']]: Maker } = {
  cosine: (scene, random) => {
    const length = 16 * random.whole(1, 9);
    const a = scene.floats(length);
    return [a, random.bits() % 8 === 0 ? a : scene.floats(length), length];
  },
  normalise: (scene, random) => {
    const length = 16 * random.whole(1, 9);
    return [scene.floats(length), length];
  },
  rowNorms: (scene, random) => {
    const [rows, length] = [random.whole(0, 4), 16 * random.whole(1, 4)];
    return [scene.floats(rows * length), rows, length, scene.block(rows * 8)];
  },
  rowCosines: (scene, random) => {
    const [rows, length] = [random.whole(0, 5), 16 * random.whole(1, 4)];
    const [probe, matrix] = [scene.floats(length), scene.floats(rows * length)];
    const norms = scene.block(rows * 8);
    const values = Float64Array.from({ length: rows }, () => random.pick([0, 1, random.unit() * 9, Number.NaN]));
    scene.set(norms, new Uint8Array(values.buffer));
    return [probe, matrix, norms, rows, length, scene.block(rows * 4)];
  },
  gcmSeal: message,
  gcmOpen: message,
  expandRgb: (scene, random) => {
    const pixels = random.whole(0, 40);
    const rgba = scene.block(pixels * 4);
    // In place, as the core does it, or from elsewhere.
    return [random.bits() % 2 === 0 ? rgba + pixels : scene.block(pixels * 3), rgba, pixels];
  },
  warpGrid: (scene, random) => {
    const { from, to } = warp(scene, random);
    const [a, b, c] = [transform(random), transform(random), shift(random)];
    const [d, e, f] = [transform(random), transform(random), shift(random)];
    const along = (x: number, y: number): number => Math.max(1, Math.ceil(Math.hypot(x, y) / 1.125));
    return [...from, a, b, c, d, e, f, along(a, d), along(b, e), ...to];
  },
  warpBox: (scene, random) => {
    const { from, to } = warp(scene, random);
    const scratch = scene.block(((from[1] ?? 0) + (to[1] ?? 0)) * 16);
    return [...from, transform(random), shift(random), transform(random), shift(random), scratch, ...to];
  },
  convolve: (scene, random) => {
    const { height, width, stride } = window(random);
    const [xHeight, xWidth, channels] = [random.whole(1, 6), random.whole(1, 6), random.whole(1, 9)];
    const [top, left] = [random.whole(0, 1), random.whole(0, 1)];
    const plain = random.bits() % 4 === 0;
    const input = plain ? [1, 1, 1, 0, 0] : [height, width, stride, top, left];
    const [yHeight, yWidth] = plain ? [xHeight, xWidth] : [random.whole(1, 4), random.whole(1, 4)];
    const yChannels = 8 * random.whole(1, 2);
    const inner = (input[0] ?? 0) * (input[1] ?? 0) * channels;
    const mode = random.whole(0, 5);
    const x = scene.floats(xHeight * xWidth * channels, mode);
    const filters = scene.floats(inner * yChannels, mode);
    const [bias, slopes] = [scene.floats(yChannels, mode), scene.floats(yChannels, mode)];
    const pixels = yHeight * yWidth * yChannels;
    const residual = random.bits() % 2 === 0 ? 0 : scene.floats(pixels);
    const y = scene.block(pixels * 4);
    const rows = 4 * random.whole(1, 3);
    const scratch = scene.block((((input[1] ?? 0) * channels + 3) & ~3) * 4 + rows * inner * 4);
    const from = [x, xHeight, xWidth, channels, ...input];
    return [...from, filters, bias, slopes, residual, y, yHeight, yWidth, yChannels, scratch, rows];
  },
  convolveDepthwise: (scene, random) => {
    const { height, width, stride } = window(random);
    const [xHeight, xWidth, channels] = [random.whole(1, 9), random.whole(1, 9), four(random, 2)];
    const [top, left] = [random.whole(0, 1), random.whole(0, 1)];
    const [yHeight, yWidth] = [random.whole(1, 8), random.whole(1, 8)];
    const mode = random.whole(0, 5);
    const x = scene.floats(xHeight * xWidth * channels, mode);
    const filters = scene.floats(height * width * channels, mode);
    const [bias, slopes] = [scene.floats(channels, mode), scene.floats(channels, mode)];
    const y = scene.block(yHeight * yWidth * channels * 4);
    const of = [height, width, stride, top, left];
    return [x, xHeight, xWidth, channels, ...of, filters, bias, slopes, y, yHeight, yWidth];
  },
  convolveWinograd: (scene, random) => {
    const [height, width] = [random.whole(1, 6), random.whole(1, 6)];
    const [channels, outputs] = [four(random, 2), 8 * random.whole(1, 2)];
    const mode = random.whole(0, 5);
    const x = scene.floats(height * width * channels, mode);
    const filters = scene.floats(16 * channels * outputs, mode);
    const bias = scene.floats(outputs, mode);
    const residual = random.bits() % 2 === 0 ? 0 : scene.floats(height * width * outputs);
    const floor = random.pick([0, Number.NEGATIVE_INFINITY]);
    const y = scene.block(height * width * outputs * 4);
    const rows = random.whole(1, 3);
    const tiles = (rows * ((width + 1) >> 1) + 3) & ~3;
    const scratch = scene.floats(16 * tiles * (channels + outputs), mode);
    return [x, height, width, channels, filters, bias, residual, floor, y, outputs, scratch, rows];
  },
  maxPool: pool,
  averagePool: pool,
  padAfter: (scene, random) => {
    const [height, width, channels] = [random.whole(1, 4), random.whole(1, 4), four(random, 3)];
    const [below, right, more] = [random.whole(0, 2), random.whole(0, 2), 4 * random.whole(0, 2)];
    const size = [height + below, width + right, channels + more];
    const y = scene.block(size.reduce((product, side) => product * side, 4));
    return [scene.floats(height * width * channels), height, width, channels, y, ...size];
  },
  addMaps: (scene, random) => {
    const [pixels, channels] = [random.whole(0, 6), four(random, 3)];
    const [a, b, slopes] = [pixels, pixels, 1].map((rows) => scene.floats(rows * channels)) as [number, number, number];
    return [a, b, slopes, scene.block(pixels * channels * 4), pixels, channels];
  },
  scaleMap: (scene, random) => {
    const [pixels, channels] = [random.whole(0, 6), four(random, 3)];
    const [x, gates] = [scene.floats(pixels * channels), scene.floats(channels)];
    const residual = random.bits() % 2 === 0 ? 0 : scene.floats(pixels * channels);
    return [x, gates, residual, scene.block(pixels * channels * 4), pixels, channels];
  },
  scaleChannels: (scene, random) => {
    const [pixels, channels] = [random.whole(0, 6), four(random, 3)];
    const [scales, offsets, slopes] = [1, 1, 1].map((rows) => scene.floats(rows * channels)) as [
      number,
      number,
      number,
    ];
    const x = scene.floats(pixels * channels);
    return [x, scales, offsets, slopes, scene.block(pixels * channels * 4), pixels, channels];
  },
  logistic: (scene, random) => {
    const length = random.whole(0, 20);
    return [scene.floats(length), scene.block(length * 4), length];
  },
  softmax: (scene, random) => {
    const length = random.whole(1, 20);
    return [scene.floats(length), scene.block(length * 4), length];
  },
};

/** Every export that computes something. */
export const KERNEL_NAMES = Object.keys(makers) as readonly KernelCall['name'][];

/** The call of a seed: all exports in turn. */
export function kernelCall(seed: number, base: number): { readonly call: KernelCall; readonly scene: Scene } {
  const name = KERNEL_NAMES[seed % KERNEL_NAMES.length];
  if (name === undefined) throw new Error('no such export');
  const random = new Random(seed);
  const scene = new Scene(random, base);
  return { call: { name, args: makers[name](scene, random) }, scene };
}
