import { beforeAll, describe, expect, it } from 'vitest';
import type { FaceCore } from '../index.ts';
import {
  affine,
  bothCores,
  convolution,
  depthwise,
  expectAsDefined as expectOf,
  logistic,
  map,
  noise,
  same,
  scaled,
  single,
} from '../testing/network-plans.ts';
import {
  type Activation,
  type ConvolutionLayer,
  createNetwork,
  type MapShape,
  type NetworkLayer,
  type NetworkPlan,
} from './index.ts';

let cores: readonly FaceCore[];
let core: FaceCore;
beforeAll(async () => {
  cores = await bothCores();
  core = cores[0] ?? expect.unreachable();
});

const expectAsDefined = (plan: NetworkPlan): void => expectOf(cores, plan);

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
    expectAsDefined({ maps: [x, y, y], input: 0, outputs: [2], layers: [...again.layers, residual] });
  });

  it('of more pixels than are packed at a time', () => {
    const activation = noise('slopes', 24);
    expectAsDefined(convolution(map(31, 17, 64), map(31, 17, 24), [1, 1], { activation }));
    expectAsDefined(convolution(map(5, 5, 4200), map(5, 5, 8), [1, 1]));
    expectAsDefined(convolution(map(9, 9, 16), map(9, 9, 8), [3, 3], { ...same, activation: noise('eight', 8) }));
  });
});

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
      expectAsDefined({ maps, input: 0, outputs: [i + 1], layers: layers.slice(0, i + 1) });
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
    const outputs = [layers.at(-1)?.output ?? 0];
    expect(createNetwork(core, { maps, input: 0, outputs, layers })).toBeNull();
  });

  it('takes large numbers into the softmax', () => {
    const network = createNetwork(core, single(vector, vector, { kind: 'softmax', input: 0, output: 1, classes: 3 }));
    const out = new Float32Array(3);
    network?.run(Float32Array.of(-1e30, 1e30, 1e30), [out]);
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
    const network = createNetwork(core, single(x, x, logistic));
    const input = Float32Array.from({ length: 401 }, (_, i) => (i - 200) / 2);
    const out = new Float32Array(401);
    network?.run(input, [out]);
    out.forEach((value, i) => {
      expect(value).toBe(Math.fround(1 / (1 + Math.exp(-(input[i] ?? 0)))));
    });
    network?.run(
      Float32Array.from(input, (x) => x * 1e30),
      [out],
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
      expectAsDefined(single(x, y, { kind, input: 0, output: 1, size, stride }));
    }
  });

  it('pads with zeros below, to the right and in channels', () => {
    for (const y of [map(5, 3, 12), map(3, 2, 4)]) {
      expectAsDefined(single(map(3, 2, 4), y, { kind: 'pad', input: 0, output: 1 }));
    }
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
    expectAsDefined({ maps: [shape, shape, shape], input: 0, outputs: [2], layers });
  });
});
