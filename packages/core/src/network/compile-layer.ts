import { compileConvolution, compileDepthwise } from './compile-convolution.ts';
import { type CompiledLayer, fitsWindows, isSame, lanes, sizeOf, slopesOf } from './compiled-layer.ts';
import type {
  AddLayer,
  AffineLayer,
  LogisticLayer,
  MapShape,
  NetworkLayer,
  PadLayer,
  PoolLayer,
  ScaleLayer,
  SoftmaxLayer,
} from './plan.ts';

/** Compiles a layer for the kernels; null for a shape, padding or channel count that they do not support. */
export function compileLayer(layer: NetworkLayer, maps: readonly MapShape[]): CompiledLayer | null {
  switch (layer.kind) {
    case 'convolution':
      return compileConvolution(layer, maps);
    case 'depthwise':
      return compileDepthwise(layer, maps);
    case 'max-pool':
    case 'average-pool':
      return compilePool(layer, maps);
    case 'pad':
      return compilePad(layer, maps);
    case 'add':
      return compileAdd(layer, maps);
    case 'scale':
      return compileScale(layer, maps);
    case 'affine':
      return compileAffine(layer, maps);
    case 'logistic':
      return compileLogistic(layer, maps);
    case 'softmax':
      return compileSoftmax(layer, maps);
  }
}

/** For layers whose kernel needs neither weights nor work space. */
const plain = { weights: [], scratch: 0 } as const;

function compilePool(layer: PoolLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const x = maps[layer.input];
  const y = maps[layer.output];
  if (x === undefined || y === undefined || !fitsWindows(layer, [0, 0, 0, 0], x, y)) return null;
  if (x.channels !== y.channels || x.channels % lanes !== 0) return null;
  return {
    ...plain,
    reads: [layer.input],
    output: layer.output,
    run(kernels, { map }) {
      const pool = layer.kind === 'max-pool' ? kernels.maxPool : kernels.averagePool;
      const window = [map(layer.input), x.width, x.channels, ...layer.size, layer.stride] as const;
      pool(...window, map(layer.output), y.height, y.width);
    },
  };
}

function compilePad(layer: PadLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const x = maps[layer.input];
  const y = maps[layer.output];
  if (x === undefined || y === undefined) return null;
  if (y.height < x.height || y.width < x.width || y.channels < x.channels) return null;
  if (x.channels % lanes !== 0 || y.channels % lanes !== 0) return null;
  return {
    ...plain,
    reads: [layer.input],
    output: layer.output,
    run(kernels, { map }) {
      const from = [map(layer.input), x.height, x.width, x.channels] as const;
      kernels.padAfter(...from, map(layer.output), y.height, y.width, y.channels);
    },
  };
}

function compileAdd({ inputs: [a, b], output, activation }: AddLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const [left, right, y] = [maps[a], maps[b], maps[output]];
  if (left === undefined || right === undefined || y === undefined) return null;
  const slopes = slopesOf(activation, y.channels);
  if (slopes === null || !isSame(left, y) || !isSame(right, y) || y.channels % lanes !== 0) return null;
  return {
    reads: [a, b],
    output,
    weights: [slopes],
    scratch: 0,
    run(kernels, { map, weights }) {
      kernels.addMaps(map(a), map(b), weights, map(output), y.height * y.width, y.channels);
    },
  };
}

function compileScale({ input, gates, residual, output }: ScaleLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const [x, gate, y] = [maps[input], maps[gates], maps[output]];
  const added = residual === null ? y : maps[residual];
  if (x === undefined || gate === undefined || y === undefined || added === undefined) return null;
  const areGates = sizeOf(gate) === gate.channels && gate.channels === x.channels;
  if (!areGates || !isSame(x, y) || !isSame(added, y) || y.channels % lanes !== 0) return null;
  return {
    ...plain,
    reads: residual === null ? [input, gates] : [input, gates, residual],
    output,
    run(kernels, { map }) {
      const addedAt = residual === null ? 0 : map(residual);
      kernels.scaleMap(map(input), map(gates), addedAt, map(output), y.height * y.width, y.channels);
    },
  };
}

/**
 * Constants are repeated to fill vectors: a map of three channels is treated as twelve channels and a quarter of the
 * pixels.
 */
function compileAffine(layer: AffineLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const { input, output } = layer;
  const [x, y] = [maps[input], maps[output]];
  if (x === undefined || y === undefined || !isSame(x, y)) return null;
  const slopes = slopesOf(layer.activation, x.channels);
  const repeats = [1, 2, lanes].find((n) => (n * x.channels) % lanes === 0) ?? lanes;
  const period = repeats * x.channels;
  const areConstants = [layer.scales, layer.offsets].every(({ length }) => length === x.channels);
  if (slopes === null || !areConstants || sizeOf(x) % period !== 0) return null;
  return {
    reads: [input],
    output,
    weights: [layer.scales, layer.offsets, slopes].map((constants) => repeat(constants, repeats)),
    scratch: 0,
    run(kernels, { map, weights }) {
      const offsets = weights + 4 * period;
      const constants = [weights, offsets, offsets + 4 * period] as const;
      kernels.scaleChannels(map(input), ...constants, map(output), sizeOf(y) / period, period);
    },
  };
}

function repeat(constants: Float32Array, times: number): Float32Array {
  const { length } = constants;
  return Float32Array.from({ length: length * times }, (_, i) => constants[i % length] ?? 0);
}

function compileLogistic({ input, output }: LogisticLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const [x, y] = [maps[input], maps[output]];
  if (x === undefined || y === undefined || !isSame(x, y)) return null;
  return {
    ...plain,
    reads: [input],
    output,
    run(kernels, { map }) {
      kernels.logistic(map(input), map(output), sizeOf(y));
    },
  };
}

function compileSoftmax({ input, output, classes }: SoftmaxLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const [x, y] = [maps[input], maps[output]];
  if (x === undefined || y === undefined || !isSame(x, y) || sizeOf(x) !== x.channels) return null;
  if (!Number.isInteger(classes) || classes < 1 || classes > x.channels) return null;
  return {
    ...plain,
    reads: [input],
    output,
    run(kernels, { map }) {
      kernels.softmax(map(input), map(output), classes);
    },
  };
}
