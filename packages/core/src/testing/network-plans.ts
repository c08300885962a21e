import { expect } from 'vitest';
import { type FaceCore, loadCore } from '../index.ts';
import type {
  Activation,
  Border,
  ConvolutionLayer,
  DepthwiseLayer,
  IntegerLayer,
  MapShape,
  NetworkLayer,
  NetworkPlan,
} from '../network/index.ts';
import { createNetwork } from '../network/index.ts';
import { networkReference } from './network-reference.ts';
import { patternBytes } from './patterns.ts';
import { randomNetwork } from './random-network.ts';

/** Numbers in [-1, 1). */
export const noise = (label: string, length: number): Float32Array =>
  Float32Array.from(patternBytes(label, length), (byte) => (byte - 128) / 128);

export const map = (height: number, width: number, channels: number): MapShape => ({ height, width, channels });

export const noBorder: Border = [0, 0, 0, 0];
export const same = { border: [1, 1, 1, 1] } as const;

/** One layer from map 0 to map 1. */
export const single = (x: MapShape, y: MapShape, layer: NetworkLayer): NetworkPlan => ({
  maps: [x, y],
  input: 0,
  outputs: [layer.output],
  layers: [layer],
});

/** One convolution from map 0 to map 1. */
export function convolution(
  x: MapShape,
  y: MapShape,
  [height, width]: readonly [number, number],
  options: Partial<ConvolutionLayer> = {},
): NetworkPlan {
  return single(x, y, {
    ...{ kind: 'convolution', input: 0, output: 1, size: [height, width], stride: 1, border: noBorder },
    filters: noise('filters', height * width * x.channels * y.channels).map((value) => value / Math.sqrt(x.channels)),
    bias: noise('bias', y.channels),
    ...{ residual: null, activation: 'none' },
    ...options,
  });
}

export function depthwise(x: MapShape, y: MapShape, options: Partial<DepthwiseLayer> = {}): NetworkPlan {
  const [height, width] = options.size ?? [3, 3];
  return single(x, y, {
    ...{ kind: 'depthwise', input: 0, output: 1, size: [height, width], stride: 1, border: [1, 1, 1, 1] },
    filters: noise('filters', height * width * x.channels),
    ...{ bias: noise('bias', x.channels), activation: 'none' },
    ...options,
  });
}

/** Scaling by gates, which a convolution computes from the whole map. */
export function scaled(x: MapShape, gates: MapShape, y: MapShape): NetworkPlan {
  const { length } = noise('', gates.channels * x.channels);
  const squeeze: NetworkLayer = {
    ...{ kind: 'convolution', input: 0, output: 1, size: [x.height, x.width], stride: 1, border: noBorder },
    filters: noise('gates', length * x.height * x.width).map((value) => value / x.channels),
    ...{ bias: noise('bias', gates.channels), residual: null, activation: 'none' },
  };
  return {
    ...{ maps: [x, gates, y], input: 0, outputs: [2] },
    layers: [squeeze, { kind: 'scale', input: 0, gates: 1, output: 2, residual: null }],
  };
}

export function affine(x: MapShape, constants: number, activation: Activation = 'none'): NetworkPlan {
  const [scales, offsets] = [noise('scales', constants), noise('offsets', constants)];
  return single(x, x, { kind: 'affine', input: 0, output: 1, scales, offsets, activation });
}

export const logistic: NetworkLayer = { kind: 'logistic', input: 0, output: 1 };

/** The layers of a random network, with floats that stay about as large as the network's input. */
export function randomFloats(seed: number): NetworkPlan {
  const { maps, outputs, layers } = randomNetwork(seed).plan;
  const [quantise, ...others] = layers;
  const most = (numbers: Iterable<number>) => Math.max(1e-30, ...Array.from(numbers, Math.abs));
  const floatsOf = (layer: IntegerLayer): NetworkLayer => {
    if (!('filters' in layer)) return layer as NetworkLayer;
    const { values } = layer.filters;
    const unit = most(values) * Math.sqrt(values.length / layer.bias.length);
    const bias = layer.bias.map((number) => number / most(layer.bias));
    return { ...layer, filters: Float32Array.from(values, (weight) => weight / unit), bias };
  };
  return {
    maps: maps.map(({ height, width, channels }) => map(height, width, channels)),
    input: quantise?.output ?? 0,
    outputs: outputs.map((output) => output.map),
    layers: others.map(floatsOf),
  };
}

/** The builds of the core. */
export const bothCores = (): Promise<readonly [FaceCore, FaceCore]> =>
  Promise.all([loadCore({ kind: 'simd' }), loadCore({ kind: 'scalar' })]);

/** Input and first output of the kernels. @param input default: noise */
export function runNetwork(core: FaceCore, plan: NetworkPlan, input?: Float32Array) {
  const network = createNetwork(core, plan);
  if (network === null) throw new Error('not computed by the kernels');
  const given = input ?? noise('input', network.inputLength);
  const out = new Float32Array(network.outputLengths[0] ?? 0);
  network.run(given, [out]);
  network.dispose();
  return { input: given, out };
}

/** Expects the outputs of the definition, up to rounding, and the same bits of every build. */
export function expectAsDefined(cores: readonly FaceCore[], plan: NetworkPlan): void {
  const [first = expect.unreachable(), ...others] = cores.map((core) => runNetwork(core, plan));
  for (const { out } of others) expect(Buffer.from(out.buffer).equals(Buffer.from(first.out.buffer))).toBe(true);
  const [expected = expect.unreachable()] = networkReference(plan, first.input);
  expect(first.out).toHaveLength(expected.length);
  const worst = first.out.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? Number.NaN))), 0);
  expect(worst).toBeLessThan(2e-5);
}
