import type { CoreKind } from '../load-core.ts';
import { type CompiledLayer, type Computation, fitsMaps, readsOf, sizeOf } from './compiled-layer.ts';
import { depthwiseScratch, integerScratch, packDepthwise, packIntegerFilters } from './integer-filters.ts';
import type {
  IntegerConvolutionLayer,
  IntegerDepthwiseLayer,
  IntegerLayer,
  IntegerMap,
  QuantiseLayer,
} from './integer-plan.ts';
import type { Activation, AddLayer, PoolLayer, ScaleLayer } from './plan.ts';

/** Magnitude that a sum of 32 bits must not reach. */
const sumLimit = 2 ** 31;
const mostWeight = 1023;
const mostSlope = 16;

/** Scales are so near to 1 that what is computed with them, in f32, is always finite. */
export const isScale = (scale: number): boolean => scale >= 2 ** -30 && scale <= 2 ** 30;

// A float stands for itself.
const scaleOf = (map: IntegerMap): number => map.integers?.scale ?? 1;
const mostOf = (map: IntegerMap): number => map.integers?.most ?? Number.POSITIVE_INFINITY;

/** What makes integers of a map integers of another; 0 for no map. */
const multiplierOf = (from: IntegerMap | undefined, to: IntegerMap): number =>
  from === undefined ? 0 : Math.fround(scaleOf(from) / scaleOf(to));

/** The maps that a layer reads, in their order, and the one that it writes. */
interface LayerMaps {
  readonly x: IntegerMap;
  readonly second: IntegerMap | undefined;
  readonly third: IntegerMap | undefined;
  readonly y: IntegerMap;
}

/**
 * Compiles a layer for the kernels of a build; null for shapes and numbers that they do not support, and where a sum of
 * products might not fit 32 bits.
 */
export function compileIntegers(
  layer: IntegerLayer,
  maps: readonly IntegerMap[],
  kind: CoreKind,
): CompiledLayer | null {
  const reads = readsOf(layer);
  const [x, second, third] = reads.map((map) => maps[map]);
  const y = maps[layer.output];
  if (x === undefined || y === undefined || !fitsMaps(layer, maps, 8) || !fitsNumbers(layer, maps)) return null;
  const computation = compute(layer, { x, second, third, y }, kind);
  return computation === null ? null : { reads, output: layer.output, weights: [], scratch: 0, ...computation };
}

/** Whether the layer reads and writes integers or floats as its kind does, and its slopes are bounded. */
function fitsNumbers(layer: IntegerLayer, maps: readonly IntegerMap[]): boolean {
  const isFloat = (map: number): boolean => maps[map]?.integers === null;
  const readsFloats = ['quantise', 'logistic', 'softmax'].includes(layer.kind);
  if (readsOf(layer).some((map) => isFloat(map) !== readsFloats)) return false;
  if (layer.kind !== 'convolution' && isFloat(layer.output) !== (layer.kind === 'softmax')) return false;
  const slopes = 'activation' in layer ? slopeLists(layer.activation) : [];
  return slopes.every((values) => values.every((slope) => Math.abs(slope) <= mostSlope));
}

/** The slopes of an activation, or none. */
const slopeLists = (activation: Activation): readonly Float32Array[] =>
  typeof activation === 'string' ? [] : [activation];

/** Bounds of what is written; floats have no upper one. */
const boundsOf = (y: IntegerMap, activation: Activation = 'none') =>
  [activation === 'relu' ? 0 : -mostOf(y), y.integers?.most ?? 0] as const;

function compute(layer: IntegerLayer, maps: LayerMaps, kind: CoreKind): Computation | null {
  const { x, y } = maps;
  const { output } = layer;
  switch (layer.kind) {
    case 'quantise':
      return compileQuantise(layer, x, y);
    case 'convolution':
      return x.channels % 4 === 0 ? compileConvolution(layer, maps, kind) : null;
    case 'depthwise':
      return compileDepthwise(layer, maps, kind);
    case 'max-pool':
    case 'average-pool':
      return compilePool(layer, x, y);
    case 'pad':
      if (scaleOf(x) !== scaleOf(y) || mostOf(x) !== mostOf(y)) return null;
      return {
        run(kernels, { map }) {
          // Pairs of integers are copied as floats.
          const from = [map(layer.input), x.height, x.width, x.channels / 2] as const;
          kernels.padAfter(...from, map(output), y.height, y.width, y.channels / 2);
        },
      };
    case 'add':
      return compileAdd(layer, maps);
    case 'scale':
      return compileScale(layer, maps);
    case 'upsample': {
      const constants = [
        x.height,
        x.width,
        x.channels,
        Math.fround(scaleOf(x) / (16 * scaleOf(y))),
        mostOf(y),
      ] as const;
      return { run: (kernels, { map }) => kernels.upsampleIntegers(map(layer.input), ...constants, map(output)) };
    }
    case 'logistic': {
      const constants = [sizeOf(y), Math.fround(1 / scaleOf(y)), mostOf(y)] as const;
      return { run: (kernels, { map }) => kernels.logisticIntegers(map(layer.input), map(output), ...constants) };
    }
    case 'softmax': {
      const { input, classes } = layer;
      return { run: (kernels, { map }) => kernels.softmax(map(input), map(output), classes, y.channels) };
    }
  }
}

function compileQuantise({ input, output, scales, offsets }: QuantiseLayer, x: IntegerMap, y: IntegerMap) {
  if (x.channels !== 3 || y.channels % 4 !== 0) return null;
  const weights = [scales, offsets].map((constants) =>
    Float32Array.from({ length: 4 }, (_, channel) => (constants[channel] ?? 0) / scaleOf(y)),
  );
  if (!weights.every((constants) => constants.every(Number.isFinite))) return null;
  return {
    weights,
    run: (kernels, { map, weights: [scales = 0, offsets = 0] }) =>
      kernels.quantise(map(input), y.height * y.width, scales, offsets, mostOf(y), map(output), y.channels),
  } satisfies Computation;
}

/**
 * Biases as integers, multipliers of the sums, and slopes if there are any. Null unless every weight is in range and
 * every sum, whatever the input, fits 32 bits.
 */
function constantsOf(
  layer: IntegerConvolutionLayer | IntegerDepthwiseLayer,
  x: IntegerMap,
  y: IntegerMap,
): NonNullable<Computation['weights']> | null {
  const { filters, bias } = layer;
  const { length } = bias;
  const taps = filters.values.length / length;
  const [perOutput, perTap] = layer.kind === 'convolution' ? [taps, 1] : [1, length];
  const [biases, multipliers] = [new Int32Array(length), new Float32Array(length)];
  for (let output = 0; output < length; output++) {
    const scale = filters.scales[output] ?? 0;
    const unit = scaleOf(x) * scale;
    const first = Math.round((bias[output] ?? 0) / unit);
    let most = Math.abs(first);
    for (let tap = 0; tap < taps; tap++) {
      const weight = Math.abs(filters.values[output * perOutput + tap * perTap] ?? 0);
      if (weight > mostWeight) return null;
      most += weight * mostOf(x);
    }
    if (!isScale(scale) || !(most < sumLimit)) return null;
    biases[output] = first;
    multipliers[output] = unit / scaleOf(y);
  }
  return filters.scales.length === length ? [biases, multipliers, ...slopeLists(layer.activation)] : null;
}

function compileConvolution(layer: IntegerConvolutionLayer, { x, second, y }: LayerMaps, kind: CoreKind) {
  const constants = constantsOf(layer, x, y);
  if (constants === null) return null;
  const { input, output, residual, size, stride } = layer;
  const [top, , left] = layer.border;
  const [multiplier, bounds] = [multiplierOf(second, y), boundsOf(y, layer.activation)];
  return {
    weights: [packIntegerFilters(kind, layer.filters.values, y.channels, mostOf(x)), ...constants],
    scratch: integerScratch(kind, layer, x, y),
    run(kernels, { map, weights: [filters = 0, bias = 0, multipliers = 0, slopes = 0], scratch }) {
      const from = [map(input), x.height, x.width, x.channels, ...size, stride, top, left] as const;
      const added = [residual === null ? 0 : map(residual), multiplier] as const;
      const to = [map(output), y.height, y.width, y.channels, Number(y.integers === null)] as const;
      kernels.convolveIntegers(...from, filters, bias, multipliers, slopes, ...added, ...bounds, ...to, scratch);
    },
  } satisfies Computation;
}

function compileDepthwise(layer: IntegerDepthwiseLayer, { x, y }: LayerMaps, kind: CoreKind) {
  const constants = constantsOf(layer, x, y);
  if (constants === null) return null;
  const { input, output, size, stride } = layer;
  const [top, , left] = layer.border;
  const bounds = boundsOf(y, layer.activation);
  return {
    weights: [packDepthwise(kind, layer.filters.values, size, y.channels), ...constants],
    scratch: depthwiseScratch(kind, layer, y, 2),
    run(kernels, { map, weights: [filters = 0, bias = 0, multipliers = 0, slopes = 0], scratch }) {
      const from = [map(input), x.height, x.width, x.channels, ...size, stride, top, left] as const;
      const to = [map(output), y.height, y.width] as const;
      kernels.convolveDepthwise(...from, filters, bias, multipliers, slopes, ...bounds, ...to, scratch);
    },
  } satisfies Computation;
}

function compilePool({ kind, input, output, size, stride }: PoolLayer, x: IntegerMap, y: IntegerMap) {
  const window = [x.width, x.channels, ...size, stride] as const;
  const count = size[0] * size[1];
  const multiplier = Math.fround(scaleOf(x) / (count * scaleOf(y)));
  const isUnchanged = scaleOf(x) === scaleOf(y) && mostOf(x) === mostOf(y);
  if (kind === 'max-pool' ? !isUnchanged : count * mostOf(x) >= sumLimit) return null;
  return {
    run(kernels, { map }) {
      const [from, to] = [[map(input), ...window] as const, [map(output), y.height, y.width] as const];
      kernels.poolIntegers(...from, kind === 'max-pool' ? 0 : multiplier, mostOf(y), ...to);
    },
  } satisfies Computation;
}

function compileAdd({ inputs: [a, b], output, activation }: AddLayer, { x, second, y }: LayerMaps) {
  const [ma, mb, bounds] = [multiplierOf(x, y), multiplierOf(second, y), boundsOf(y, activation)];
  return {
    weights: [new Int16Array(y.channels).fill(1), ...slopeLists(activation)],
    run(kernels, { map, weights: [ones = 0, slopes = 0] }) {
      const to = [map(output), y.height * y.width, y.channels] as const;
      kernels.scaleIntegers(map(a), ones, ma, map(b), mb, slopes, ...bounds, ...to);
    },
  } satisfies Computation;
}

function compileScale({ input, gates, residual, output }: ScaleLayer, { x, second, third, y }: LayerMaps) {
  const multiplier = Math.fround((scaleOf(x) * scaleOf(second ?? x)) / scaleOf(y));
  const added = multiplierOf(third, y);
  return {
    run(kernels, { map }) {
      const from = [map(input), map(gates), multiplier, residual === null ? 0 : map(residual), added] as const;
      kernels.scaleIntegers(...from, 0, ...boundsOf(y), map(output), y.height * y.width, y.channels);
    },
  } satisfies Computation;
}
