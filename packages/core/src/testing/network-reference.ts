import type {
  Activation,
  ConvolutionLayer,
  DepthwiseLayer,
  MapShape,
  NetworkLayer,
  NetworkPlan,
} from '../network/index.ts';
import type { PoolLayer } from '../network/plan.ts';

/** The first output of a network, computed from the definition in double precision. */
export function networkReference({ maps, input, outputs, layers }: NetworkPlan, values: Float32Array): Float64Array {
  const contents = new Map<number, Float64Array>([[input, Float64Array.from(values)]]);
  const at = (map: number): Float64Array => contents.get(map) ?? new Float64Array(0);
  for (const layer of layers) contents.set(layer.output, layerReference(layer, maps, at));
  return at(outputs[0] ?? -1);
}

function layerReference(
  layer: NetworkLayer,
  maps: readonly MapShape[],
  at: (map: number) => Float64Array,
): Float64Array {
  const shape = (map: number): MapShape => maps[map] ?? { height: 0, width: 0, channels: 0 };
  const activation = 'activation' in layer ? layer.activation : 'none';
  const added = 'residual' in layer && layer.residual !== null ? at(layer.residual) : null;
  return fill(shape(layer.output), (row, column, channel, i) => {
    const value = plainValue(layer, shape, at, [row, column, channel], i);
    return activated(value + (added?.[i] ?? 0), channel, activation);
  });
}

function activated(value: number, channel: number, activation: Activation): number {
  if (value >= 0 || activation === 'none') return value;
  return activation === 'relu' ? 0 : value * (activation[channel] ?? Number.NaN);
}

/** An output before residual and activation. */
function plainValue(
  layer: NetworkLayer,
  shape: (map: number) => MapShape,
  at: (map: number) => Float64Array,
  [row, column, channel]: readonly [number, number, number],
  i: number,
): number {
  if (layer.kind === 'add') return (at(layer.inputs[0])[i] ?? 0) + (at(layer.inputs[1])[i] ?? 0);
  const x = at(layer.input);
  switch (layer.kind) {
    case 'pad':
      return pixel(x, shape(layer.input), row, column, channel);
    case 'convolution':
    case 'depthwise':
      return convolved(layer, x, shape(layer.input), row, column, channel);
    case 'scale':
      return (x[i] ?? 0) * (at(layer.gates)[channel] ?? 0);
    case 'affine':
      return (x[i] ?? 0) * (layer.scales[channel] ?? 0) + (layer.offsets[channel] ?? 0);
    case 'upsample':
      return interpolated(x, shape(layer.input), row / 2 - 0.25, column / 2 - 0.25, channel);
    case 'logistic':
      return 1 / (1 + Math.exp(-(x[i] ?? 0)));
    case 'softmax':
      return Math.exp(x[i] ?? 0) / x.slice(0, layer.classes).reduce((sum, value) => sum + Math.exp(value), 0);
    default:
      return pooled(layer, x, shape(layer.input), row, column, channel);
  }
}

function fill(
  { height, width, channels }: MapShape,
  value: (row: number, column: number, channel: number, i: number) => number,
): Float64Array {
  return Float64Array.from({ length: height * width * channels }, (_, i) => {
    const pixelIndex = Math.floor(i / channels);
    return value(Math.floor(pixelIndex / width), pixelIndex % width, i % channels, i);
  });
}

/** The pixel, or zero outside the map. */
function pixel(map: Float64Array, { height, width, channels }: MapShape, row: number, column: number, channel: number) {
  const inside = row >= 0 && row < height && column >= 0 && column < width && channel < channels;
  return inside ? (map[(row * width + column) * channels + channel] ?? 0) : 0;
}

/** The value at a place between pixel centres, or on the nearest edge. */
function interpolated(map: Float64Array, shape: MapShape, row: number, column: number, channel: number): number {
  const weigh = (place: number, last: number, value: (index: number) => number): number => {
    const [inside, share] = [(index: number) => value(Math.min(last, Math.max(0, index))), place - Math.floor(place)];
    return (1 - share) * inside(Math.floor(place)) + share * inside(Math.floor(place) + 1);
  };
  return weigh(row, shape.height - 1, (i) => weigh(column, shape.width - 1, (j) => pixel(map, shape, i, j, channel)));
}

function convolved(
  { kind, size: [height, width], stride, border: [top, , left], filters, bias }: ConvolutionLayer | DepthwiseLayer,
  x: Float64Array,
  shape: MapShape,
  row: number,
  column: number,
  output: number,
): number {
  let sum = bias[output] ?? 0;
  for (let i = 0; i < height; i++) {
    for (let j = 0; j < width; j++) {
      for (let channel = 0; channel < shape.channels; channel++) {
        if (kind === 'depthwise' && channel !== output) continue;
        const outer = kind === 'depthwise' ? 0 : output;
        const filter = filters[((outer * height + i) * width + j) * shape.channels + channel] ?? 0;
        sum += filter * pixel(x, shape, row * stride + i - top, column * stride + j - left, channel);
      }
    }
  }
  return sum;
}

function pooled(
  { kind, size: [height, width], stride }: PoolLayer,
  x: Float64Array,
  shape: MapShape,
  row: number,
  column: number,
  channel: number,
): number {
  const window = Array.from({ length: height * width }, (_, i) =>
    pixel(x, shape, row * stride + Math.floor(i / width), column * stride + (i % width), channel),
  );
  return kind === 'max-pool' ? Math.max(...window) : window.reduce((sum, value) => sum + value, 0) / window.length;
}
