import { type AnyLayer, readsOf } from '../network/compiled-layer.ts';
import type { Activation, Border, IntegerFilters, IntegerMap, IntegerPlan, NetworkPlan } from '../network/index.ts';
import type { ConvolutionLayer, DepthwiseLayer, PoolLayer } from '../network/plan.ts';

/** A map with its integers or floats. */
interface Content extends IntegerMap {
  readonly numbers: Int16Array | Float32Array;
}

/** Layers of either plan. */
type Convolution = Omit<ConvolutionLayer | DepthwiseLayer, 'filters'> & {
  readonly filters: Float32Array | IntegerFilters;
};

const { fround } = Math;

/**
 * The outputs of a network in plain loops. They define those of an integer network bit for bit, of floats up to rounding.
 */
export function networkReference(plan: NetworkPlan | IntegerPlan, values: Float32Array): Float32Array[] {
  const contents = new Map<number, Content>();
  const at = (map: number): Content => contents.get(map) ?? fail();
  const add = (map: number, numbersOf: (shape: IntegerMap) => Content['numbers']): void => {
    const shape = { integers: null, ...(plan.maps[map] ?? fail()) };
    contents.set(map, { ...shape, numbers: numbersOf(shape) });
  };
  add(plan.input, () => values);
  for (const layer of plan.layers) add(layer.output, (shape) => computed(layer, readsOf(layer).map(at), shape));
  return plan.outputs.map((output) => {
    const { numbers, channels: width } = at(typeof output === 'number' ? output : output.map);
    const channels = typeof output === 'number' ? width : output.channels;
    return Float32Array.from(numbers.filter((_, i) => i % width < channels));
  });
}

function fail(): never {
  throw new Error('a map that is not there');
}

const scaleOf = ({ integers }: IntegerMap): number => integers?.scale ?? 1;

/** A value as a number of the map: within bounds and rounded half to even, or as it is. What is no number is the most. */
function stored(value: number, { integers }: IntegerMap, activation: Activation = 'none'): number {
  const most = integers?.most ?? Number.POSITIVE_INFINITY;
  const low = activation === 'relu' ? 0 : -most;
  const bounded = Number.isNaN(value) ? most : Math.max(low, Math.min(value, most));
  return integers === null ? bounded : fround(fround(bounded + 12_582_912) - 12_582_912);
}

/** A value with a residual added and negative ones multiplied by slopes, as a number of the map `y`. */
function finished(
  value: number,
  i: number,
  y: IntegerMap,
  residual: Content | undefined,
  activation: Activation,
): number {
  const added =
    residual === undefined ? 0 : fround((residual.numbers[i] ?? 0) * fround(scaleOf(residual) / scaleOf(y)));
  const sum = residual === undefined ? value : fround(value + added);
  if (typeof activation === 'string') return stored(sum, y, activation);
  const negative = fround((activation[i % y.channels] ?? 0) * Math.min(sum, 0));
  return stored(fround(Math.max(sum, 0) + negative), y);
}

function computed(layer: AnyLayer, [x = fail(), second, third]: Content[], y: IntegerMap): Content['numbers'] {
  const length = y.height * y.width * y.channels;
  const out = y.integers === null ? new Float32Array(length) : new Int16Array(length);
  const { numbers } = x;
  const each = (value: (x: number, i: number, channel: number) => number) =>
    out.map((_, i) => value(numbers[i] ?? 0, i, i % y.channels));
  switch (layer.kind) {
    case 'affine':
    case 'quantise':
      return each((_, i, channel) => {
        if (channel >= x.channels) return 0;
        const [scale, offset] = [layer.scales, layer.offsets].map((all) => fround((all[channel] ?? 0) / scaleOf(y)));
        const value = numbers[((i - channel) / y.channels) * x.channels + channel] ?? 0;
        const sum = fround(fround(value * (scale ?? 0)) + (offset ?? 0));
        return finished(sum, i, y, undefined, layer.kind === 'affine' ? layer.activation : 'none');
      });
    case 'convolution':
    case 'depthwise':
      return convolved(layer, x, second, y, out);
    case 'max-pool':
    case 'average-pool':
      return pooled(layer, x, y, out);
    case 'pad':
      return within(x, y, 0, 0, out);
    case 'add': {
      const multiplier = fround(scaleOf(x) / scaleOf(y));
      return each((value, i) => finished(fround(value * multiplier), i, y, second, layer.activation));
    }
    case 'scale': {
      const multiplier = fround((scaleOf(x) * scaleOf(second ?? fail())) / scaleOf(y));
      return each((value, i, channel) => {
        const product = fround(value * (second?.numbers[channel] ?? 0));
        return finished(fround(product * multiplier), i, y, third, 'none');
      });
    }
    case 'upsample':
      return doubled(x, y, out);
    case 'logistic': {
      const inverse = fround(1 / scaleOf(y));
      return each((value) => stored(fround(fround(1 / (1 + exponential(-value))) * inverse), y));
    }
    case 'softmax': {
      const first = Array.from(numbers.subarray(0, layer.classes));
      const most = Math.max(...first);
      const sum = first.reduce((total, value) => total + exponential(value - most), 0);
      return each((value, i) => (i < layer.classes ? exponential(value - most) / sum : 0));
    }
  }
}

/** The map `x` among the zeros of a larger one, `top` rows and `left` columns from its corner. */
function within(x: Content, larger: IntegerMap, top: number, left: number, out: Content['numbers']): typeof out {
  for (let pixel = 0; pixel < x.height * x.width; pixel++) {
    const row = top + Math.floor(pixel / x.width);
    const from = x.numbers.subarray(pixel * x.channels, (pixel + 1) * x.channels);
    out.set(from, (row * larger.width + left + (pixel % x.width)) * larger.channels);
  }
  return out;
}

function bordered(x: Content, [top, bottom, left, right]: Border): Content {
  const shape = { ...x, height: x.height + top + bottom, width: x.width + left + right };
  const length = shape.height * shape.width * x.channels;
  const out = x.integers === null ? new Float32Array(length) : new Int16Array(length);
  return { ...shape, numbers: within(x, shape, top, left, out) };
}

/** Σ a·b of `count` numbers each, `step` apart. */
function dot(a: Float64Array, from: number, b: Float64Array, first: number, count: number, step: number): number {
  let sum = 0;
  for (let k = 0, at = 0; k < count; k++, at += step) sum += (a[from + at] ?? 0) * (b[first + at] ?? 0);
  return sum;
}

function convolved(
  layer: Convolution,
  x: Content,
  residual: Content | undefined,
  y: IntegerMap,
  out: Content['numbers'],
): typeof out {
  const { size, stride, filters, bias, activation } = layer;
  const [weights, scales] = 'scales' in filters ? [filters.values, filters.scales] : [filters, null];
  const isDepthwise = layer.kind === 'depthwise';
  const { numbers: given, width, channels } = bordered(x, layer.border);
  // A single array type keeps the loops fast.
  const [numbers, factors] = [Float64Array.from(given), Float64Array.from(weights)];
  const run = size[1] * channels;
  for (let output = 0; output < y.channels; output++) {
    const unit = scaleOf(x) * (scales === null ? 1 : (scales[output] ?? 0));
    const first = scales === null ? (bias[output] ?? 0) : Math.round((bias[output] ?? 0) / unit);
    const multiplier = fround(unit / scaleOf(y));
    for (let pixel = 0; pixel < y.height * y.width; pixel++) {
      const [row, column] = [stride * Math.floor(pixel / y.width), stride * (pixel % y.width)];
      let sum = first;
      for (let line = 0; line < size[0]; line++) {
        const from = ((row + line) * width + column) * channels;
        if (isDepthwise) sum += dot(numbers, from + output, factors, line * run + output, size[1], channels);
        else sum += dot(numbers, from, factors, (output * size[0] + line) * run, run, 1);
      }
      const i = pixel * y.channels + output;
      out[i] = finished(fround(fround(sum) * multiplier), i, y, residual, activation);
    }
  }
  return out;
}

function pooled(
  { kind, size: [height, width], stride }: PoolLayer,
  x: Content,
  y: IntegerMap,
  out: Content['numbers'],
): typeof out {
  const multiplier = fround(scaleOf(x) / (height * width * scaleOf(y)));
  return out.map((_, i) => {
    const pixel = Math.floor(i / y.channels);
    const [row, column] = [stride * Math.floor(pixel / y.width), stride * (pixel % y.width)];
    const window = Array.from({ length: height * width }, (_, tap) => {
      const at = (row + Math.floor(tap / width)) * x.width + column + (tap % width);
      return x.numbers[at * x.channels + (i % y.channels)] ?? 0;
    });
    if (kind === 'max-pool') return Math.max(...window);
    return stored(fround(fround(window.reduce((sum, value) => sum + value, 0)) * multiplier), y);
  });
}

function doubled(x: Content, y: IntegerMap, out: Content['numbers']): typeof out {
  const multiplier = fround(scaleOf(x) / (16 * scaleOf(y)));
  /** The pixel that a new one lies in, and the one that it lies beside. */
  const near = (at: number, count: number): readonly [number, number] => {
    const inside = at >> 1;
    return [inside, Math.min(count - 1, Math.max(0, at % 2 === 0 ? inside - 1 : inside + 1))];
  };
  return out.map((_, i) => {
    const pixel = Math.floor(i / y.channels);
    const [row, nextRow] = near(Math.floor(pixel / y.width), x.height);
    const [column, nextColumn] = near(pixel % y.width, x.width);
    const value = (r: number, c: number): number => x.numbers[(r * x.width + c) * x.channels + (i % x.channels)] ?? 0;
    const sides = 3 * (value(row, nextColumn) + value(nextRow, column));
    return stored(fround((9 * value(row, column) + sides + value(nextRow, nextColumn)) * multiplier), y);
  });
}

/** The core's exp(x): 2ⁿ times the series of exp(r) to the eighth power, x = n · ln 2 + r. */
function exponential(x: number): number {
  const bounded = Math.min(700, Math.max(-700, x));
  const n = nearest(bounded * Math.LOG2E);
  const r = bounded - n * Math.LN2;
  const factors = [1 / 40_320, 1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1, 1];
  return factors.reduce((sum, factor) => sum * r + factor, 0) * 2 ** n;
}

/** Rounds half to even. */
function nearest(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}
