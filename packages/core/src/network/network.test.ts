import { describe, expect, it } from 'vitest';
import type { FaceCore } from '../index.ts';
import { kernelOf } from '../kernel.ts';
import {
  affine,
  bothCores,
  convolution,
  depthwise,
  logistic,
  map,
  noise,
  randomFloats,
  runNetwork,
  same,
  scaled,
  single,
} from '../testing/network-plans.ts';
import { patternBytes } from '../testing/patterns.ts';
import { createNetwork, type MapShape, type NetworkPlan } from './index.ts';
import type { PoolLayer } from './plan.ts';

const cores = await bothCores();
const [core] = cores;
const kernel = kernelOf(core) ?? expect.unreachable();

/** Of networks with residuals, gates, pools and windows of any kind. */
const seeds = [1, 18] as const;

describe('network', () => {
  it.each(seeds)('gives the same bits with SIMD and without for any numbers: network %i', (seed) => {
    const plan = randomFloats(seed);
    const special = [0, -0, 1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-45, -1e-38, 3e38];
    const { input } = runNetwork(core, plan);
    for (let every = 2; every < 200; every++) {
      const odd = input.map((value, i) => (i % every === 0 ? (special[(i / every) % special.length] ?? 0) : value));
      const [a, b] = cores.map((one) => runNetwork(one, plan, odd).out);
      // Which bits a not-a-number has is the engine's choice.
      expect(b).toEqual(a);
    }
  });

  it.each(seeds)('leaves nothing of a run in the core, and nothing at all after dispose: network %i', (seed) => {
    const before = kernel.heap.usedBytes;
    const network = createNetwork(core, randomFloats(seed));
    const loaded = kernel.heap.usedBytes;
    expect(loaded).toBeGreaterThan(before);
    const out = new Float32Array(network?.outputLengths[0] ?? 0);
    // No weight is above 1.5, so only what is computed is this large.
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
    const plan = randomFloats(seeds[1]);
    const outputs = [...plan.outputs, plan.layers[0]?.output ?? 0, plan.input];
    const network = createNetwork(core, { ...plan, outputs });
    const input = noise('input', network?.inputLength ?? 0);
    const outs = network?.outputLengths.map((length) => new Float32Array(length)) ?? [];
    network?.run(input, outs);
    network?.dispose();
    expect(outs).toEqual(
      outputs.map((output) => (output === plan.input ? input : runNetwork(core, { ...plan, outputs: [output] }).out)),
    );
  });

  it('computes the same from an image warped into its own input', () => {
    const network = createNetwork(core, convolution(map(8, 8, 3), map(8, 8, 8), [3, 3], same)) ?? expect.unreachable();
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
    image.warpToFloat(transform, 2, 2, { out: network.input().subarray(0, 12) });
    expect(network.input().findLastIndex((value) => value !== 0)).toBe(11);
    image.dispose();
    network.dispose();
  });

  it('reads and writes other views of its memory where that grows', () => {
    const image = core.image({ data: patternBytes('wide', 9000 * 3), width: 9000, height: 1, channels: 3 });
    const transform = { a: 70, b: 0, c: 0, d: 0, e: 1, f: 0 };
    const plan = affine(map(128, 128, 3), 3);
    const [network, other] = [0, 1].map(() => createNetwork(core, plan) ?? expect.unreachable());
    const { memory } = kernel.exports;
    const { byteLength } = memory.buffer;
    const taken: number[] = [];
    while (memory.buffer.byteLength === byteLength) taken.push(kernel.heap.allocate(2 ** 16));
    const input = image.warpToFloat(transform, 128, 128, { out: other?.input() ?? expect.unreachable() });
    const out = new Float32Array(input.length);
    network?.run(input, [out]);
    const apart = image.warpToFloat(transform, 128, 128);
    expect(other?.input()).toEqual(apart);
    expect(out).toEqual(runNetwork(core, plan, apart).out);
    for (const each of [image, network, other]) each?.dispose();
    for (const address of taken) kernel.heap.free(address);
  });

  it('wipes what it copied, after an error too', () => {
    const network = createNetwork(core, affine(eight, 8)) ?? expect.unreachable();
    const out = Object.assign(new Float32Array(512), { set: () => expect.fail('an error') });
    expect(() => network.run(new Float32Array(512).fill(7), [out])).toThrowError('an error');
    expect(network.input().every((value) => value === 0)).toBe(true);
    network.dispose();
  });

  it('refuses wrong lengths, outs in its memory, and runs after dispose', () => {
    const network = createNetwork(core, affine(eight, 8)) ?? expect.unreachable();
    const [input, out] = [new Float32Array(network.inputLength), new Float32Array(network.outputLengths[0] ?? 0)];
    const refused = expect.objectContaining({ code: 'invalid-argument' });
    expect(() => network.run(input.subarray(1), [out])).toThrowError(refused);
    expect(() => network.run(input, [new Float32Array(out.length + 1)])).toThrowError(refused);
    expect(() => network.run(input, [])).toThrowError(refused);
    expect(() => network.run(input, [out, out])).toThrowError(refused);
    expect(() => network.run(input, [network.input()])).toThrowError(refused);
    network.dispose();
    expect(() => network.run(input, [out])).toThrowError(refused);
    expect(() => network.input()).toThrowError(refused);
    expect(() => createNetwork({} as FaceCore, affine(eight, 8))).toThrowError(refused);
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
