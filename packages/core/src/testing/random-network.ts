import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type FaceCore, loadCore } from '../index.ts';
import {
  type Activation,
  type Border,
  createIntegerNetwork,
  decodeNetwork,
  type IntegerFilters,
  type IntegerLayer,
  type IntegerMap,
  type IntegerPlan,
} from '../network/index.ts';
import { networkReference } from './network-reference.ts';

type Sides = readonly [height: number, width: number];

/** A window, and the sides of the map that it makes. */
interface Window {
  readonly size: Sides;
  readonly stride: number;
  readonly border: Border;
  readonly sides: Sides;
}

/**
 * A small integer network with its input, drawn from a seed: layers of every kind, sums up to the last that fit 32 bits,
 * halves, numbers beyond all bounds.
 */
export function randomNetwork(seed: number): { readonly plan: IntegerPlan; readonly input: Float32Array } {
  const drawing = new Drawing(seed);
  return { plan: drawing.plan(), input: drawing.input() };
}

/** An input of a network, which may be computed by the definition too; that takes a hundred times as long. */
type Run<Plan> = { readonly plan: Plan; readonly input: Float32Array; readonly isDefined: boolean };

/** One of each of `count` random networks. */
export function* randomRuns(count: number): Generator<Run<IntegerPlan>> {
  for (let seed = 0; seed < count; seed++) yield { ...randomNetwork(seed), isDefined: true };
}

/**
 * Computes on each core and by the definition.
 * @returns the hash of all outputs, which is the same in every engine
 * @throws Error if a network is refused, or with the layers of one whose bits are others
 */
export function digestOf(cores: readonly FaceCore[], runs: Iterable<Run<IntegerPlan>>): string {
  const hash = sha256.create();
  for (const { plan, input, isDefined } of runs) {
    const [first = [], ...others] = cores.map((core) => outputsOf(core, plan, input).map(bytesOf));
    if (isDefined) others.push(networkReference(plan, input).map(bytesOf));
    for (const [i, bytes] of first.entries()) {
      for (const other of others)
        if (bytes.some((byte, at) => byte !== other[i]?.[at]))
          throw new Error(`other bits: ${plan.layers.map(({ kind }) => kind)}`);
      hash.update(bytes);
    }
  }
  return bytesToHex(hash.digest());
}

/** What computes the digest of so many random networks, or of runs of these files, on both cores: in Node and in pages. */
export async function openDigests(files: readonly Uint8Array[]) {
  const cores = [await loadCore({ kind: 'simd' }), await loadCore({ kind: 'scalar' })];
  const plans = files.map((file) => decodeNetwork(file));
  const planned = (run: Run<number>) => plans.slice(run.plan, run.plan + 1).map((plan) => ({ ...run, plan }));
  return (work: number | readonly Run<number>[]): string =>
    digestOf(cores, typeof work === 'number' ? randomRuns(work) : work.flatMap(planned));
}

const bytesOf = ({ buffer }: Float32Array): Uint8Array => new Uint8Array(buffer);

/** @throws Error if the network is refused */
export function outputsOf(core: FaceCore, plan: IntegerPlan, input: Float32Array): readonly Float32Array[] {
  const network = createIntegerNetwork(core, plan);
  if (network === null) throw new Error('refused');
  const outs = network.outputLengths.map((length) => new Float32Array(length));
  network.run(input, outs);
  network.dispose();
  return outs;
}

class Drawing {
  readonly #maps: IntegerMap[] = [];
  readonly #layers: IntegerLayer[] = [];
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  plan(): IntegerPlan {
    const sides = [this.#count(1, 8), this.#count(1, 8)] as const;
    const input = this.#map(sides, 3, null);
    const first = this.#map(sides, this.#pick(4, 8), this.#integers(1));
    const [scales, offsets] = [this.#floats(3, 1), this.#floats(3, 0.5)];
    let last = this.#add({ kind: 'quantise', input, output: first, scales, offsets });
    for (let layers = this.#count(1, 4); layers > 0; layers--) last = this.#layer(last);
    last = this.#floatsOf(last);
    const { height, width, channels } = this.#at(last);
    if (height * width === 1) {
      const output = this.#map([1, 1], channels, null);
      last = this.#add({ kind: 'softmax', input: last, output, classes: this.#count(1, channels) });
    }
    const given = this.#count(1, channels);
    return {
      ...{ maps: this.#maps, input, outputs: [{ map: last, channels: given }] },
      ...{ results: [[height, width, given]], layers: this.#layers },
    };
  }

  input(): Float32Array {
    const { height, width } = this.#at(0);
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, -1e30, 0];
    return Float32Array.from({ length: 3 * height * width }, () =>
      this.#count(0, 50) > 0 ? this.#within(1.5) : (odd[this.#count(0, 3)] ?? 0),
    );
  }

  /** In [0, 1) */
  #number(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From `low` to `high`, both included. */
  #count(low: number, high: number): number {
    return low + Math.floor(this.#number() * (high - low + 1));
  }

  #pick<T>(...choices: readonly [T, ...T[]]): T {
    return choices[this.#count(0, choices.length - 1)] ?? choices[0];
  }

  /** Between −bound and bound, as often as not one of them. */
  #within(bound: number): number {
    return this.#pick(-1, 1, 2 * this.#number() - 1, 2 * this.#number() - 1) * bound;
  }

  #floats(length: number, bound: number): Float32Array {
    return Float32Array.from({ length }, () => this.#within(bound));
  }

  #activation(channels: number): Activation {
    return this.#pick<Activation>('none', 'relu', this.#floats(channels, 1.5));
  }

  /** Integers for values up to about `size`, as often as not with a power of two as scale, which makes halves. */
  #integers(size: number): NonNullable<IntegerMap['integers']> {
    const most = this.#pick(127, 1023, 8191, 32_767, this.#count(1, 32_767));
    // No powers and logarithms, which are not the same bits in every engine.
    const scale = (size / most) * (0.3 + 2.7 * this.#number());
    let power = 2 ** -30;
    while (2 * power <= scale && power < 2 ** 29) power *= 2;
    return { most, scale: this.#pick(power, Math.min(2 ** 30, Math.max(2 ** -30, scale))) };
  }

  #map([height, width]: Sides, channels: number, integers: IntegerMap['integers']): number {
    return this.#maps.push({ height, width, channels, integers }) - 1;
  }

  /** A map, and how large its values are. */
  #at(map: number) {
    const shape = this.#maps[map] ?? { height: 0, width: 0, channels: 0, integers: null };
    const { scale, most } = shape.integers ?? { scale: 1, most: 1 };
    return { ...shape, sides: [shape.height, shape.width] as const, scale, most, size: scale * most };
  }

  #add(layer: IntegerLayer): number {
    this.#layers.push(layer);
    return layer.output;
  }

  /** Adds a layer that reads a map, and tells the one that it writes. */
  #layer(input: number): number {
    const { channels, sides, integers, size } = this.#at(input);
    const [height, width] = sides;
    const any = ['depthwise', 'max-pool', 'average-pool', 'pad', 'add', 'scale', 'upsample'] as const;
    const kind = channels % 8 === 0 ? this.#pick('convolution', 'convolution', ...any) : 'convolution';
    switch (kind) {
      case 'pad': {
        const larger = [height + this.#count(0, 2), width + this.#count(0, 2)] as const;
        const output = this.#map(larger, channels + 8 * this.#count(0, 1), integers);
        return this.#add({ kind, input, output });
      }
      case 'add': {
        const [second, activation] = [this.#like(input) ?? input, this.#activation(channels)];
        const output = this.#map(sides, channels, this.#integers(size));
        return this.#add({ kind, inputs: [input, second], output, activation });
      }
      case 'scale':
        return this.#scale(input);
      case 'upsample':
        return this.#add({ kind, input, output: this.#map([2 * height, 2 * width], channels, this.#integers(size)) });
      case 'max-pool':
      case 'average-pool': {
        const { border: _none, sides: made, ...window } = this.#window(sides, 0);
        const output = this.#map(made, channels, kind === 'max-pool' ? integers : this.#integers(size));
        return this.#add({ kind, input, output, ...window });
      }
      case 'convolution':
        return this.#convolution(input, this.#window(sides, 2), this.#pick(8, 8 * this.#count(1, 3)), false);
      case 'depthwise': {
        const { sides: made, ...window } = this.#window(sides, 2);
        const { filters, bias, spread } = this.#filters(input, window.size[0] * window.size[1], channels);
        const output = this.#map(made, channels, this.#integers(spread));
        return this.#add({ kind, input, output, ...window, filters, bias, activation: this.#activation(channels) });
      }
    }
  }

  #window([height, width]: Sides, mostBorder: number): Window {
    // The one that keeps the sides, for residuals.
    if (mostBorder > 0 && this.#number() < 0.3)
      return { size: [3, 3], stride: 1, border: [1, 1, 1, 1], sides: [height, width] };
    const [top, bottom, left, right] = Array.from({ length: 4 }, () => this.#count(0, mostBorder));
    const border: Border = [top ?? 0, bottom ?? 0, left ?? 0, right ?? 0];
    const [tall, wide] = [height + border[0] + border[1], width + border[2] + border[3]];
    const extent = this.#pick(1, 3, this.#count(1, 5));
    const size = [Math.min(tall, extent), Math.min(wide, this.#pick(extent, this.#count(1, 5)))] as const;
    const stride = this.#pick(1, 1, 2, 3);
    const sides = [Math.floor((tall - size[0]) / stride) + 1, Math.floor((wide - size[1]) / stride) + 1] as const;
    return { size, stride, border, sides };
  }

  #convolution(input: number, { sides, ...window }: Window, channels: number, toFloats: boolean): number {
    const taps = window.size[0] * window.size[1] * this.#at(input).channels;
    const { filters, bias, spread } = this.#filters(input, taps, channels);
    const output = this.#map(sides, channels, toFloats ? null : this.#integers(spread));
    const [residual, activation] = [
      this.#pick(null, this.#like(output), this.#like(output)),
      this.#activation(channels),
    ];
    return this.#add({ kind: 'convolution', input, output, ...window, filters, bias, residual, activation });
  }

  /** Weights and biases whose sums fit 32 bits, often just so, and how large a usual sum is. */
  #filters(input: number, taps: number, channels: number) {
    const { most, scale } = this.#at(input);
    const limit = 2 ** 31 - 1;
    const bound = Math.min(this.#pick(7, 127, 1023), Math.floor(limit / most / taps));
    const values = Int16Array.from({ length: taps * channels }, () => Math.round(this.#within(bound)));
    const unit = this.#pick(1 / 256, 1, 256) * (0.5 + this.#number());
    const scales = Float32Array.from({ length: channels }, () => this.#pick(unit, unit * (0.5 + this.#number())));
    const usual = bound * most * Math.sqrt(taps);
    const rest = Math.min(limit - bound * most * taps, this.#pick(limit, usual));
    // A bias is a float, which may be greater than the integer that it was made of.
    const bias = scales.map((each) => Math.round(this.#within(rest) * (1 - 2 ** -20)) * each * scale);
    const filters: IntegerFilters = { values, scales };
    return { filters, bias, spread: unit * scale * (usual + rest / 2) };
  }

  /** Another map of integers of this shape, if there is one. */
  #like(map: number): number | null {
    const { height, width, channels } = this.#at(map);
    const found = this.#maps.findIndex(
      (each, i) =>
        i !== map &&
        each.integers !== null &&
        each.height === height &&
        each.width === width &&
        each.channels === channels,
    );
    return found < 0 ? null : found;
  }

  /** Gates from the whole map, which they multiply. */
  #scale(input: number): number {
    const { sides, channels, size } = this.#at(input);
    const whole = { size: sides, stride: 1, border: [0, 0, 0, 0], sides: [1, 1] } as const;
    const squeezed = this.#convolution(input, whole, channels, true);
    const gates = this.#map([1, 1], channels, this.#integers(1));
    this.#add({ kind: 'logistic', input: squeezed, output: gates });
    const residual = this.#pick(null, this.#like(input));
    return this.#add({
      kind: 'scale',
      input,
      gates,
      residual,
      output: this.#map(sides, channels, this.#integers(size)),
    });
  }

  /** The integers of a map as floats, or what a convolution makes of them. */
  #floatsOf(input: number): number {
    const { sides, channels } = this.#at(input);
    if (channels % 8 !== 0 || this.#number() < 0.2)
      return this.#convolution(input, this.#window(sides, 2), 8 * this.#count(1, 2), true);
    const values = Int16Array.from({ length: channels * channels }, (_, i) => Number(i % (channels + 1) === 0));
    const filters: IntegerFilters = { values, scales: new Float32Array(channels).fill(1) };
    const window = { size: [1, 1], stride: 1, border: [0, 0, 0, 0], residual: null, activation: 'none' } as const;
    const output = this.#map(sides, channels, null);
    return this.#add({ kind: 'convolution', input, output, ...window, filters, bias: new Float32Array(channels) });
  }
}
