import type { IrConstant, IrGraph, IrNode } from '../sources/openvino-ir.ts';
import { GraphBuilder, type Value } from '../tflite/graph-builder.ts';
import { at, float32, type Weights } from '../tflite/weights.ts';

/**
 * Compiles an image network from OpenVINO's representation (NCHW, BGR) to a `.tflite` file (NHWC, RGB): convolutions,
 * depthwise convolutions, PReLU, global average pools, sigmoid gates, sums.
 *
 * An addition after a convolution becomes its bias. A scale of the input is folded into the first filters; its offset
 * becomes one addition before them, since that convolution pads with zeros after the offset. All else keeps the file's
 * 16-bit floats.
 *
 * @throws Error for any other operation or option
 */
export function compileOpenVino(graph: IrGraph, description: string): Uint8Array {
  return new Compiler(graph).compile(description);
}

/** Normalisation of the input before its first convolution: scale · x + offset, one pair per channel, BGR. */
interface Normalisation {
  readonly input: Value;
  readonly scale: readonly number[];
  readonly offset: readonly number[];
}

/** A convolution whose bias may follow. */
interface Pending {
  readonly node: IrNode;
  readonly input: Value;
  readonly normalisation: Normalisation | null;
}

class Compiler {
  readonly #graph = new GraphBuilder();
  readonly #nodes: IrGraph;
  readonly #readers: ReadonlyMap<string, number>;
  readonly #values = new Map<string, Value>();
  readonly #pending = new Map<string, Pending>();
  readonly #normalised = new Map<string, Normalisation>();

  constructor(nodes: IrGraph) {
    this.#nodes = nodes;
    const readers = new Map<string, number>();
    for (const { inputs } of nodes.values()) for (const id of inputs) readers.set(id, (readers.get(id) ?? 0) + 1);
    this.#readers = readers;
  }

  compile(description: string): Uint8Array {
    for (const node of this.#nodes.values()) {
      if (node.constant !== null) continue;
      if (node.type === 'Result') return this.#graph.build([this.#value(node.inputs[0])], description);
      this.#add(node);
    }
    throw new Error('the network has no result');
  }

  #add(node: IrNode): void {
    if (node.type === 'Parameter') this.#input(node);
    else if (node.type === 'Convolution' || node.type === 'GroupConvolution') this.#convolution(node);
    else if (node.type === 'Add' || node.type === 'Multiply') this.#combination(node);
    else this.#values.set(node.id, this.#mapped(node));
  }

  /** Translates an operation on one map. */
  #mapped(node: IrNode): Value {
    const x = this.#value(node.inputs[0]);
    if (node.type === 'PReLU') return this.#graph.prelu(x, node.name, this.#slopes(node, x));
    if (node.type === 'Sigmoid') return this.#graph.logistic(x, node.name);
    if (node.type === 'AvgPool') return this.#pool(node, x);
    throw new Error(`the operation ${node.type} is not known here`);
  }

  #input(node: IrNode): void {
    const [batch, channels = 0, height = 0, width = 0] = node.shape;
    if (batch !== 1 || channels !== 3) throw new Error('the input is not one BGR picture');
    const input = this.#graph.input('chip', [1, height, width, channels]);
    this.#normalised.set(node.id, { input, scale: [1, 1, 1], offset: [0, 0, 0] });
  }

  /** A constant and the input: normalisation. A constant and a convolution: bias. Two maps: the operation itself. */
  #combination(node: IrNode): void {
    const [first = '', second = ''] = node.inputs;
    const constant = this.#nodes.get(second)?.constant ?? null;
    const normalised = this.#normalised.get(first);
    if (constant === null) this.#values.set(node.id, this.#joined(node, this.#value(first), this.#value(second)));
    else if (normalised !== undefined) this.#normalise(node, normalised, constant);
    else this.#values.set(node.id, this.#biased(node, first, constant));
  }

  #joined({ type, name }: IrNode, a: Value, b: Value): Value {
    return type === 'Add' ? this.#graph.add(a, b, name) : this.#graph.mul(a, b, name);
  }

  #biased(node: IrNode, first: string, bias: IrConstant): Value {
    const convolution = this.#pending.get(first);
    if (node.type !== 'Add' || convolution === undefined || this.#readers.get(first) !== 1) {
      throw new Error(`${node.type} of a constant is known behind the input or a convolution alone`);
    }
    this.#pending.delete(first);
    return this.#emit(convolution, bias);
  }

  #normalise(node: IrNode, { input, scale, offset }: Normalisation, { values }: IrConstant): void {
    const of = (i: number) => at(values, values.length === 1 ? 0 : i);
    const isScale = node.type === 'Multiply';
    this.#normalised.set(node.id, {
      input,
      scale: isScale ? scale.map((s, i) => s * of(i)) : scale,
      offset: offset.map((o, i) => (isScale ? o * of(i) : o + of(i))),
    });
  }

  #convolution(node: IrNode): void {
    const [first = ''] = node.inputs;
    const normalisation = this.#normalised.get(first) ?? null;
    const input = normalisation === null ? this.#value(first) : this.#shifted(node, normalisation);
    this.#pending.set(node.id, { node, input, normalisation });
  }

  /** The picture plus offset ÷ scale, RGB: the rest of the normalisation, once the filters include the scale. */
  #shifted({ name }: IrNode, { input, scale, offset }: Normalisation): Value {
    if (offset.every((o) => o === 0)) return input;
    return this.#graph.shift(input, `${name}/offset`, float32(offset.map((o, i) => o / at(scale, i)).reverse()));
  }

  #emit({ node, input, normalisation }: Pending, bias: IrConstant | null): Value {
    const weights = this.#nodes.get(node.inputs[1] ?? '')?.constant ?? fail(`${node.name} has no filters`);
    const isDepthwise = node.type === 'GroupConvolution';
    const [outputs = 0, perGroup = 0, height = 0, width = 0] = isDepthwise ? weights.shape.slice(1) : weights.shape;
    const count = isDepthwise ? (weights.shape[0] ?? 0) : outputs;
    if (isDepthwise && (outputs !== 1 || perGroup !== 1)) throw new Error(`${node.name}: groups of several channels`);
    const stride = squareStride(node);
    const { source, padding } = this.#padded(node, input, [height, width], stride);
    const filters = isDepthwise
      ? depthwiseFilters(weights, count, height * width)
      : filtersOf(weights, count, normalisation);
    const common = {
      name: node.name,
      filters,
      // 32-bit filters need a 32-bit bias, halves need halves.
      bias: biasOf(bias, count, filters.type),
      stride,
      padding,
    } as const;
    return isDepthwise
      ? this.#graph.depthwiseConv2d(source, { ...common, shape: [1, height, width, count] })
      : this.#graph.conv2d(source, { ...common, shape: [count, height, width, perGroup] });
  }

  /** TFLite's SAME puts the odd row of a stride of 2 at the end; the padding here follows the file. */
  #padded(node: IrNode, x: Value, window: readonly [number, number], stride: number) {
    const begin = pair(node.data.pads_begin);
    const end = pair(node.data.pads_end);
    if ([...begin, ...end].every((n) => n === 0)) return { source: x, padding: 'valid' as const };
    const isSame = stride === 1 && window.every((n, i) => 2 * at(begin, i) === n - 1 && at(begin, i) === at(end, i));
    if (isSame) return { source: x, padding: 'same' as const };
    const border = begin.map((n, i) => [n, at(end, i)] as const);
    return {
      source: this.#graph.pad(x, `${node.name}/border`, [[0, 0], ...border, [0, 0]]),
      padding: 'valid' as const,
    };
  }

  #pool({ name, data }: IrNode, x: Value): Value {
    const [height, width] = pair(data.kernel);
    const isWhole = height === x.shape[1] && width === x.shape[2];
    if (!isWhole || [...pair(data.pads_begin), ...pair(data.pads_end)].some((n) => n !== 0)) {
      throw new Error(`${name}: a pool of less than the whole map`);
    }
    return this.#graph.averagePool2d(x, { size: [height, width], stride: 1 });
  }

  #slopes({ name, inputs }: IrNode, x: Value): Weights {
    const { values } = this.#nodes.get(inputs[1] ?? '')?.constant ?? fail(`${name} has no slopes`);
    return float32(Float32Array.from({ length: x.shape[3] ?? 0 }, (_, i) => at(values, values.length === 1 ? 0 : i)));
  }

  #value(id = ''): Value {
    const pending = this.#pending.get(id);
    if (pending !== undefined) {
      this.#pending.delete(id);
      this.#values.set(id, this.#emit(pending, null));
    }
    return this.#values.get(id) ?? fail('an operation reads what nothing computes');
  }
}

/**
 * From `[out, in, y, x]` to `[out, y, x, in]`; the first filters are converted from BGR to RGB, include the input's
 * scale, and become 32-bit floats.
 */
function filtersOf(
  { shape, values, halves }: IrConstant,
  outputs: number,
  normalisation: Normalisation | null,
): Weights {
  const [, inputs = 0, height = 0, width = 0] = shape;
  const window = height * width;
  if (outputs * inputs * window !== values.length) throw new Error('filters of another shape');
  const from = (i: number, channel: number) => {
    const [o, cell] = [Math.floor(i / (window * inputs)), Math.floor(i / inputs) % window];
    return (o * inputs + channel) * window + cell;
  };
  if (normalisation !== null) {
    const { scale } = normalisation;
    return float32(
      Float64Array.from(values, (_, i) => {
        const channel = inputs - 1 - (i % inputs);
        return at(values, from(i, channel)) * at(scale, channel);
      }),
    );
  }
  if (halves !== null) return { type: 'float16', values: halves.map((_, i) => at(halves, from(i, i % inputs))) };
  return float32(values.map((_, i) => at(values, from(i, i % inputs))));
}

/** From `[channel, 1, 1, y, x]` to `[1, y, x, channel]`. */
function depthwiseFilters({ values, halves }: IrConstant, channels: number, window: number): Weights {
  const from = (i: number) => (i % channels) * window + Math.floor(i / channels);
  if (halves !== null) return { type: 'float16', values: halves.map((_, i) => at(halves, from(i))) };
  return float32(values.map((_, i) => at(values, from(i))));
}

function biasOf(bias: IrConstant | null, outputs: number, type: Weights['type']): Weights {
  if (bias === null)
    return type === 'float16' ? { type, values: new Uint16Array(outputs) } : float32(new Float32Array(outputs));
  if (bias.values.length !== outputs) throw new Error('a bias of another length');
  return type === 'float16' && bias.halves !== null ? { type, values: bias.halves } : float32(bias.values);
}

function squareStride({ name, data }: IrNode): number {
  const [down, across] = pair(data.strides);
  const isPlain = down === across && pair(data.dilations).every((n) => n === 1);
  return isPlain ? down : fail(`${name}: strides that differ, or a dilation`);
}

function pair(text = ''): readonly [number, number] {
  const numbers = text.split(',').map((part) => Number(part.trim()));
  const [a = Number.NaN, b = Number.NaN] = numbers;
  if (numbers.length !== 2 || !Number.isSafeInteger(a) || !Number.isSafeInteger(b))
    throw new Error('a pair of numbers is missing');
  return [a, b];
}

function fail(message: string): never {
  throw new Error(message);
}
