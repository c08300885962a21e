import { describe, expect, it } from 'vitest';
import { kernelOf } from '../kernel.ts';
import { bothCores, noise } from '../testing/network-plans.ts';
import { networkReference } from '../testing/network-reference.ts';
import { digestOf, outputsOf, randomNetwork, randomRuns } from '../testing/random-network.ts';
import { createIntegerNetwork, decodeNetwork, encodeNetwork, type IntegerPlan } from './index.ts';

const cores = await bothCores();
const [core] = cores;
const kernel = kernelOf(core) ?? expect.unreachable();

// Of about five layers each. A million, and faces, in `npm run evaluate:bits` of the benchmarks.
it('computes the bits of the definition, with SIMD and without: any layers, sums up to 32 bits', () => {
  expect(() => digestOf(cores, randomRuns(200))).not.toThrow();
});

it('computes those of blocks with an odd end, of windows below a map, and of zeros without a sign', () => {
  const map = (channels: number, scale: number | null) => ({
    ...{ height: 12, width: 12, channels },
    integers: scale === null ? null : { scale, most: 8191 },
  });
  const maps = [map(3, null), map(4, 1 / 4096), map(8, 1), map(8, 1000), map(8, null)];
  const below = { size: [2, 1], border: [0, 1, 0, 0] } as const;
  const windows = [{ size: [5, 5], border: [2, 2, 2, 2] } as const, below, below].map(({ size, border }, i) => {
    const length = 8 * size[0] * size[1] * (maps[i + 1]?.channels ?? 0);
    const values = Int16Array.from({ length }, (_, at) => ((37 * at) % 255) - 127);
    return {
      kind: 'convolution',
      ...{ input: i + 1, output: i + 2, size, border, stride: 1, residual: null },
      ...{ filters: { values, scales: new Float32Array(8).fill(1) }, bias: new Float32Array(8) },
      activation: Float32Array.of(0, -1, 0.5, 1, 0, 0, 0, 0),
    } as const;
  });
  const ones = new Float32Array(3).fill(1);
  const layers = [{ kind: 'quantise', input: 0, output: 1, scales: ones, offsets: ones } as const, ...windows];
  const plan = { maps, layers, input: 0, outputs: [{ map: 4, channels: 8 }], results: [[12, 12, 8]] };
  const input = noise('input', 12 * 12 * 3);
  for (const core of cores) expect(outputsOf(core, plan, input)).toEqual(networkReference(plan, input));
});

describe('a file', () => {
  it('has all of the plan', () => {
    for (let seed = 0; seed < 20; seed++) {
      const { plan } = randomNetwork(seed);
      // A buffer of Node, whose slices are no copies, at an odd place.
      const buffer = Buffer.concat([Buffer.alloc(1), encodeNetwork(plan)]).subarray(1);
      expect(decodeNetwork(buffer)).toEqual(plan);
    }
  });

  const { plan, input } = randomNetwork(3);
  const file = encodeNetwork(plan);
  const refused = expect.objectContaining({ code: 'model-mismatch' });

  it('that is cut short or goes on is refused', () => {
    for (let length = 0; length < file.length; length += 1 + (length >> 4))
      expect(() => decodeNetwork(file.subarray(0, length))).toThrowError(refused);
    expect(() => decodeNetwork(Uint8Array.of(...file, 0))).toThrowError(refused);
  });

  it('with a wrong bit is refused, or another network that computes as defined', () => {
    const outcomes = { refused: 0, null: 0, computed: 0 };
    for (let at = 0; at < 8 * file.length; at += at < 8 * 1500 ? 11 : 1999) {
      const damaged = file.slice();
      damaged[at >> 3] = (damaged[at >> 3] ?? 0) ^ (1 << (at & 7));
      let other: IntegerPlan;
      try {
        other = decodeNetwork(damaged);
      } catch (error) {
        expect(error).toEqual(refused);
        outcomes.refused++;
        continue;
      }
      const network = createIntegerNetwork(core, other);
      outcomes[network === null ? 'null' : 'computed']++;
      network?.dispose();
      if (network?.inputLength === input.length)
        expect(outputsOf(core, other, input)).toEqual(networkReference(other, input));
    }
    expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(10);
  });
});

describe('a plan from anywhere', () => {
  const eight = (value: number) => new Float32Array(8).fill(value);
  const map = (side: number, channels: number, scale: number | null = 1) =>
    ({ height: side, width: side, channels, integers: scale === null ? null : { scale, most: 1000 } }) as const;
  const pool = { input: 3, output: 4, size: [4, 4], stride: 1 } as const;
  const window = { size: [3, 3], stride: 1, border: [1, 1, 1, 1], bias: eight(1), activation: eight(0.5) } as const;
  const filters = (length: number) => ({ values: new Int16Array(length).fill(3), scales: eight(1) });
  const fifth = Int16Array.from({ length: 72 }, (_, i) => (i % 8 === 5 ? 27 : 0));
  const point = { ...window, size: [1, 1], border: [0, 0, 0, 0], residual: null } as const;
  /** A layer of every kind. */
  const whole: IntegerPlan = {
    maps: [
      ...[
        map(4, 3, null),
        map(4, 4),
        map(4, 8),
        map(4, 8),
        map(1, 8),
        map(1, 8, null),
        map(1, 8),
        map(4, 8),
        map(4, 8),
      ],
      ...[map(4, 8), map(5, 8), map(10, 8), map(10, 8, null), map(1, 8, null)],
    ],
    input: 0,
    outputs: [
      { map: 12, channels: 5 },
      { map: 13, channels: 2 },
    ],
    results: [[1, 10, 10, 5], [2]],
    layers: [
      { kind: 'quantise', input: 0, output: 1, scales: new Float32Array(3), offsets: new Float32Array(3) },
      { kind: 'convolution', input: 1, output: 2, ...window, filters: filters(288), residual: null },
      { kind: 'depthwise', input: 2, output: 3, ...window, filters: { values: fifth, scales: eight(1) } },
      { kind: 'average-pool', ...pool },
      { kind: 'convolution', input: 4, output: 5, ...point, filters: filters(64) },
      { kind: 'logistic', input: 5, output: 6 },
      { kind: 'scale', input: 3, gates: 6, output: 7, residual: 2 },
      { kind: 'add', inputs: [7, 2], output: 8, activation: eight(1) },
      { kind: 'max-pool', input: 8, output: 9, size: [1, 1], stride: 1 },
      { kind: 'pad', input: 9, output: 10 },
      { kind: 'upsample', input: 10, output: 11 },
      { kind: 'convolution', input: 11, output: 12, ...point, filters: filters(64) },
      { kind: 'softmax', input: 5, output: 13, classes: 2 },
    ],
  };
  /** The plan with a part changed, which is named by the way to it. */
  function changed<T>(part: T, [key, ...way]: readonly (string | number)[], value: unknown): T {
    if (key === undefined) return value as T;
    const copy = Array.isArray(part) ? [...part] : { ...part };
    const inside = copy as Record<string | number, unknown>;
    inside[key] = changed(inside[key], way, value);
    return copy as T;
  }

  it('is computed if all of it fits', () => {
    const input = Float32Array.from({ length: 48 }, (_, i) => i);
    // 36 weights of 3 or 9 of 27 an output, 1000 times each: the last biases that fit 32 bits.
    const last = changed(
      changed(whole, ['layers', 1, 'bias'], eight(2 ** 31 - 108_032)),
      ['layers', 2, 'bias'],
      eight(243_072 - 2 ** 31),
    );
    for (const plan of [whole, last]) {
      for (const each of cores) expect(outputsOf(each, plan, input)).toEqual(networkReference(plan, input));
    }
  });

  it('averages as many numbers as fit 32 bits, and no more', () => {
    const layers = whole.layers.filter(({ kind, output }) => kind === 'quantise' || output === 4 || output === 5);
    const meanOf = (height: number): IntegerPlan => {
      const all = { height, width: 256, channels: 8, integers: { scale: 1, most: 32_767 } };
      const maps = [{ ...all, channels: 3, integers: null }, all, all, all, map(1, 8, 64), map(1, 8, null)];
      const [first = expect.unreachable(), ...others] = changed(layers, [1, 'size'], [height, 256]);
      return {
        maps,
        input: 0,
        layers: [{ ...first, output: 3 }, ...others],
        outputs: [{ map: 5, channels: 8 }],
        results: [[8]],
      };
    };
    const input = new Float32Array(256 * 256 * 3).fill(40_000);
    for (const each of cores) expect(outputsOf(each, meanOf(256), input)).toEqual(networkReference(meanOf(256), input));
    expect(createIntegerNetwork(core, meanOf(257))).toBeNull();
  });

  const weight = (value: number) => new Int16Array(72).fill(value, 5, 6);
  it.each<[string, string, unknown]>([
    ['an endless scale', 'maps 2 integers scale', Number.POSITIVE_INFINITY],
    ['a scale near 0', 'maps 2 integers scale', 1e-30],
    ['a scale of weights of 0', 'layers 1 filters scales', new Float32Array(8)],
    ['too few scales of weights', 'layers 1 filters scales', new Float32Array(7).fill(1)],
    ['a bound above 16 bits', 'maps 2 integers most', 32_768],
    ['a bound that is no integer', 'maps 2 integers most', 0.5],
    ['a weight above the bound', 'layers 2 filters values', weight(1024)],
    ['a weight below the bound', 'layers 2 filters values', weight(-32_768)],
    ['a sum that might not fit 32 bits', 'layers 1 bias', eight(2 ** 31 - 107_904)],
    ['a negative one', 'layers 1 bias', eight(107_904 - 2 ** 31)],
    ['a sum of a depthwise convolution', 'layers 2 bias', eight(2 ** 31 - 242_944)],
    ['a bias that is no number', 'layers 1 bias', eight(Number.NaN)],
    ['steep slopes', 'layers 1 activation', eight(1e9)],
    ['constants that are no numbers', 'layers 0 offsets', new Float32Array(3).fill(Number.NaN)],
    ['too few constants', 'layers 0 scales', new Float32Array(2)],
    ['an input of integers', 'maps 0 integers', { scale: 1, most: 1 }],
    ['an input of four channels', 'maps 0 channels', 4],
    ['an input that is no map', 'input', 99],
    ['floats between integers', 'maps 3 integers', null],
    ['integers into the logistic function', 'maps 5 integers', { scale: 1, most: 1 }],
    ['floats out of the logistic function', 'maps 6 integers', null],
    ['another scale after max-pool', 'maps 9 integers scale', 2],
    ['another bound after pad', 'maps 10 integers most', 999],
    ['an output of integers', 'outputs 0 map', 11],
    ['an output that is no map', 'outputs 0 map', 99],
    ['more channels than the output has', 'outputs', [{ map: 13, channels: 502 }]],
    ['an output of no channels', 'outputs 0 channels', 0],
    ['no output', 'outputs', []],
    ['results of another size', 'results 0 1', 9],
    ['results of parts', 'results 0', [1, 10, 100, 0.5]],
    ['a map that two layers write', 'layers 9 output', 9],
    ['a layer that reads what is written later', 'layers 3 input', 8],
    ['a layer that reads what nobody writes', 'layers 3 input', 99],
    ['more classes than numbers', 'layers 12 classes', 9],
    ['channels that are no eights', 'maps 2 channels', 4],
    ['a map of parts of pixels', 'maps 2 height', 3.5],
    ['more maps than any network', 'maps', [...whole.maps, ...new Array(1011).fill(map(1, 8))]],
    ['a huge map', 'maps 2', { ...map(4, 8), height: 2 ** 24 }],
    ['a huge border', 'layers 1 border', [2 ** 31, 1, 1, 1]],
    ['a huge stride', 'layers 3 stride', 2 ** 31],
    ['a stride of 0', 'layers 1 stride', 0],
    ['too few weights', 'layers 1 filters values', new Int16Array(287)],
  ])('is refused with %s, and takes no memory', (_what, way, value) => {
    const before = kernel.heap.usedBytes;
    expect(createIntegerNetwork(core, changed(whole, way.split(' '), value))).toBeNull();
    expect(kernel.heap.usedBytes).toBe(before);
  });

  it('is refused where another layer than quantise reads the input, which may be no number', () => {
    const layers = [{ kind: 'softmax', input: 0, output: 1, classes: 8 }] as const;
    const maps = [map(1, 8, null), map(1, 8, null)];
    const plan = { maps, input: 0, outputs: [{ map: 1, channels: 8 }], results: [[8]], layers };
    expect(createIntegerNetwork(core, plan)).toBeNull();
  });
});
