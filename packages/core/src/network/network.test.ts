import { beforeAll, describe, expect, it } from 'vitest';
import { type FaceCore, loadCore } from '../index.ts';
import { type Kernel, kernelOf } from '../kernel.ts';
import { networkReference } from '../testing/network-reference.ts';
import { patternBytes } from '../testing/patterns.ts';
import {
  type Activation,
  type AffineLayer,
  type Border,
  type ConvolutionLayer,
  createNetwork,
  type DepthwiseLayer,
  type MapShape,
  type NetworkLayer,
  type NetworkPlan,
  type PoolLayer,
} from './index.ts';

let core: FaceCore;
let kernel: Kernel;
beforeAll(async () => {
  core = await loadCore();
  const found = kernelOf(core);
  if (found === undefined) throw new Error('no kernel');
  kernel = found;
});

/** Numbers in [-1, 1). */
const noise = (label: string, length: number): Float32Array =>
  Float32Array.from(patternBytes(label, length), (byte) => (byte - 128) / 128);

const map = (height: number, width: number, channels: number): MapShape => ({ height, width, channels });

const noBorder: Border = [0, 0, 0, 0];
const same = { border: [1, 1, 1, 1] } as const;

function convolution(
  x: MapShape,
  y: MapShape,
  [height, width]: readonly [number, number],
  options: Partial<ConvolutionLayer> = {},
): NetworkPlan {
  const layer: ConvolutionLayer = {
    ...{ kind: 'convolution', input: 0, output: 1, size: [height, width], stride: 1, border: noBorder },
    filters: noise('filters', height * width * x.channels * y.channels).map((value) => value / Math.sqrt(x.channels)),
    bias: noise('bias', y.channels),
    ...{ residual: null, activation: 'none' },
    ...options,
  };
  return { maps: [x, y], input: 0, output: 1, layers: [layer] };
}

function run(plan: NetworkPlan, label = 'input') {
  const network = createNetwork(core, plan);
  if (network === null) throw new Error('not computed by the kernels');
  const input = noise(label, network.inputLength);
  const out = new Float32Array(network.outputLength);
  network.run(input, out);
  network.dispose();
  return { input, out };
}

function expectAsDefined(plan: NetworkPlan): void {
  const { input, out } = run(plan);
  const expected = networkReference(plan, input);
  expect(out.length).toBe(expected.length);
  const worst = out.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? Number.NaN))), 0);
  expect(worst).toBeLessThan(2e-5);
}

describe('convolution', () => {
  it.each([
    [1, 1],
    [1, 7],
    [2, 2],
    [3, 3],
    [4, 5],
    [5, 4],
    [9, 6],
    [17, 17],
  ])('of 3×3 with a border, by Winograd, on %i×%i', (height, width) => {
    for (const [channels, outputs] of [
      [4, 8],
      [12, 16],
      [32, 24],
    ] as const) {
      expectAsDefined(convolution(map(height, width, channels), map(height, width, outputs), [3, 3], same));
    }
  });

  it('of 3×3 in more than one block of rows', () => {
    expectAsDefined(convolution(map(70, 40, 8), map(70, 40, 8), [3, 3], { ...same, activation: 'relu' }));
  });

  it.each(['none', 'relu'] as const)('of 3×3 plus a residual, with activation %s', (activation) => {
    const shape = map(7, 5, 8);
    const plan = convolution(shape, shape, [3, 3], { ...same, residual: 0, activation });
    expectAsDefined(plan);
    expectAsDefined({ ...plan, maps: [map(1, 1, 8), map(1, 1, 8)] });
  });

  it.each([
    { size: [7, 7], stride: 2, x: map(19, 22, 3), y: map(7, 8, 8) },
    { size: [3, 3], stride: 2, x: map(8, 8, 12), y: map(3, 3, 16) },
    { size: [3, 3], stride: 1, x: map(5, 3, 5), y: map(3, 1, 8) },
    { size: [2, 5], stride: 3, x: map(9, 21, 1), y: map(3, 6, 8) },
    { size: [4, 4], stride: 2, x: map(4, 4, 8), y: map(1, 1, 8) },
    { size: [1, 1], stride: 1, x: map(3, 7, 6), y: map(3, 7, 8) },
  ] as const)('of $size with stride $stride', ({ size, stride, x, y }) => {
    expectAsDefined(convolution(x, y, size, { stride }));
    expectAsDefined(convolution(x, y, size, { stride, activation: 'relu' }));
  });

  it('of one pixel is a fully connected layer', () => {
    expectAsDefined(convolution(map(1, 1, 21), map(1, 1, 16), [1, 1]));
  });
});

describe('convolution with a border', () => {
  it.each([
    { size: [3, 3], stride: 2, border: [1, 1, 1, 1], x: map(9, 14, 3), y: map(5, 7, 8) },
    { size: [3, 3], stride: 2, border: [0, 1, 0, 1], x: map(8, 6, 4), y: map(4, 3, 16) },
    { size: [5, 5], stride: 1, border: [2, 2, 2, 2], x: map(3, 2, 7), y: map(3, 2, 8) },
    { size: [3, 3], stride: 1, border: [1, 1, 1, 1], x: map(4, 5, 3), y: map(4, 5, 8) },
    { size: [1, 1], stride: 1, border: [0, 2, 1, 0], x: map(2, 2, 8), y: map(4, 3, 8) },
  ] as const)('of $size with stride $stride and $border', ({ size, stride, border, x, y }) => {
    const activation = noise('slopes', y.channels);
    expectAsDefined(convolution(x, y, size, { stride, border }));
    expectAsDefined(convolution(x, y, size, { stride, border, activation }));
    const again = convolution(x, y, size, { stride, border, activation });
    const residual: NetworkLayer = { ...(again.layers[0] as ConvolutionLayer), residual: 1, output: 2 };
    expectAsDefined({ maps: [x, y, y], input: 0, output: 2, layers: [...again.layers, residual] });
  });

  it('of more pixels than are packed at a time', () => {
    const activation = noise('slopes', 24);
    expectAsDefined(convolution(map(31, 17, 64), map(31, 17, 24), [1, 1], { activation }));
    expectAsDefined(convolution(map(5, 5, 4200), map(5, 5, 8), [1, 1]));
    expectAsDefined(convolution(map(9, 9, 16), map(9, 9, 8), [3, 3], { ...same, activation: noise('eight', 8) }));
  });
});

function depthwise(x: MapShape, y: MapShape, options: Partial<DepthwiseLayer> = {}): NetworkPlan {
  const [height, width] = options.size ?? [3, 3];
  const layer: DepthwiseLayer = {
    ...{ kind: 'depthwise', input: 0, output: 1, size: [height, width], stride: 1, border: [1, 1, 1, 1] },
    filters: noise('filters', height * width * x.channels),
    ...{ bias: noise('bias', x.channels), activation: 'none' },
    ...options,
  };
  return { maps: [x, y], input: 0, output: 1, layers: [layer] };
}

describe('depthwise convolution', () => {
  it.each([
    [{ size: [3, 3], stride: 1, border: [1, 1, 1, 1] }, map(9, 11, 12), map(9, 11, 12)],
    [{ size: [3, 3], stride: 1, border: [1, 1, 1, 1] }, map(1, 1, 4), map(1, 1, 4)],
    [{ size: [3, 3], stride: 1, border: [1, 1, 1, 1] }, map(2, 6, 4), map(2, 6, 4)],
    [{ size: [3, 3], stride: 2, border: [1, 1, 1, 1] }, map(16, 18, 8), map(8, 9, 8)],
    [{ size: [3, 3], stride: 2, border: [0, 1, 0, 1] }, map(12, 12, 8), map(6, 6, 8)],
    [{ size: [5, 5], stride: 1, border: [2, 2, 2, 2] }, map(10, 4, 8), map(10, 4, 8)],
    [{ size: [8, 8], stride: 1, border: [0, 0, 0, 0] }, map(8, 8, 16), map(1, 1, 16)],
    [{ size: [2, 3], stride: 3, border: [4, 3, 5, 1] }, map(4, 8, 4), map(4, 4, 4)],
  ] as const)('of %o', (options, x, y) => {
    expectAsDefined(depthwise(x, y, options));
    expectAsDefined(depthwise(x, y, { ...options, activation: 'relu' }));
    expectAsDefined(depthwise(x, y, { ...options, activation: noise('slopes', x.channels) }));
  });
});

function scaled(x: MapShape, gates: MapShape, y: MapShape): NetworkPlan {
  const { length } = noise('', gates.channels * x.channels);
  const squeeze: NetworkLayer = {
    ...{ kind: 'convolution', input: 0, output: 1, size: [x.height, x.width], stride: 1, border: noBorder },
    filters: noise('gates', length * x.height * x.width).map((value) => value / x.channels),
    ...{ bias: noise('bias', gates.channels), residual: null, activation: 'none' },
  };
  return {
    ...{ maps: [x, gates, y], input: 0, output: 2 },
    layers: [squeeze, { kind: 'scale', input: 0, gates: 1, output: 2, residual: null }],
  };
}

function affine(x: MapShape, constants: number, activation: Activation = 'none'): NetworkPlan {
  const [scales, offsets] = [noise('scales', constants), noise('offsets', constants)];
  const layer: AffineLayer = { kind: 'affine', input: 0, output: 1, scales, offsets, activation };
  return { maps: [x, x], input: 0, output: 1, layers: [layer] };
}

const logistic: NetworkLayer = { kind: 'logistic', input: 0, output: 1 };

describe('channels that are not in eights', () => {
  const odd = (x: MapShape, y: MapShape, input: number, output: number, options: Partial<ConvolutionLayer> = {}) =>
    ({
      ...convolution(x, y, [1, 1], { activation: noise('slopes', y.channels), ...options }).layers[0],
      ...{ input, output },
    }) as NetworkLayer;

  it.each([1, 3, 13, 26])('%i of them', (channels) => {
    const x = map(5, 4, 3);
    const y = map(5, 4, channels);
    expectAsDefined(convolution(x, y, [3, 3], { ...same, activation: noise('slopes', channels) }));
    expectAsDefined(convolution(x, y, [3, 3], same));
    const layers: NetworkLayer[] = [
      odd(x, y, 0, 1),
      { ...depthwise(y, y, { activation: noise('others', channels) }).layers[0], input: 1, output: 2 } as NetworkLayer,
      odd(y, y, 2, 3, { residual: 1 }),
      { ...affine(y, channels, noise('slopes', channels)).layers[0], input: 3, output: 4 } as NetworkLayer,
      { kind: 'add', inputs: [4, 2], output: 5, activation: noise('slopes', channels) },
      { kind: 'average-pool', input: 5, output: 6, size: [5, 4], stride: 1 },
      { kind: 'logistic', input: 6, output: 7 },
      { kind: 'scale', input: 5, gates: 7, output: 8, residual: 1 },
      { ...odd(y, map(1, 1, 5), 8, 9), size: [5, 4], filters: noise('all', 100 * channels) } as NetworkLayer,
      { kind: 'softmax', input: 9, output: 10, classes: 5 },
    ];
    const pixel = map(1, 1, channels);
    const maps = [x, y, y, y, y, y, pixel, pixel, y, map(1, 1, 5), map(1, 1, 5)];
    layers.forEach((_, i) => {
      expectAsDefined({ maps, input: 0, output: i + 1, layers: layers.slice(0, i + 1) });
    });
  });

  const [image, y] = [map(2, 2, 3), map(2, 2, 13)];
  const first = odd(image, y, 0, 1);
  const vector = map(1, 1, 3);
  it.each<[string, MapShape[], NetworkLayer[]]>([
    ['a residual', [image, y, map(2, 2, 12)], [first, odd(image, map(2, 2, 12), 0, 2, { residual: 1 })]],
    ['gates', [image, y, map(1, 1, 12), y], [first, odd(map(1, 1, 12), y, 1, 3)]],
    [
      'a sum',
      [image, y, map(2, 2, 12), y],
      [first, odd(image, map(2, 2, 12), 0, 2), { kind: 'add', inputs: [1, 2], output: 3, activation: 'none' }],
    ],
    ['more channels of zeros', [image, y, map(2, 2, 24)], [first, { kind: 'pad', input: 1, output: 2 }]],
    ['more classes than numbers', [vector, vector], [{ kind: 'softmax', input: 0, output: 1, classes: 4 }]],
    ['classes of a map', [image, image], [{ kind: 'softmax', input: 0, output: 1, classes: 3 }]],
  ])('answers null for %s of other counts', (_what, maps, layers) => {
    const output = layers.at(-1)?.output ?? 0;
    expect(createNetwork(core, { maps, input: 0, output, layers })).toBeNull();
  });

  it('takes large numbers into the softmax', () => {
    const layer: NetworkLayer = { kind: 'softmax', input: 0, output: 1, classes: 3 };
    const network = createNetwork(core, { maps: [vector, vector], input: 0, output: 1, layers: [layer] });
    const out = new Float32Array(3);
    network?.run(Float32Array.of(-1e30, 1e30, 1e30), out);
    expect([...out]).toEqual([0, 0.5, 0.5]);
    network?.dispose();
  });
});

describe('layers by channel', () => {
  it('scale by gates, plus a residual', () => {
    const plan = scaled(map(3, 5, 8), map(1, 1, 8), map(3, 5, 8));
    expectAsDefined(plan);
    const [squeeze, scale] = plan.layers as [NetworkLayer, NetworkLayer];
    expectAsDefined({ ...plan, layers: [squeeze, { ...scale, residual: 0 } as NetworkLayer] });
  });

  it.each([
    [map(4, 2, 3), 3],
    [map(3, 6, 2), 2],
    [map(3, 3, 8), 8],
    [map(4, 4, 1), 1],
  ])('scale and shift %o by constants', (x, channels) => {
    expectAsDefined(affine(x, channels));
    expectAsDefined(affine(x, channels, 'relu'));
    expectAsDefined(affine(x, channels, noise('slopes', channels)));
  });

  it('the logistic function, to the precision of 32-bit floats', () => {
    const x = map(1, 1, 401);
    const network = createNetwork(core, { maps: [x, x], input: 0, output: 1, layers: [logistic] });
    const input = Float32Array.from({ length: 401 }, (_, i) => (i - 200) / 2);
    const out = new Float32Array(401);
    network?.run(input, out);
    out.forEach((value, i) => {
      expect(value).toBe(Math.fround(1 / (1 + Math.exp(-(input[i] ?? 0)))));
    });
    network?.run(
      Float32Array.from(input, (x) => x * 1e30),
      out,
    );
    expect([out[0], out[200], out[400]]).toEqual([0, 0.5, 1]);
    network?.dispose();
  });
});

describe('layers in between', () => {
  it.each(['max-pool', 'average-pool'] as const)('%s', (kind) => {
    for (const [size, stride, x, y] of [
      [[3, 3], 2, map(7, 9, 8), map(3, 4, 8)],
      [[2, 2], 2, map(5, 5, 4), map(2, 2, 4)],
      [[3, 1], 1, map(3, 4, 12), map(1, 4, 12)],
    ] as const) {
      const layer: PoolLayer = { kind, input: 0, output: 1, size, stride };
      expectAsDefined({ maps: [x, y], input: 0, output: 1, layers: [layer] });
    }
  });

  it('pads with zeros below, to the right and in channels', () => {
    const layers = [{ kind: 'pad', input: 0, output: 1 }] as const;
    expectAsDefined({ maps: [map(3, 2, 4), map(5, 3, 12)], input: 0, output: 1, layers });
    expectAsDefined({ maps: [map(3, 2, 4), map(3, 2, 4)], input: 0, output: 1, layers });
  });

  it.each<[string, Activation]>([
    ['nothing', 'none'],
    ['a rectifier', 'relu'],
    ['slopes', noise('slopes', 4)],
  ])('adds, with %s after', (_what, activation) => {
    const layers = [
      { kind: 'pad', input: 0, output: 1 },
      { kind: 'add', inputs: [0, 1], output: 2, activation },
    ] as const;
    const shape = map(3, 5, 4);
    expectAsDefined({ maps: [shape, shape, shape], input: 0, output: 2, layers });
  });
});

/** A residual block, a step down and its way around, as in the embedding. */
function blocks(): NetworkPlan {
  const [first, wide] = [map(13, 11, 8), map(6, 5, 16)];
  const layerOf = (plan: NetworkPlan, input: number, output: number) => ({ ...plan.layers[0], input, output });
  const padded = convolution(first, first, [3, 3], { ...same, activation: 'relu' });
  const joined = convolution(first, first, [3, 3], { ...same, activation: 'relu', residual: 0 });
  const down = convolution(first, map(6, 5, 16), [3, 3], { stride: 2, activation: 'relu' });
  return {
    maps: [first, first, first, wide, map(6, 5, 8), wide, wide],
    input: 0,
    output: 6,
    layers: [
      layerOf(padded, 0, 1),
      layerOf(joined, 1, 2),
      layerOf(down, 2, 3),
      { kind: 'average-pool', input: 2, output: 4, size: [2, 2], stride: 2 },
      { kind: 'pad', input: 4, output: 5 },
      { kind: 'add', inputs: [3, 5], output: 6, activation: 'relu' },
    ] as NetworkPlan['layers'],
  };
}

/** An inverted residual block with squeeze and excitation, behind constants by channel and a window with a border. */
function mobile(): NetworkPlan {
  const [image, wide, narrow, half, pixel] = [map(8, 8, 3), map(4, 4, 16), map(4, 4, 8), map(1, 1, 8), map(1, 1, 16)];
  const layerOf = (plan: NetworkPlan, input: number, output: number) =>
    ({ ...plan.layers[0], input, output }) as NetworkLayer;
  const slopes = { activation: noise('slopes', 16) };
  const stem = convolution(image, narrow, [3, 3], { ...same, stride: 2, activation: noise('eight', 8) });
  return {
    maps: [image, image, narrow, wide, wide, narrow, half, pixel, half, half, narrow],
    input: 0,
    output: 10,
    layers: [
      layerOf(affine(image, 3), 0, 1),
      layerOf(stem, 1, 2),
      layerOf(convolution(narrow, wide, [1, 1], slopes), 2, 3),
      layerOf(depthwise(wide, wide, slopes), 3, 4),
      layerOf(convolution(wide, narrow, [1, 1]), 4, 5),
      { kind: 'average-pool', input: 5, output: 6, size: [4, 4], stride: 1 },
      layerOf(convolution(half, pixel, [1, 1], slopes), 6, 7),
      layerOf(convolution(pixel, half, [1, 1]), 7, 8),
      { kind: 'logistic', input: 8, output: 9 },
      { kind: 'scale', input: 5, gates: 9, output: 10, residual: 2 },
    ],
  };
}

describe('network', () => {
  it.each([
    ['residual', blocks],
    ['mobile', mobile],
  ])('computes layer after layer, with the same bits each time: %s', (_kind, plan) => {
    expectAsDefined(plan());
    expect(run(plan()).out).toEqual(run(plan()).out);
    expect(run(plan(), 'other').out).not.toEqual(run(plan()).out);
  });

  it.each([
    ['residual', blocks],
    ['mobile', mobile],
  ])('leaves nothing of a run in the core, and nothing at all after dispose: %s', (_kind, plan) => {
    const before = kernel.heap.usedBytes;
    const network = createNetwork(core, plan());
    const loaded = kernel.heap.usedBytes;
    expect(loaded).toBeGreaterThan(before);
    const out = new Float32Array(network?.outputLength ?? 0);
    // The weights are below 4; nothing else in the core is as large.
    network?.run(new Float32Array(network.inputLength).fill(12_345), out);
    expect(Math.max(...out)).toBeGreaterThan(100);
    const words = new Float32Array(kernel.exports.memory.buffer);
    expect(words.some((value) => value > 100 && out.includes(value))).toBe(false);
    expect(words.includes(12_345)).toBe(false);
    expect(kernel.heap.usedBytes).toBe(loaded);
    network?.dispose();
    network?.dispose();
    expect(kernel.heap.usedBytes).toBe(before);
  });

  it('refuses wrong lengths, and runs after dispose', () => {
    const network = createNetwork(core, blocks());
    if (network === null) throw new Error('not computed by the kernels');
    const [input, out] = [new Float32Array(network.inputLength), new Float32Array(network.outputLength)];
    const refused = expect.objectContaining({ code: 'invalid-argument' });
    expect(() => network.run(input.subarray(1), out)).toThrowError(refused);
    expect(() => network.run(input, new Float32Array(out.length + 1))).toThrowError(refused);
    network.dispose();
    expect(() => network.run(input, out)).toThrowError(refused);
    expect(() => createNetwork({} as FaceCore, blocks())).toThrowError(refused);
  });

  const image = map(8, 8, 4);
  const eight = map(8, 8, 8);
  const pool: PoolLayer = { kind: 'max-pool', input: 0, output: 1, size: [2, 2], stride: 2 };
  const poolPlan = (x: MapShape, y: MapShape, change: Partial<PoolLayer> = {}): NetworkPlan => ({
    ...{ maps: [x, y], input: 0, output: 1 },
    layers: [{ ...pool, ...change }],
  });
  it.each<[string, NetworkPlan]>([
    ['a residual of other channels', convolution(image, map(8, 8, 5), [3, 3], { ...same, residual: 0 })],
    ['a border that the output lacks', convolution(image, eight, [5, 5], same)],
    ['half a row of border', convolution(image, eight, [3, 3], { border: [0.5, 1.5, 1, 1] })],
    ['a border that cuts', convolution(map(10, 8, 4), eight, [3, 3], { border: [-1, 1, 1, 1] })],
    ['half a stride', convolution(image, map(15, 15, 8), [1, 1], { stride: 0.5 })],
    ['too few slopes', convolution(image, eight, [1, 1], { activation: new Float32Array(7) })],
    ['a residual of another shape', convolution(image, eight, [3, 3], { ...same, residual: 0 })],
    ['an output of another size', convolution(image, map(7, 7, 8), [3, 3])],
    ['an output of another size, padded', convolution(image, map(7, 8, 8), [3, 3], same)],
    ['too few filters', convolution(image, eight, [3, 3], { ...same, filters: new Float32Array(9) })],
    ['too few biases', convolution(image, eight, [3, 3], { ...same, bias: new Float32Array(7) })],
    ['a window of nothing', convolution(image, eight, [0, 0])],
    ['no stride', poolPlan(image, map(4, 4, 4), { stride: 0 })],
    ['a window larger than the map', poolPlan(image, map(1, 1, 4), { size: [9, 9] })],
    ['pooling into other channels', poolPlan(image, map(4, 4, 8))],
    ['pooling of three channels', poolPlan(map(8, 8, 3), map(4, 4, 3))],
    ['an empty map', poolPlan(map(0, 8, 4), map(0, 4, 4))],
    ['half a pixel', poolPlan(map(8.5, 8, 4), map(4, 4, 4))],
    ['a map that is not there', poolPlan(image, map(4, 4, 4), { input: 2 })],
    ['a map that nobody wrote', { ...poolPlan(image, map(4, 4, 4), { input: 1, output: 0 }), output: 0 }],
    ['a layer that writes over its input', poolPlan(image, image, { output: 0, size: [1, 1], stride: 1 })],
    ['an output that nobody wrote', { maps: [image, image], input: 0, output: 1, layers: [] }],
    [
      'padding that cuts',
      { maps: [image, map(7, 8, 4)], input: 0, output: 1, layers: [{ kind: 'pad', input: 0, output: 1 }] },
    ],
    [
      'a sum of unlike maps',
      {
        maps: [image, eight],
        input: 0,
        output: 1,
        layers: [{ kind: 'add', inputs: [0, 0], output: 1, activation: 'none' }],
      },
    ],
    ['depthwise of other channels', depthwise(image, eight)],
    ['depthwise of three channels', depthwise(map(8, 8, 3), map(8, 8, 3))],
    ['depthwise to another size', depthwise(eight, map(7, 8, 8))],
    ['too few depthwise filters', depthwise(eight, eight, { filters: new Float32Array(71) })],
    ['too few depthwise biases', depthwise(eight, eight, { bias: new Float32Array(7) })],
    ['too few depthwise slopes', depthwise(eight, eight, { activation: new Float32Array(4) })],
    ['gates that are a map', scaled(eight, eight, eight)],
    ['gates of other channels', scaled(eight, map(1, 1, 4), eight)],
    ['gates into another size', scaled(eight, map(1, 1, 8), map(8, 7, 8))],
    ['too few constants', affine(eight, 4)],
    ['constants for pixels that do not fill vectors', affine(map(3, 3, 3), 3)],
    ['a logistic function into another size', { maps: [image, eight], input: 0, output: 1, layers: [logistic] }],
  ])('answers null for %s', (_what, plan) => {
    const before = kernel.heap.usedBytes;
    expect(createNetwork(core, plan)).toBeNull();
    expect(kernel.heap.usedBytes).toBe(before);
  });
});
