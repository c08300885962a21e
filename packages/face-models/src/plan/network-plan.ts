import type {
  Activation,
  AddLayer,
  AffineLayer,
  Border,
  ConvolutionLayer,
  DepthwiseLayer,
  MapShape,
  NetworkLayer,
  NetworkPlan,
  ScaleLayer,
} from '@svc/core/network';
import type { GraphConstant, GraphOperator, TfliteGraph } from '../tflite/read-graph.ts';

type ActivatingLayer = ConvolutionLayer | DepthwiseLayer | AddLayer | AffineLayer;

/** Whether slopes can become the layer's activation. */
function isFusibleActivation(layer: NetworkLayer): layer is ActivatingLayer {
  return 'activation' in layer && layer.activation === 'none';
}

/** Fuses an addition into the layer whose output only it reads, so that the sum is computed in registers. */
function fuseAdditions(layers: readonly NetworkLayer[], outputs: readonly number[]): NetworkLayer[] {
  const taken = new Set<NetworkLayer>();
  const fused = layers.map((layer) => {
    if (layer.kind !== 'add') return layer;
    const first = layers.find(
      (other): other is ConvolutionLayer | ScaleLayer =>
        canAdd(other, layer, layers, outputs) && layer.inputs.includes(other.output) && !taken.has(other),
    );
    if (first === undefined) return layer;
    taken.add(first);
    const [a, b] = layer.inputs;
    const residual = a === first.output ? b : a;
    if (first.kind === 'scale') return { ...first, output: layer.output, residual };
    return { ...first, output: layer.output, residual, activation: layer.activation };
  });
  return fused.filter((layer) => !taken.has(layer));
}

/** A layer that supports a residual and whose output has only this reader. */
function canAdd(
  layer: NetworkLayer,
  sum: AddLayer,
  layers: readonly NetworkLayer[],
  outputs: readonly number[],
): layer is ConvolutionLayer | ScaleLayer {
  if (layer.kind === 'scale' ? sum.activation !== 'none' : !isPlainConvolution(layer)) return false;
  const isReadOnce = layers.flatMap(readsOf).filter((map) => map === layer.output).length === 1;
  return isReadOnce && !outputs.includes(layer.output);
}

const isPlainConvolution = (layer: NetworkLayer): boolean =>
  layer.kind === 'convolution' && layer.activation === 'none' && layer.residual === null;

function readsOf(layer: NetworkLayer): readonly number[] {
  if (layer.kind === 'add') return layer.inputs;
  return layer.kind === 'scale' ? [layer.input, layer.gates] : [layer.input];
}

/**
 * Plans a graph as layers of the core; null if it is not such a network with one input. The plan's outputs, one after
 * the other, are the graph's, one after the other; one of the graph's may be several.
 */
export function planNetwork(graph: TfliteGraph): NetworkPlan | null {
  const [input, ...otherInputs] = graph.inputs;
  if (input === undefined || otherInputs.length > 0) return null;
  const translation = new Translation(graph);
  const first = translation.map(input);
  for (const operator of graph.operators) {
    if (!translation.add(operator)) return null;
  }
  const { maps, layers } = translation;
  const outputs = graph.outputs.flatMap((tensor) => translation.partsOf(tensor));
  return { maps, input: first, outputs, layers: fuseAdditions(layers, outputs) };
}

const noMap: MapShape = { height: 0, width: 0, channels: 0 };
const noBorder: Border = [0, 0, 0, 0];

type ConvolutionOperator = GraphOperator & { kind: 'conv2d' | 'depthwise-conv2d' };

/** A map or a vector with batch 1; otherwise an impossible map, which the core rejects. */
function mapOf(shape: readonly number[]): MapShape {
  const [batch, ...rest] = shape;
  if (batch !== 1) return noMap;
  if (rest.length === 1) return { height: 1, width: 1, channels: rest[0] ?? 0 };
  const [height = 0, width = 0, channels = 0] = rest;
  return rest.length === 3 ? { height, width, channels } : noMap;
}

const isFloats = (constant: GraphConstant): constant is Float32Array => constant instanceof Float32Array;

/** Translates operators to layers one by one; a tensor gets a map at its first mention. */
class Translation {
  readonly maps: MapShape[] = [];
  readonly layers: NetworkLayer[] = [];
  readonly #graph: TfliteGraph;
  readonly #mapOfTensor = new Map<number, number>();
  /** Padded tensors that only convolutions read; these take the padding into their windows. */
  readonly #parts = new Map<number, readonly number[]>();
  readonly #borders = new Map<number, { readonly source: number; readonly border: Border }>();

  constructor(graph: TfliteGraph) {
    this.#graph = graph;
  }

  map(tensor: number): number {
    const known = this.#mapOfTensor.get(tensor);
    if (known !== undefined) return known;
    this.#mapOfTensor.set(tensor, this.maps.length);
    return this.maps.push(mapOf(this.#graph.tensors[tensor]?.shape ?? [])) - 1;
  }

  /** The maps that follow each other in a tensor; only outputs of the graph may have several. */
  partsOf(tensor: number): readonly number[] {
    return this.#parts.get(tensor) ?? [this.map(tensor)];
  }

  /** False for an unsupported operator. */
  add(operator: GraphOperator): boolean {
    if (operator.kind === 'pad' && this.#isBorder(operator)) return true;
    if ((operator.kind === 'prelu' || operator.kind === 'relu') && this.#isActivation(operator)) return true;
    if ((operator.kind === 'reshape' || operator.kind === 'concatenation') && this.#isView(operator)) return true;
    const layer = this.#layerOf(operator);
    if (layer !== null) this.layers.push(layer);
    return layer !== null;
  }

  #layerOf(operator: GraphOperator): NetworkLayer | null {
    const [x = -1, second = -1] = operator.inputs;
    const [y = -1] = operator.outputs;
    switch (operator.kind) {
      case 'conv2d':
      case 'depthwise-conv2d':
        return this.#convolution(operator);
      case 'fully-connected':
        return this.#fullyConnected(operator);
      case 'average-pool':
      case 'max-pool': {
        const stride = squareStride(operator);
        const { kind, size, padding, activation } = operator;
        if (stride === null || activation !== 'none') return null;
        const input = this.map(x);
        // A border of nothing is none.
        if (padding === 'same' && this.#same(input, size, stride).some((n) => n > 0)) return null;
        return { kind, input, output: this.map(y), size, stride };
      }
      case 'add':
      case 'mul':
        return this.#arithmetic(operator);
      case 'pad':
        return isPadAfter(this.#constant(second)) ? { kind: 'pad', input: this.map(x), output: this.map(y) } : null;
      case 'prelu':
      case 'relu':
      case 'reshape':
      case 'concatenation':
        return null;
      case 'logistic':
      case 'upsample':
        return { kind: operator.kind, input: this.map(x), output: this.map(y) };
      case 'softmax': {
        const input = this.map(x);
        return { kind: 'softmax', input, output: this.map(y), classes: this.maps[input]?.channels ?? 0 };
      }
    }
  }

  #convolution(operator: ConvolutionOperator): NetworkLayer | null {
    const [x = -1, weights = -1, third = -1] = operator.inputs;
    const [y = -1] = operator.outputs;
    const [filters, bias] = [this.#constant(weights), this.#constant(third)];
    const stride = squareStride(operator);
    if (!isFloats(filters) || !isFloats(bias) || stride === null) return null;
    const padded = this.#borders.get(x);
    const source = padded?.source ?? x;
    const [, height = 0, width = 0] = this.#graph.tensors[weights]?.shape ?? [];
    const input = this.map(source);
    const size = [height, width] as const;
    const border = operator.padding === 'valid' ? (padded?.border ?? noBorder) : this.#same(input, size, stride);
    const common = { input, output: this.map(y), size, stride, border, filters, bias };
    const activation = operator.activation;
    if (operator.kind === 'depthwise-conv2d') return { kind: 'depthwise', ...common, activation };
    return { kind: 'convolution', ...common, residual: null, activation };
  }

  /** TFLite's SAME padding; an odd row or column of zeros goes after the map. */
  #same(input: number, size: readonly [number, number], stride: number): Border {
    const { height, width } = this.maps[input] ?? noMap;
    const total = (length: number, window: number): number =>
      Math.max(0, (Math.ceil(length / stride) - 1) * stride + window - length);
    const [rows, columns] = [total(height, size[0]), total(width, size[1])];
    return [Math.floor(rows / 2), Math.ceil(rows / 2), Math.floor(columns / 2), Math.ceil(columns / 2)];
  }

  /** As a convolution whose window is the whole map. */
  #fullyConnected(operator: GraphOperator & { kind: 'fully-connected' }): NetworkLayer | null {
    const [x = -1, second = -1, third = -1] = operator.inputs;
    const [y = -1] = operator.outputs;
    const [filters, bias] = [this.#constant(second), this.#constant(third)];
    if (!isFloats(filters) || !isFloats(bias)) return null;
    const input = this.map(x);
    const { height, width } = this.maps[input] ?? noMap;
    return {
      ...{ kind: 'convolution', input, output: this.map(y), size: [height, width], stride: 1, border: noBorder },
      ...{ filters, bias, residual: null, activation: operator.activation },
    };
  }

  /** The sum with a constant or another map, the product with one gate per channel. */
  #arithmetic({ kind, inputs, outputs, activation }: GraphOperator & { kind: 'add' | 'mul' }): NetworkLayer | null {
    const [a = -1, b = -1] = inputs;
    const [y = -1] = outputs;
    const constant = this.#constant(b);
    if (this.#constant(a) !== null) return null;
    if (constant !== null) return kind === 'add' ? this.#shifted([a, y], constant, activation) : null;
    const [left, right, output] = [this.map(a), this.map(b), this.map(y)];
    if (kind === 'add') return { kind, inputs: [left, right], output, activation };
    if (activation !== 'none') return null;
    const [input, gates] = this.#isPixel(right) ? [left, right] : [right, left];
    return { kind: 'scale', input, gates, output, residual: null };
  }

  #isPixel(map: number): boolean {
    const { height, width } = this.maps[map] ?? noMap;
    return height === 1 && width === 1;
  }

  /** A number added to each channel, or one to all. */
  #shifted([x, y]: readonly [number, number], added: GraphConstant, activation: Activation): NetworkLayer | null {
    const input = this.map(x);
    const { channels } = this.maps[input] ?? noMap;
    if (!isFloats(added) || (added.length !== channels && added.length !== 1)) return null;
    const scales = new Float32Array(channels).fill(1);
    const offsets = added.length === channels ? added : scales.map(() => added[0] ?? 0);
    return { kind: 'affine', input, output: this.map(y), scales, offsets, activation };
  }

  /** Zeros around a map that its readers can take into their windows. */
  #isBorder({ inputs: [source = -1, second = -1], outputs: [padded = -1] }: GraphOperator): boolean {
    const border = borderOf(this.#constant(second));
    const isConvolved = this.#readersOf(padded).every(
      (reader) =>
        (reader.kind === 'conv2d' || reader.kind === 'depthwise-conv2d') &&
        reader.padding === 'valid' &&
        reader.inputs.lastIndexOf(padded) === 0,
    );
    if (border === null || !isConvolved || this.#graph.outputs.includes(padded)) return false;
    this.#borders.set(padded, { source, border });
    return true;
  }

  /** Rows of other widths, or rows after rows: the same numbers in the same order. Nothing may read them as a map. */
  #isView(operator: GraphOperator): boolean {
    const [x = -1] = operator.inputs;
    const [y = -1] = operator.outputs;
    if (operator.kind === 'concatenation' && operator.axis !== 1) return false;
    const sources = operator.kind === 'concatenation' ? operator.inputs : [x];
    this.#parts.set(
      y,
      sources.flatMap((tensor) => this.partsOf(tensor)),
    );
    return this.#graph.tensors[y]?.shape[0] === 1;
  }

  /** Fuses slopes or a rectifier into the preceding layer if it has no other reader. */
  #isActivation({ kind, inputs: [x = -1, second = -1], outputs: [y = -1] }: GraphOperator): boolean {
    const slopes = kind === 'relu' ? kind : this.#constant(second);
    const isOnlyReader = this.#readersOf(x).length === 1 && !this.#graph.outputs.includes(x);
    const at = this.layers.findIndex(({ output }) => output === this.#mapOfTensor.get(x));
    const layer = this.layers[at];
    if ((slopes !== 'relu' && !isFloats(slopes)) || !isOnlyReader || layer === undefined || !isFusibleActivation(layer))
      return false;
    this.layers[at] = { ...layer, output: this.map(y), activation: slopes };
    return true;
  }

  #readersOf(tensor: number): readonly GraphOperator[] {
    return this.#graph.operators.filter(({ inputs }) => inputs.includes(tensor));
  }

  #constant(tensor: number): GraphConstant {
    return this.#graph.tensors[tensor]?.constant ?? null;
  }
}

function squareStride({ strides: [down, across] }: { readonly strides: readonly [number, number] }): number | null {
  return down === across ? down : null;
}

/** `[before, after]` for each of four dimensions: nothing before, and the batch unchanged. */
function isPadAfter(amounts: GraphConstant): boolean {
  if (!(amounts instanceof Int32Array) || amounts.length !== 8) return false;
  return amounts.every((n, i) => (i % 2 === 1 && i > 1 ? n >= 0 : n === 0));
}

/** The amounts for rows and columns; null if others are padded. */
function borderOf(amounts: GraphConstant): Border | null {
  if (!(amounts instanceof Int32Array) || amounts.length !== 8) return null;
  const [batch, batchAfter, top = 0, bottom = 0, left = 0, right = 0, channels, channelsAfter] = amounts;
  return [batch, batchAfter, channels, channelsAfter].every((n) => n === 0) ? [top, bottom, left, right] : null;
}
