import { beforeAll, describe, expect, it } from 'vitest';
import type { FaceCore } from '../index.ts';
import { type Kernel, kernelOf } from '../kernel.ts';
import {
  affine,
  bothCores,
  convolution,
  depthwise,
  expectAsDefined,
  logistic,
  map,
  noise,
  runNetwork,
  same,
  scaled,
  single,
} from '../testing/network-plans.ts';
import { patternBytes } from '../testing/patterns.ts';
import { createNetwork, type MapShape, type NetworkLayer, type NetworkPlan } from './index.ts';
import type { PoolLayer } from './plan.ts';

let cores: readonly FaceCore[];
let core: FaceCore;
let kernel: Kernel;
beforeAll(async () => {
  cores = await bothCores();
  core = cores[0] ?? expect.unreachable();
  kernel = kernelOf(core) ?? expect.unreachable();
});

/** A residual block, a downsampling block and its shortcut, as in the embedding. */
function blocks(): NetworkPlan {
  const [first, wide] = [map(13, 11, 8), map(6, 5, 16)];
  const layerOf = (plan: NetworkPlan, input: number, output: number) => ({ ...plan.layers[0], input, output });
  const padded = convolution(first, first, [3, 3], { ...same, activation: 'relu' });
  const joined = convolution(first, first, [3, 3], { ...same, activation: 'relu', residual: 0 });
  const down = convolution(first, map(6, 5, 16), [3, 3], { stride: 2, activation: 'relu' });
  return {
    maps: [first, first, first, wide, map(6, 5, 8), wide, wide],
    input: 0,
    outputs: [6],
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

/** An inverted residual block with squeeze and excitation, after per-channel constants and a padded convolution. */
function mobile(): NetworkPlan {
  const [image, wide, narrow, half, pixel] = [map(8, 8, 3), map(4, 4, 16), map(4, 4, 8), map(1, 1, 8), map(1, 1, 16)];
  const layerOf = (plan: NetworkPlan, input: number, output: number) =>
    ({ ...plan.layers[0], input, output }) as NetworkLayer;
  const slopes = { activation: noise('slopes', 16) };
  const stem = convolution(image, narrow, [3, 3], { ...same, stride: 2, activation: noise('eight', 8) });
  return {
    maps: [image, image, narrow, wide, wide, narrow, half, pixel, half, half, narrow],
    input: 0,
    outputs: [10],
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
  ])('computes layer after layer: %s', (_kind, plan) => expectAsDefined(cores, plan()));

  it.each([
    ['residual', blocks],
    ['mobile', mobile],
  ])('gives the same bits with SIMD and without for any numbers: %s', (_kind, plan) => {
    const special = [0, -0, 1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-45, -1e-38, 3e38];
    const { input } = runNetwork(core, plan());
    for (let every = 2; every < 200; every++) {
      const odd = input.map((value, i) => (i % every === 0 ? (special[(i / every) % special.length] ?? 0) : value));
      const [a, b] = cores.map((one) => runNetwork(one, plan(), odd).out);
      // Which bits a not-a-number has is the engine's choice.
      expect(b).toEqual(a);
    }
  });

  it.each([
    ['residual', blocks],
    ['mobile', mobile],
  ])('leaves nothing of a run in the core, and nothing at all after dispose: %s', (_kind, plan) => {
    const before = kernel.heap.usedBytes;
    const network = createNetwork(core, plan());
    const loaded = kernel.heap.usedBytes;
    expect(loaded).toBeGreaterThan(before);
    const out = new Float32Array(network?.outputLengths[0] ?? 0);
    // The weights are below 4, so only the input is this large.
    network?.run(new Float32Array(network.inputLength).fill(12_345), [out]);
    expect(Math.max(...out)).toBeGreaterThan(100);
    const words = new Float32Array(kernel.exports.memory.buffer);
    expect(words.some((value) => value > 100 && out.includes(value))).toBe(false);
    expect(words.includes(12_345)).toBe(false);
    expect(kernel.heap.usedBytes).toBe(loaded);
    network?.dispose();
    network?.dispose();
    expect(kernel.heap.usedBytes).toBe(before);
  });

  it('gives several outputs, of which others may be computed', () => {
    const { layers, ...plan } = blocks();
    const outputs = [6, 2, 0];
    const network = createNetwork(core, { ...plan, layers, outputs });
    const input = noise('input', network?.inputLength ?? 0);
    const outs = network?.outputLengths.map((length) => new Float32Array(length)) ?? [];
    network?.run(input, outs);
    network?.dispose();
    expect(outs).toEqual(
      outputs.map((output) => (output === 0 ? input : runNetwork(core, { ...plan, layers, outputs: [output] }).out)),
    );
  });

  it('computes the same from an image warped into its own input', () => {
    const network = createNetwork(core, mobile()) ?? expect.unreachable();
    const image = core.image({ data: patternBytes('image', 16 * 12 * 3), width: 16, height: 12, channels: 3 });
    const transform = { a: 2, b: 0.1, c: 0, d: 0, e: 1.5, f: 0 };
    const outs = [0, 1].map(() => [new Float32Array(network.outputLengths[0] ?? 0)]);
    const input = image.warpToFloat(transform, 8, 8, { out: network.input() });
    network.run(input, outs[0] ?? []);
    const apart = image.warpToFloat(transform, 8, 8);
    expect(network.input()).toEqual(apart);
    network.input().fill(0);
    network.run(apart, outs[1] ?? []);
    expect(outs[1]).toEqual(outs[0]);
    expect(network.input().every((value) => value === 0)).toBe(true);
    image.dispose();
    network.dispose();
  });

  it('refuses wrong lengths, and runs after dispose', () => {
    const network = createNetwork(core, blocks());
    if (network === null) throw new Error('not computed by the kernels');
    const [input, out] = [new Float32Array(network.inputLength), new Float32Array(network.outputLengths[0] ?? 0)];
    const refused = expect.objectContaining({ code: 'invalid-argument' });
    expect(() => network.run(input.subarray(1), [out])).toThrowError(refused);
    expect(() => network.run(input, [new Float32Array(out.length + 1)])).toThrowError(refused);
    expect(() => network.run(input, [])).toThrowError(refused);
    expect(() => network.run(input, [out, out])).toThrowError(refused);
    network.dispose();
    expect(() => network.run(input, [out])).toThrowError(refused);
    expect(() => network.input()).toThrowError(refused);
    expect(() => createNetwork({} as FaceCore, blocks())).toThrowError(refused);
  });

  const image = map(8, 8, 4);
  const eight = map(8, 8, 8);
  const pool: PoolLayer = { kind: 'max-pool', input: 0, output: 1, size: [2, 2], stride: 2 };
  const poolPlan = (x: MapShape, y: MapShape, change: Partial<PoolLayer> = {}): NetworkPlan =>
    single(x, y, { ...pool, ...change });
  it.each<[string, NetworkPlan]>([
    ['a border that the output lacks', convolution(image, eight, [5, 5], same)],
    ['a border that cuts', convolution(map(10, 8, 4), eight, [3, 3], { border: [-1, 1, 1, 1] })],
    ['too few slopes', convolution(image, eight, [1, 1], { activation: new Float32Array(7) })],
    ['a residual of another shape', convolution(image, eight, [3, 3], { ...same, residual: 0 })],
    ['an output of another size', convolution(image, map(7, 7, 8), [3, 3])],
    ['too few filters', convolution(image, eight, [3, 3], { ...same, filters: new Float32Array(9) })],
    ['a window larger than the map', poolPlan(image, map(1, 1, 4), { size: [9, 9] })],
    ['pooling into other channels', poolPlan(image, map(4, 4, 8))],
    ['a map that is not there', poolPlan(image, map(4, 4, 4), { input: 2 })],
    ['a map that nobody wrote', { ...poolPlan(image, map(4, 4, 4), { input: 1, output: 0 }), outputs: [0] }],
    ['a layer that writes over its input', poolPlan(image, image, { output: 0, size: [1, 1], stride: 1 })],
    ['no output', { ...poolPlan(image, map(4, 4, 4)), outputs: [] }],
    ['padding that cuts', single(image, map(7, 8, 4), { kind: 'pad', input: 0, output: 1 })],
    ['a sum of unlike maps', single(image, eight, { kind: 'add', inputs: [0, 0], output: 1, activation: 'none' })],
    ['depthwise of other channels', depthwise(image, eight)],
    ['too few depthwise filters', depthwise(eight, eight, { filters: new Float32Array(71) })],
    ['gates that are a map', scaled(eight, eight, eight)],
    ['gates into another size', scaled(eight, map(1, 1, 8), map(8, 7, 8))],
    ['too few constants', affine(eight, 4)],
    ['a logistic function into another size', single(image, eight, logistic)],
  ])('answers null for %s', (_what, plan) => {
    const before = kernel.heap.usedBytes;
    expect(createNetwork(core, plan)).toBeNull();
    expect(kernel.heap.usedBytes).toBe(before);
  });
});
