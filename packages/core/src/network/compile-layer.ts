import type { KernelExports } from '../kernel.ts';
import { centresOf, packFilters, panelWidth, transformFilters } from './filters.ts';
import type { AddLayer, ConvolutionLayer, MapShape, NetworkLayer, PadLayer, PoolLayer } from './plan.ts';

/** Where a run finds a layer's memory. */
export interface Places {
  map(index: number): number;
  /** Address of the layer's weights. */
  readonly weights: number;
  readonly scratch: number;
}

export interface CompiledLayer {
  readonly reads: readonly number[];
  readonly output: number;
  /** In the kernels' order; lies in memory as one block. */
  readonly weights: readonly Float32Array[];
  /** Floats of work space. */
  readonly scratch: number;
  /** Holds on to no weights: they are large, and lie in the core's memory by then. */
  run(kernels: KernelExports, places: Places): void;
}

/** Floats of a Winograd layer's work space: they should stay in a processor core's second-level cache. */
const targetScratch = 180_000;

/** Numbers in a vector register. */
const lanes = 4;

/** A layer for the kernels, or null where they do not compute it: another shape, padding or count of channels. */
export function compileLayer(layer: NetworkLayer, maps: readonly MapShape[]): CompiledLayer | null {
  switch (layer.kind) {
    case 'convolution':
      return compileConvolution(layer, maps);
    case 'max-pool':
    case 'average-pool':
      return compilePool(layer, maps);
    case 'pad':
      return compilePad(layer, maps);
    case 'add':
      return compileAdd(layer, maps);
  }
}

/** Floats of a map. */
export const sizeOf = ({ height, width, channels }: MapShape): number => height * width * channels;

const isSame = (a: MapShape, b: MapShape): boolean =>
  a.height === b.height && a.width === b.width && a.channels === b.channels;

const floorOf = (relu: boolean): number => (relu ? 0 : Number.NEGATIVE_INFINITY);

function compileConvolution(layer: ConvolutionLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const x = maps[layer.input];
  const y = maps[layer.output];
  const residual = layer.residual === null ? null : maps[layer.residual];
  if (x === undefined || y === undefined || residual === undefined) return null;
  const [height, width] = layer.size;
  const weights = height * width * x.channels * y.channels;
  if (y.channels % panelWidth !== 0 || layer.bias.length !== y.channels || layer.filters.length !== weights)
    return null;
  if (residual !== null && !isSame(residual, y)) return null;
  if (layer.padding === 'same' && height === 3 && width === 3 && layer.stride === 1) {
    if (sizeOf(x) > x.channels || residual !== null) return compileWinograd(layer, x, y);
    return compileDirect({ ...layer, size: [1, 1], filters: centresOf(layer.filters, x.channels) }, x, y);
  }
  const isUnpadded = layer.padding === 'valid' || (height === 1 && width === 1);
  return isUnpadded && residual === null ? compileDirect(layer, x, y) : null;
}

function compileDirect(layer: ConvolutionLayer, x: MapShape, y: MapShape): CompiledLayer | null {
  if (!fitsWindows(layer, x, y)) return null;
  const { input, output, size, stride } = layer;
  const bias = layer.filters.byteLength;
  const floor = floorOf(layer.relu);
  return {
    reads: [input],
    output,
    weights: [packFilters(layer.filters, y.channels), layer.bias],
    scratch: 0,
    run(kernels, { map, weights }) {
      const from = [map(input), x.width, x.channels, ...size, stride] as const;
      kernels.convolve(...from, weights, weights + bias, floor, map(output), y.height, y.width, y.channels);
    },
  };
}

function compileWinograd(layer: ConvolutionLayer, x: MapShape, y: MapShape): CompiledLayer | null {
  if (x.channels % lanes !== 0 || x.height !== y.height || x.width !== y.width) return null;
  const filters = transformFilters(layer.filters, y.channels);
  const columns = Math.ceil(x.width / 2);
  const scratchOf = (rows: number): number => 16 * Math.ceil((rows * columns) / 4) * 4 * (x.channels + y.channels);
  let rows = Math.ceil(x.height / 2);
  while (rows > 1 && scratchOf(rows) > targetScratch) rows--;
  const { input, output, residual } = layer;
  const bias = filters.byteLength;
  const floor = floorOf(layer.relu);
  return {
    reads: residual === null ? [input] : [input, residual],
    output,
    weights: [filters, layer.bias],
    scratch: scratchOf(rows),
    run(kernels, { map, weights, scratch }) {
      const from = [map(input), x.height, x.width, x.channels] as const;
      const parameters = [weights, weights + bias, residual === null ? 0 : map(residual), floor] as const;
      kernels.convolveWinograd(...from, ...parameters, map(output), y.channels, scratch, rows);
    },
  };
}

function compilePool(layer: PoolLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const x = maps[layer.input];
  const y = maps[layer.output];
  if (x === undefined || y === undefined || !fitsWindows(layer, x, y)) return null;
  if (x.channels !== y.channels || x.channels % lanes !== 0) return null;
  return {
    reads: [layer.input],
    output: layer.output,
    weights: [],
    scratch: 0,
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
    reads: [layer.input],
    output: layer.output,
    weights: [],
    scratch: 0,
    run(kernels, { map }) {
      const from = [map(layer.input), x.height, x.width, x.channels] as const;
      kernels.padAfter(...from, map(layer.output), y.height, y.width, y.channels);
    },
  };
}

function compileAdd(layer: AddLayer, maps: readonly MapShape[]): CompiledLayer | null {
  const [a, b] = layer.inputs;
  const [left, right, y] = [maps[a], maps[b], maps[layer.output]];
  if (left === undefined || right === undefined || y === undefined) return null;
  if (!isSame(left, y) || !isSame(right, y) || sizeOf(y) % lanes !== 0) return null;
  return {
    reads: [a, b],
    output: layer.output,
    weights: [],
    scratch: 0,
    run(kernels, { map }) {
      kernels.addMaps(map(a), map(b), map(layer.output), sizeOf(y), floorOf(layer.relu));
    },
  };
}

/** Whether the output has a pixel for each window that lies in the input. */
function fitsWindows(
  { size: [height, width], stride }: ConvolutionLayer | PoolLayer,
  x: MapShape,
  y: MapShape,
): boolean {
  const fits = (available: number, length: number, count: number): boolean =>
    length > 0 && length <= available && count === Math.floor((available - length) / stride) + 1;
  return stride > 0 && fits(x.height, height, y.height) && fits(x.width, width, y.width);
}
