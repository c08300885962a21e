import type { ConvolutionLayer, MapShape, NetworkLayer, NetworkPlan } from '@svc/core/network';
import type { GraphConstant, GraphOperator, TfliteGraph } from '@svc/face-models';

/** A graph as layers of the core's; null where it is no chain of them from one input to one output. */
export function planNetwork(graph: TfliteGraph): NetworkPlan | null {
  const [input, ...otherInputs] = graph.inputs;
  const [output, ...otherOutputs] = graph.outputs;
  if (input === undefined || output === undefined || otherInputs.length + otherOutputs.length > 0) return null;
  const translation = new Translation(graph);
  const first = translation.map(input);
  for (const operator of graph.operators) {
    if (!translation.add(operator)) return null;
  }
  const { maps, layers } = translation;
  return {
    maps,
    input: first,
    output: translation.map(output),
    layers: fuseAdditions(layers, translation.map(output)),
  };
}

const noMap: MapShape = { height: 0, width: 0, channels: 0 };

/** Batch 1 of maps or of vectors; an impossible map for anything else, which the core refuses. */
function mapOf(shape: readonly number[]): MapShape {
  const [batch, ...rest] = shape;
  if (batch !== 1) return noMap;
  if (rest.length === 1) return { height: 1, width: 1, channels: rest[0] ?? 0 };
  const [height = 0, width = 0, channels = 0] = rest;
  return rest.length === 3 ? { height, width, channels } : noMap;
}

const isFloats = (constant: GraphConstant): constant is Float32Array => constant instanceof Float32Array;

/** Operators to layers, one by one; tensors get a map when they are first named. */
class Translation {
  readonly maps: MapShape[] = [];
  readonly layers: NetworkLayer[] = [];
  readonly #graph: TfliteGraph;
  readonly #mapOfTensor = new Map<number, number>();

  constructor(graph: TfliteGraph) {
    this.#graph = graph;
  }

  map(tensor: number): number {
    const known = this.#mapOfTensor.get(tensor);
    if (known !== undefined) return known;
    this.#mapOfTensor.set(tensor, this.maps.length);
    return this.maps.push(mapOf(this.#graph.tensors[tensor]?.shape ?? [])) - 1;
  }

  /** False for an operator that has no layer. */
  add(operator: GraphOperator): boolean {
    const layer = this.#layerOf(operator);
    if (layer !== null) this.layers.push(layer);
    return layer !== null;
  }

  #layerOf(operator: GraphOperator): NetworkLayer | null {
    const [x = -1, second = -1, third = -1] = operator.inputs;
    const [y = -1] = operator.outputs;
    const ends = { input: this.map(x), output: this.map(y) };
    switch (operator.kind) {
      case 'conv2d':
      case 'fully-connected': {
        const filters = this.#constant(second);
        const bias = this.#constant(third);
        const window = operator.kind === 'conv2d' ? this.#windowOf(operator, second) : this.#wholeMap(ends.input);
        if (!isFloats(filters) || !isFloats(bias) || window === null) return null;
        return { kind: 'convolution', ...ends, ...window, filters, bias, residual: null, relu: isRelu(operator) };
      }
      case 'average-pool':
      case 'max-pool': {
        const stride = squareStride(operator);
        const isPlain = operator.padding === 'valid' && operator.activation === 'none';
        return stride === null || !isPlain ? null : { kind: operator.kind, ...ends, size: operator.size, stride };
      }
      case 'add':
        return { kind: 'add', inputs: [ends.input, this.map(second)], output: ends.output, relu: isRelu(operator) };
      case 'pad':
        return isPadAfter(this.#constant(second)) ? { kind: 'pad', ...ends } : null;
    }
  }

  #constant(tensor: number): GraphConstant {
    return this.#graph.tensors[tensor]?.constant ?? null;
  }

  #windowOf(operator: GraphOperator & { kind: 'conv2d' }, filters: number) {
    const [, height = 0, width = 0] = this.#graph.tensors[filters]?.shape ?? [];
    const stride = squareStride(operator);
    return stride === null ? null : { size: [height, width] as const, stride, padding: operator.padding };
  }

  /** A fully connected layer is a convolution whose window is the map. */
  #wholeMap(input: number) {
    const { height, width } = this.maps[input] ?? noMap;
    return { size: [height, width] as const, stride: 1, padding: 'valid' as const };
  }
}

const isRelu = ({ activation }: { readonly activation: 'none' | 'relu' }): boolean => activation === 'relu';

function squareStride({ strides: [down, across] }: { readonly strides: readonly [number, number] }): number | null {
  return down === across ? down : null;
}

/** `[before, after]` for each of four dimensions: nothing before, and one batch stays one. */
function isPadAfter(amounts: GraphConstant): boolean {
  if (!(amounts instanceof Int32Array) || amounts.length !== 8) return false;
  return amounts.every((n, i) => (i % 2 === 1 && i > 1 ? n >= 0 : n === 0));
}

/** Lets a convolution add what is added to its output alone: the sum is made while it is in registers. */
function fuseAdditions(layers: readonly NetworkLayer[], output: number): NetworkLayer[] {
  const taken = new Set<NetworkLayer>();
  const fused = layers.map((layer) => {
    if (layer.kind !== 'add') return layer;
    const convolution = layers.find(
      (other): other is ConvolutionLayer =>
        isFusible(other, layers, output) && layer.inputs.includes(other.output) && !taken.has(other),
    );
    if (convolution === undefined) return layer;
    taken.add(convolution);
    const [a, b] = layer.inputs;
    const residual = a === convolution.output ? b : a;
    return { ...convolution, output: layer.output, residual, relu: layer.relu };
  });
  return fused.filter((layer) => !taken.has(layer));
}

/** A convolution of the kind that can add, whose output is read once and is nobody else's. */
function isFusible(layer: NetworkLayer, layers: readonly NetworkLayer[], output: number): layer is ConvolutionLayer {
  if (layer.kind !== 'convolution' || layer.relu || layer.output === output) return false;
  const reads = layers.flatMap((other) => (other.kind === 'add' ? other.inputs : [other.input]));
  const isReadOnce = reads.filter((map) => map === layer.output).length === 1;
  return isReadOnce && layer.size.every((n) => n === 3) && layer.stride === 1 && layer.padding === 'same';
}
