import { describe, expect, it } from 'vitest';
import {
  affine,
  bothCores,
  convolution,
  depthwise,
  expectAsDefined as expectOf,
  logistic,
  map,
  noBorder,
  noise,
  randomFloats,
  same,
  single,
} from '../testing/network-plans.ts';
import { type ConvolutionLayer, createNetwork, type MapShape, type NetworkLayer, type NetworkPlan } from './index.ts';

const cores = await bothCores();
const [core] = cores;

const expectAsDefined = (plan: NetworkPlan): void => expectOf(cores, plan);

describe('a layer', () => {
  it('of any kind, window, shape and activation, after others', () => {
    for (let seed = 0; seed < 150; seed++) expectAsDefined(randomFloats(seed));
  });

  it('of more pixels than are packed at a time, or in more than one block of rows', () => {
    const activation = noise('slopes', 24);
    expectAsDefined(convolution(map(31, 17, 64), map(31, 17, 24), [1, 1], { activation }));
    expectAsDefined(convolution(map(5, 5, 4200), map(5, 5, 8), [1, 1]));
    expectAsDefined(convolution(map(9, 9, 16), map(9, 9, 8), [3, 3], { ...same, activation: noise('eight', 8) }));
    expectAsDefined(convolution(map(70, 40, 8), map(70, 40, 8), [3, 3], { ...same, activation: 'relu' }));
    expectAsDefined(convolution(map(19, 22, 3), map(7, 8, 8), [7, 7], { stride: 2 }));
    expectAsDefined(depthwise(map(8, 8, 16), map(1, 1, 16), { size: [8, 8], border: noBorder }));
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
  const wide = map(2, 2, 24);
  it.each<[string, MapShape[], NetworkLayer[]]>([
    ['a residual', [image, y, map(2, 2, 12)], [first, odd(image, map(2, 2, 12), 0, 2, { residual: 1 })]],
    ['gates', [image, y, map(1, 1, 12), y], [first, odd(map(1, 1, 12), y, 1, 3)]],
    [
      'a sum',
      [image, y, map(2, 2, 12), y],
      [first, odd(image, map(2, 2, 12), 0, 2), { kind: 'add', inputs: [1, 2], output: 3, activation: 'none' }],
    ],
    [
      'more channels of zeros after halves,',
      [image, y, y, map(2, 2, 24)],
      [first, { kind: 'logistic', input: 1, output: 2 }, { kind: 'pad', input: 2, output: 3 }],
    ],
    ['more classes than numbers', [vector, vector], [{ kind: 'softmax', input: 0, output: 1, classes: 4 }]],
    ['a doubled map', [wide, wide], [{ kind: 'upsample', input: 0, output: 1 }]],
    ['classes of a map', [image, image], [{ kind: 'softmax', input: 0, output: 1, classes: 3 }]],
  ])('answers null for %s of other counts', (_what, maps, layers) => {
    const outputs = [layers.at(-1)?.output ?? 0];
    expect(createNetwork(core, { maps, input: 0, outputs, layers })).toBeNull();
  });

  it('are padded with more, and added to', () => {
    const wide = map(2, 2, 21);
    const layers: NetworkLayer[] = [
      first,
      { kind: 'pad', input: 1, output: 2 },
      odd(y, wide, 1, 3),
      { kind: 'add', inputs: [2, 3], output: 4, activation: 'relu' },
    ];
    for (const output of [2, 4])
      expectAsDefined({ maps: [image, y, wide, wide, wide], input: 0, outputs: [output], layers });
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
