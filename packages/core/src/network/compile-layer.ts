import { compileConvolution, compileDepthwise } from './compile-convolution.ts';
import {
  type CompiledLayer,
  type Computation,
  fitsWindows,
  isSame,
  lanes,
  sizeOf,
  slopesOf,
} from './compiled-layer.ts';
import type { AffineLayer, MapShape, NetworkLayer, PoolLayer, ScaleLayer } from './plan.ts';

/** Compiles a layer for the kernels; null for a shape, padding or channel count that they do not support. */
export function compileLayer(layer: NetworkLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const reads = readsOf(layer);
  const shapes = [...reads, layer.output].map((map) => maps[map]);
  const [x, y] = [shapes[0], maps[layer.output]];
  if (x === undefined || y === undefined || shapes.includes(undefined)) return null;
  const residual = 'residual' in layer && layer.residual !== null ? maps[layer.residual] : y;
  const computation = residual !== undefined && isSame(residual, y) ? compute(layer, x, y, maps) : null;
  return computation === null ? null : { reads, output: layer.output, weights: [], scratch: 0, ...computation };
}

function readsOf(layer: NetworkLayer): readonly number[] {
  if (layer.kind === 'add') return layer.inputs;
  const residual = 'residual' in layer && layer.residual !== null ? [layer.residual] : [];
  return layer.kind === 'scale' ? [layer.input, layer.gates, ...residual] : [layer.input, ...residual];
}

/** From the map `x`, which is the first that the layer reads, to `y`. */
function compute(layer: NetworkLayer, x: MapShape, y: MapShape, maps: readonly MapShape[]): Computation | null {
  const { output } = layer;
  switch (layer.kind) {
    case 'convolution':
      return compileConvolution(layer, x, y);
    case 'depthwise':
      return compileDepthwise(layer, x, y);
    case 'max-pool':
    case 'average-pool':
      return compilePool(layer, x, y);
    case 'pad': {
      if (y.height < x.height || y.width < x.width || y.channels < x.channels) return null;
      if (x.channels % lanes !== 0 || y.channels % lanes !== 0) return null;
      return {
        run(kernels, { map }) {
          const from = [map(layer.input), x.height, x.width, x.channels] as const;
          kernels.padAfter(...from, map(output), y.height, y.width, y.channels);
        },
      };
    }
    case 'add': {
      const [a, b] = layer.inputs;
      const right = maps[b];
      const slopes = slopesOf(layer.activation, y.channels);
      if (right === undefined || !isSame(x, y) || !isSame(right, y)) return null;
      if (slopes === null || y.channels % lanes !== 0) return null;
      return {
        weights: [slopes],
        run: (kernels, { map, weights }) =>
          kernels.addMaps(map(a), map(b), weights, map(output), y.height * y.width, y.channels),
      };
    }
    case 'scale':
      return compileScale(layer, maps[layer.gates], x, y);
    case 'affine':
      return compileAffine(layer, x, y);
    case 'logistic':
      if (!isSame(x, y)) return null;
      return { run: (kernels, { map }) => kernels.logistic(map(layer.input), map(output), sizeOf(y)) };
    case 'upsample': {
      const { height, width, channels } = x;
      if (!isSame(y, { height: 2 * height, width: 2 * width, channels }) || channels % lanes !== 0) return null;
      return {
        run: (kernels, { map }) => kernels.upsample(map(layer.input), height, width, channels, map(output)),
      };
    }
    case 'softmax': {
      const { input, classes } = layer;
      if (!isSame(x, y) || sizeOf(x) !== x.channels) return null;
      if (!Number.isInteger(classes) || classes < 1 || classes > x.channels) return null;
      return { run: (kernels, { map }) => kernels.softmax(map(input), map(output), classes) };
    }
  }
}

function compilePool(layer: PoolLayer, x: MapShape, y: MapShape): Computation | null {
  if (!fitsWindows(layer, [0, 0, 0, 0], x, y) || x.channels !== y.channels || x.channels % lanes !== 0) return null;
  return {
    run(kernels, { map }) {
      const pool = layer.kind === 'max-pool' ? kernels.maxPool : kernels.averagePool;
      const window = [map(layer.input), x.width, x.channels, ...layer.size, layer.stride] as const;
      pool(...window, map(layer.output), y.height, y.width);
    },
  };
}

function compileScale(layer: ScaleLayer, gate: MapShape | undefined, x: MapShape, y: MapShape): Computation | null {
  const { input, gates, residual, output } = layer;
  if (gate === undefined || sizeOf(gate) !== gate.channels || gate.channels !== x.channels) return null;
  if (!isSame(x, y) || y.channels % lanes !== 0) return null;
  return {
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
function compileAffine(layer: AffineLayer, x: MapShape, y: MapShape): Computation | null {
  const { input, output } = layer;
  const slopes = slopesOf(layer.activation, x.channels);
  const repeats = [1, 2, lanes].find((n) => (n * x.channels) % lanes === 0) ?? lanes;
  const period = repeats * x.channels;
  const areConstants = [layer.scales, layer.offsets].every(({ length }) => length === x.channels);
  if (!isSame(x, y) || slopes === null || !areConstants || sizeOf(x) % period !== 0) return null;
  return {
    weights: [layer.scales, layer.offsets, slopes].map((constants) => repeat(constants, repeats)),
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
