import type { ConvolutionLayer, MapShape, NetworkLayer, NetworkPlan, PoolLayer } from '../network/index.ts';

/** A network as its definition reads, in double precision. */
export function networkReference({ maps, input, output, layers }: NetworkPlan, values: Float32Array): Float64Array {
  const contents = new Map<number, Float64Array>([[input, Float64Array.from(values)]]);
  const at = (map: number): Float64Array => contents.get(map) ?? new Float64Array(0);
  for (const layer of layers) contents.set(layer.output, layerReference(layer, maps, at));
  return at(output);
}

function layerReference(
  layer: NetworkLayer,
  maps: readonly MapShape[],
  at: (map: number) => Float64Array,
): Float64Array {
  const shape = (map: number): MapShape => maps[map] ?? { height: 0, width: 0, channels: 0 };
  const y = shape(layer.output);
  const floor = 'relu' in layer && layer.relu ? 0 : Number.NEGATIVE_INFINITY;
  return fill(y, (row, column, channel, i) => {
    switch (layer.kind) {
      case 'add':
        return Math.max(floor, (at(layer.inputs[0])[i] ?? 0) + (at(layer.inputs[1])[i] ?? 0));
      case 'pad':
        return pixel(at(layer.input), shape(layer.input), row, column, channel);
      case 'convolution': {
        const residual = layer.residual === null ? 0 : (at(layer.residual)[i] ?? 0);
        return Math.max(floor, convolved(layer, at(layer.input), shape(layer.input), row, column, channel) + residual);
      }
      default:
        return pooled(layer, at(layer.input), shape(layer.input), row, column, channel);
    }
  });
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

/** Zero outside of the map. */
function pixel(map: Float64Array, { height, width, channels }: MapShape, row: number, column: number, channel: number) {
  const inside = row >= 0 && row < height && column >= 0 && column < width && channel < channels;
  return inside ? (map[(row * width + column) * channels + channel] ?? 0) : 0;
}

function convolved(
  { size: [height, width], stride, padding, filters, bias }: ConvolutionLayer,
  x: Float64Array,
  shape: MapShape,
  row: number,
  column: number,
  output: number,
): number {
  // Odd windows at stride 1, as the kernels have them.
  const before = padding === 'same' ? 1 : 0;
  let sum = bias[output] ?? 0;
  for (let i = 0; i < height; i++) {
    for (let j = 0; j < width; j++) {
      for (let channel = 0; channel < shape.channels; channel++) {
        const filter = filters[((output * height + i) * width + j) * shape.channels + channel] ?? 0;
        const top = row * stride + i - before * ((height - 1) / 2);
        sum += filter * pixel(x, shape, top, column * stride + j - before * ((width - 1) / 2), channel);
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
