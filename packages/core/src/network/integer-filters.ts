import type { CoreKind } from '../load-core.ts';
import { windowBytes } from './compiled-layer.ts';
import type { ConvolutionLayer, DepthwiseLayer, MapShape } from './plan.ts';

type Windowed = Pick<ConvolutionLayer, 'size' | 'stride' | 'border'>;

/** The build without vectors multiplies two weights at a time, in a double: the second one is in these units. */
const upper = 2 ** 27;
const fewProducts = 4;

/**
 * Filters `[outputs][inner]` of a convolution of integers, in the order in which the kernel of a build reads them. `inner`
 * is a multiple of 4, `outputs` of 8. @param most bound of the integers that they multiply
 */
export function packIntegerFilters(
  kind: CoreKind,
  values: Int16Array,
  outputs: number,
  most: number,
): Int16Array | Float64Array {
  const inner = values.length / outputs;
  return kind === 'simd' ? packWords(values, outputs, inner) : packDoubles(values, outputs, inner, most);
}

/** `[outputs / 8][inner / 2][8][2]` */
function packWords(values: Int16Array, outputs: number, inner: number): Int16Array {
  const packed = new Int16Array(values.length);
  for (let output = 0; output < outputs; output++) {
    const column = output % 8;
    const to = (output - column) * inner + 2 * column;
    for (let k = 0; k < inner; k++) packed[to + 8 * (k - (k % 2)) + (k % 2)] = values[output * inner + k] ?? 0;
  }
  return packed;
}

/**
 * How many products a double holds of each of its two weights, then `[outputs / 4][inner][2]` pairs of weights. Sums of
 * few products must be taken apart so often that one weight a double is faster: 0, then `[outputs / 2][inner][2]`.
 */
function packDoubles(values: Int16Array, outputs: number, inner: number, most: number): Float64Array {
  const count = productsOfDouble(values, inner, most);
  const weights = count < fewProducts ? 1 : 2;
  const packed = new Float64Array(1 + values.length / weights);
  packed[0] = weights === 1 ? 0 : count;
  for (let output = 0; output < outputs; output++) {
    const column = output % (2 * weights);
    const to = 1 + ((output - column) / weights) * inner + Math.floor(column / weights);
    const unit = column % weights === 0 ? 1 : upper;
    for (let k = 0; k < inner; k++)
      packed[to + 2 * k] = (packed[to + 2 * k] ?? 0) + (values[output * inner + k] ?? 0) * unit;
  }
  return packed;
}

/** How many products add up to less than half of `upper`, wherever in the sum of an output they are. */
function productsOfDouble(values: Int16Array, inner: number, most: number): number {
  let count = inner;
  for (let first = 0; first < values.length; first += inner) {
    let sum = 0;
    let from = first;
    for (let at = first; at < first + inner; at++) {
      sum += Math.abs(values[at] ?? 0) * most;
      while (sum >= upper / 2) sum -= Math.abs(values[from++] ?? 0) * most;
      if (from > first) count = Math.min(count, at - from + 1);
    }
  }
  return count;
}

/** Filters `[height][width][channels]` of a depthwise convolution of integers, in the order in which its kernel reads them. */
export function packDepthwise(
  kind: CoreKind,
  values: Int16Array,
  [height, width]: DepthwiseLayer['size'],
  channels: number,
): Int16Array {
  // Pairs of rows, for windows that start at an even row of the bordered map, then for those that start at an odd one; or
  // four parts of a number of 64 bits.
  const lines = (height >> 1) + 1;
  const packed = new Int16Array(4 * channels * width * (kind === 'simd' ? lines : height));
  for (let i = 0; i < values.length; i++) {
    const channel = i % channels;
    const column = Math.floor(i / channels) % width;
    const row = Math.floor(i / channels / width);
    const value = values[i] ?? 0;
    const at = 4 * ((channel * height + row) * width + column);
    if (kind === 'scalar') packed.set([value, value >> 15, value >> 15, value >> 15], at);
    for (const moved of kind === 'simd' ? [row, row + 1] : []) {
      const group = (moved - row) * (channels >> 2) + (channel >> 2);
      packed[8 * ((group * lines + (moved >> 1)) * width + column) + 2 * (channel % 4) + (moved % 2)] = value;
    }
  }
  return packed;
}

/** Bytes of work space of a depthwise convolution of numbers of `bytes`. */
export function depthwiseScratch(
  kind: CoreKind,
  { size: [height, width], stride }: Pick<DepthwiseLayer, 'size' | 'stride'>,
  y: MapShape,
  bytes: 2 | 4,
): number {
  const columns = (Math.max(y.width, 4) - 1) * stride + width;
  const rows = (Math.min(y.height, 8) - 1) * stride + height;
  const lines = bytes === 4 ? rows : kind === 'simd' ? Math.ceil(rows / 2) : 2 * rows;
  return 16 + y.channels * (8 * bytes + 4 * columns * lines);
}

/** Bytes of work space of a convolution of integers. */
export function integerScratch(kind: CoreKind, layer: Windowed, x: MapShape, y: MapShape): number {
  const [height, width] = layer.size;
  return windowBytes(layer, x, y, 2) + 128 + (kind === 'simd' ? 16_384 : 32 * height * width * x.channels);
}
