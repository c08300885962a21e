import type { KernelExports } from '../kernel.ts';
import { panelWidth } from './filters.ts';
import type { IntegerLayer } from './integer-plan.ts';
import type { Activation, Border, MapShape, NetworkLayer } from './plan.ts';

/** Addresses of a layer's memory during a run. */
export interface Places {
  map(index: number): number;
  /** Addresses of the layer's weights. */
  readonly weights: readonly number[];
  readonly scratch: number;
}

/** How a layer is computed. */
export interface Computation {
  readonly weights?: readonly (Float32Array | Float64Array | Int16Array | Int32Array)[];
  /** Bytes of work space. */
  readonly scratch?: number;
  /** Must not capture the weights, which are large and already copied to wasm memory. */
  run(kernels: KernelExports, places: Places): void;
}

export interface CompiledLayer extends Required<Computation> {
  readonly reads: readonly number[];
  readonly output: number;
}

export type AnyLayer = NetworkLayer | IntegerLayer;

/** Numbers in a vector register. */
export const lanes = 4;

/** Numbers of a map. */
export const sizeOf = ({ height, width, channels }: MapShape): number => height * width * channels;

const isSame = (a: MapShape, b: MapShape | undefined): boolean =>
  a.height === b?.height && a.width === b.width && a.channels === b.channels;

const isCountUpTo = (n: number, most: number): boolean => Number.isInteger(n) && n >= 0 && n <= most;

/** The maps that a layer reads, its input first. */
export function readsOf(layer: AnyLayer): readonly number[] {
  if (layer.kind === 'add') return layer.inputs;
  const residual = 'residual' in layer && layer.residual !== null ? [layer.residual] : [];
  return layer.kind === 'scale' ? [layer.input, layer.gates, ...residual] : [layer.input, ...residual];
}

/** Layers that compute each number by itself, or that read any count of channels. */
const takesAnyChannels: ReadonlySet<string> = new Set(['convolution', 'affine', 'quantise', 'logistic', 'softmax']);

/** Factor of negative values for each channel. */
export const slopesOf = (activation: Activation, channels: number): Float32Array =>
  typeof activation === 'string' ? new Float32Array(channels).fill(activation === 'relu' ? 0 : 1) : activation;

/** Whether the maps and constants of a layer fit each other, with channels in multiples of `step`. */
export function fitsMaps(layer: AnyLayer, maps: readonly MapShape[], step: number): boolean {
  const [x, second] = readsOf(layer).map((map) => maps[map]);
  const y = maps[layer.output];
  if (x === undefined || y === undefined) return false;
  const isActivated = !('activation' in layer) || typeof layer.activation === 'string';
  if (!isActivated && layer.activation.length !== y.channels) return false;
  if ('residual' in layer && layer.residual !== null && !isSame(y, maps[layer.residual])) return false;
  if (!takesAnyChannels.has(layer.kind) && [x, y].some(({ channels }) => channels % step !== 0)) return false;
  return fitsShapes(layer, x, y, second);
}

function fitsShapes(layer: AnyLayer, x: MapShape, y: MapShape, second: MapShape | undefined): boolean {
  const isLike = isSame(y, x);
  switch (layer.kind) {
    case 'convolution':
      return y.channels % panelWidth === 0 && fitsFilters(layer, x.channels, y.channels) && fitsWindows(layer, x, y);
    case 'depthwise':
      return x.channels === y.channels && fitsFilters(layer, 1, y.channels) && fitsWindows(layer, x, y);
    case 'max-pool':
    case 'average-pool':
      return x.channels === y.channels && fitsWindows(layer, x, y);
    case 'pad':
      return y.height >= x.height && y.width >= x.width && y.channels >= x.channels;
    case 'add':
      return isLike && isSame(y, second);
    case 'scale':
      return isLike && second?.channels === y.channels && sizeOf(second) === y.channels;
    case 'affine':
      return isLike && [layer.scales, layer.offsets].every(({ length }) => length === y.channels);
    case 'quantise': {
      const areConstants = [layer.scales, layer.offsets].every(({ length }) => length === x.channels);
      return areConstants && y.channels >= x.channels && isSame({ ...y, channels: x.channels }, x);
    }
    case 'logistic':
      return isLike;
    case 'softmax':
      return isLike && sizeOf(x) === x.channels && isCountUpTo(layer.classes, x.channels) && layer.classes > 0;
    case 'upsample':
      return isSame({ ...x, height: 2 * x.height, width: 2 * x.width }, y);
  }
}

interface Window {
  readonly size: readonly [height: number, width: number];
  readonly stride: number;
  readonly border?: Border;
}

type Filtered = Extract<AnyLayer, { filters: unknown }>;

function fitsFilters({ size: [height, width], filters, bias }: Filtered, inputs: number, outputs: number): boolean {
  const { length } = 'scales' in filters ? filters.values : filters;
  return length === height * width * inputs * outputs && bias.length === outputs;
}

/** Far above what networks have, and so low that kernels, which count with 32 bits, do not overflow. */
const mostMargin = 4096;

/** Whether the output has one pixel for each window that lies in the input and its border. */
function fitsWindows({ size, stride, border = [0, 0, 0, 0] }: Window, x: MapShape, y: MapShape): boolean {
  const [[height, width], [top, bottom, left, right]] = [size, border];
  const fits = (available: number, length: number, count: number): boolean =>
    length <= available && count === Math.floor((available - length) / stride) + 1;
  const isInside = fits(x.height + top + bottom, height, y.height) && fits(x.width + left + right, width, y.width);
  const areCounts = [...border, ...size, stride].every((n) => isCountUpTo(n, mostMargin));
  return areCounts && height * width * stride > 0 && isInside;
}

/** Bytes of work space for a list of windows and, where there is a border, a copy of the map, of `bytes` a number. */
export function windowBytes(
  { size: [height, width], stride, border }: Window & { readonly border: Border },
  x: MapShape,
  y: MapShape,
  bytes: number,
): number {
  const list = 32 * Math.ceil((y.height * y.width) / 4);
  if (border.every((n) => n === 0)) return list;
  return list + bytes * ((y.height - 1) * stride + height) * ((y.width - 1) * stride + width) * x.channels;
}
