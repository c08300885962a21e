import type { CoreKind } from '../load-core.ts';
import { compileConvolution, compileDepthwise } from './compile-convolution.ts';
import { type CompiledLayer, type Computation, fitsMaps, lanes, readsOf, sizeOf, slopesOf } from './compiled-layer.ts';
import type { AffineLayer, MapShape, NetworkLayer, PoolLayer } from './plan.ts';

/** Compiles a layer for the kernels; null for a shape, padding or channel count that they do not support. */
export function compileLayer(layer: NetworkLayer, maps: readonly MapShape[], kind: CoreKind): CompiledLayer | null {
  const reads = readsOf(layer);
  const [x, y] = [maps[reads[0] ?? -1], maps[layer.output]];
  if (x === undefined || y === undefined || !fitsMaps(layer, maps, lanes)) return null;
  const computation = compute(layer, x, y, kind);
  return computation === null ? null : { reads, output: layer.output, weights: [], scratch: 0, ...computation };
}

/** From the map `x`, which is the first that the layer reads, to `y`. */
function compute(layer: NetworkLayer, x: MapShape, y: MapShape, kind: CoreKind): Computation | null {
  const { output } = layer;
  switch (layer.kind) {
    case 'convolution':
      return compileConvolution(layer, x, y);
    case 'depthwise':
      return compileDepthwise(layer, x, y, kind);
    case 'max-pool':
    case 'average-pool':
      return compilePool(layer, x, y);
    case 'pad':
      return {
        run(kernels, { map }) {
          const from = [map(layer.input), x.height, x.width, x.channels] as const;
          kernels.padAfter(...from, map(output), y.height, y.width, y.channels);
        },
      };
    case 'add': {
      const [a, b] = layer.inputs;
      return {
        weights: [slopesOf(layer.activation, y.channels)],
        run: (kernels, { map, weights: [slopes = 0] }) =>
          kernels.addMaps(map(a), map(b), slopes, map(output), y.height * y.width, y.channels),
      };
    }
    case 'scale': {
      const { input, gates, residual } = layer;
      return {
        run(kernels, { map }) {
          const addedAt = residual === null ? 0 : map(residual);
          kernels.scaleMap(map(input), map(gates), addedAt, map(output), y.height * y.width, y.channels);
        },
      };
    }
    case 'affine':
      return compileAffine(layer, x, y);
    case 'logistic':
      return { run: (kernels, { map }) => kernels.logistic(map(layer.input), map(output), sizeOf(y)) };
    case 'upsample':
      return {
        run: (kernels, { map }) => kernels.upsample(map(layer.input), x.height, x.width, x.channels, map(output)),
      };
    case 'softmax': {
      const { input, classes } = layer;
      return { run: (kernels, { map }) => kernels.softmax(map(input), map(output), classes, y.channels) };
    }
  }
}

function compilePool(layer: PoolLayer, x: MapShape, y: MapShape): Computation {
  return {
    run(kernels, { map }) {
      const pool = layer.kind === 'max-pool' ? kernels.maxPool : kernels.averagePool;
      const window = [map(layer.input), x.width, x.channels, ...layer.size, layer.stride] as const;
      pool(...window, map(layer.output), y.height, y.width);
    },
  };
}

/**
 * Constants are repeated to fill vectors: a map of three channels is treated as twelve channels and a quarter of the
 * pixels.
 */
function compileAffine(layer: AffineLayer, x: MapShape, y: MapShape): Computation | null {
  const { input, output } = layer;
  const repeats = [1, 2, lanes].find((n) => (n * x.channels) % lanes === 0) ?? lanes;
  const period = repeats * x.channels;
  if (sizeOf(x) % period !== 0) return null;
  const slopes = slopesOf(layer.activation, x.channels);
  return {
    weights: [layer.scales, layer.offsets, slopes].map((constants) => repeat(constants, repeats)),
    run: (kernels, { map, weights: [scales = 0, offsets = 0, slopes = 0] }) =>
      kernels.scaleChannels(map(input), scales, offsets, slopes, map(output), sizeOf(y) / period, period),
  };
}

function repeat(constants: Float32Array, times: number): Float32Array {
  const { length } = constants;
  return Float32Array.from({ length: length * times }, (_, i) => constants[i % length] ?? 0);
}
