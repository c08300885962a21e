import { panelWidth } from './filters.ts';
import type { Activation, ConvolutionLayer, DepthwiseLayer, NetworkLayer, NetworkPlan } from './plan.ts';

/**
 * The same network with convolution outputs rounded up to a multiple of eight channels, as the kernels require. Added
 * channels have zero weights, biases and slopes, and their readers multiply them by zero. Maps padded to more channels,
 * which are added to convolutions, are rounded up too; others are as wide as their inputs. Null if related maps have
 * different channel counts, which could not be distinguished after padding.
 */
export function widenChannels(plan: NetworkPlan): NetworkPlan | null {
  const widths = plan.maps.map(({ channels }) => channels);
  const isWide = (map: number): boolean => widths[map] !== plan.maps[map]?.channels;
  const hasLogistic = plan.layers.some(({ kind }) => kind === 'logistic');
  for (const layer of plan.layers) {
    const channels = plan.maps[layer.output]?.channels ?? 0;
    const sources = evenWith(layer);
    const isEven = sources.every((map) => plan.maps[map]?.channels === channels);
    // What is added to a map is zero until a logistic function makes a half of it.
    const isWidening = layer.kind === 'pad' && (!isWide(layer.input) || !hasLogistic);
    if (!isEven && !isWidening) return null;
    if (layer.kind === 'convolution' || !isEven || sources.some(isWide))
      widths[layer.output] = Math.ceil(channels / panelWidth) * panelWidth;
  }
  if (!plan.maps.some((_, map) => isWide(map))) return plan;
  return {
    ...plan,
    maps: plan.maps.map((shape, i) => ({ ...shape, channels: widths[i] ?? 0 })),
    layers: plan.layers.map((layer) => widen(layer, plan, widths)),
  };
}

/** Maps that must have as many channels as the output. */
function evenWith(layer: NetworkLayer): readonly number[] {
  const residual = 'residual' in layer && layer.residual !== null ? [layer.residual] : [];
  if (layer.kind === 'add') return layer.inputs;
  if (layer.kind === 'scale') return [layer.input, layer.gates, ...residual];
  return layer.kind === 'convolution' ? residual : [layer.input];
}

function widen(layer: NetworkLayer, { maps }: NetworkPlan, widths: readonly number[]): NetworkLayer {
  const to = widths[layer.output] ?? 0;
  const channels = maps[layer.output]?.channels ?? 0;
  switch (layer.kind) {
    case 'convolution': {
      const [inputs, inputWidth] = [maps[layer.input]?.channels ?? 0, widths[layer.input] ?? 0];
      const [height, width] = layer.size;
      const inner = spread(layer.filters, inputs, inputWidth);
      const filters = spread(inner, channels * height * width * inputWidth, to * height * width * inputWidth);
      return { ...withChannels(layer, channels, to), filters };
    }
    case 'depthwise':
      return { ...withChannels(layer, channels, to), filters: spread(layer.filters, channels, to) };
    case 'affine': {
      const [scales, offsets] = [layer.scales, layer.offsets].map((values) => spread(values, channels, to));
      if (scales === undefined || offsets === undefined) return layer;
      return { ...layer, scales, offsets, activation: spreadSlopes(layer.activation, channels, to) };
    }
    case 'add':
      return { ...layer, activation: spreadSlopes(layer.activation, channels, to) };
    default:
      return layer;
  }
}

function withChannels<T extends ConvolutionLayer | DepthwiseLayer>(layer: T, channels: number, to: number): T {
  const activation = spreadSlopes(layer.activation, channels, to);
  return { ...layer, bias: spread(layer.bias, channels, to), activation };
}

const spreadSlopes = (activation: Activation, from: number, to: number): Activation =>
  typeof activation === 'string' ? activation : spread(activation, from, to);

/**
 * Extends rows of `from` floats to `to` with zeros. Values that are not such rows are returned as they are; the kernel
 * rejects them.
 */
function spread(values: Float32Array, from: number, to: number): Float32Array {
  if (from === to || from === 0 || values.length % from !== 0) return values;
  const rows = values.length / from;
  const wide = new Float32Array(rows * to);
  for (let row = 0; row < rows; row++) wide.set(values.subarray(row * from, (row + 1) * from), row * to);
  return wide;
}
