import type { IrConstant, IrGraph, IrNode } from '../sources/openvino-ir.ts';
import { GraphBuilder, type Value } from '../tflite/graph-builder.ts';
import { at, float32, type Weights } from '../tflite/weights.ts';

/** Normalisation of the input before its first convolution: scale · x + offset, one pair per channel, BGR. */
interface Normalisation {
  readonly input: Value;
  readonly scale: readonly number[];
  readonly offset: readonly number[];
}

/**
 * Compiles an image network from OpenVINO's representation (NCHW, BGR) to a `.tflite` file (NHWC, RGB): convolutions,
 * depthwise convolutions, PReLU, global average pools, sigmoid gates, sums.
 *
 * An addition after a convolution becomes its bias. A scale of the input is folded into the first filters; its offset
 * becomes one addition before them, since that convolution pads with zeros after the offset. All else keeps the file's
 * 16-bit floats.
 *
 * @throws Error for any other operation
 */
export function compileOpenVino(nodes: IrGraph, description: string): Uint8Array {
  const graph = new GraphBuilder();
  const values = new Map<string, Value>();
  const normalised = new Map<string, Normalisation>();
  const value = (id = ''): Value => values.get(id) ?? fail('an operation reads what nothing computes');
  const constant = (id = ''): IrConstant | null => nodes.get(id)?.constant ?? null;

  const input = ({ id, shape: [, channels = 0, height = 0, width = 0] }: IrNode): void => {
    const chip = graph.input('chip', [1, height, width, channels]);
    normalised.set(id, { input: chip, scale: [1, 1, 1], offset: [0, 0, 0] });
  };

  /** Of the input and a constant, or of two computed maps. */
  const combination = ({ id, name, type, inputs: [first = '', second = ''] }: IrNode): void => {
    const operand = constant(second);
    const before = normalised.get(first);
    if (operand !== null && before !== undefined) normalised.set(id, combined(before, type, operand.values));
    else if (type === 'Add') values.set(id, graph.add(value(first), value(second), name));
    else values.set(id, graph.mul(value(first), value(second), name));
  };

  const convolution = (node: IrNode): void => {
    const { id, name, type, data, inputs } = node;
    const [first = '', second] = inputs;
    const normalisation = normalised.get(first) ?? null;
    const weights = constant(second) ?? fail(`${name} has no filters`);
    const [stride] = pair(data.strides);
    // The addition of a constant behind it.
    const readers = [...nodes.values()].filter((reader) => reader.inputs.includes(id));
    const bias = readers.length === 1 && readers[0]?.type === 'Add' ? constant(readers[0].inputs[1]) : null;
    const { source, padding } = padded(node, normalisation === null ? value(first) : shifted(name, normalisation));
    let made: Value;
    if (type === 'GroupConvolution') {
      const [channels = 0, , , height = 0, width = 0] = weights.shape;
      const filters = depthwiseFilters(weights, channels, height * width);
      const parameters = { name, filters, bias: biasOf(bias, channels, filters.type), stride, padding };
      made = graph.depthwiseConv2d(source, { ...parameters, shape: [1, height, width, channels] });
    } else {
      const [outputs = 0, perGroup = 0, height = 0, width = 0] = weights.shape;
      const filters = filtersOf(weights, normalisation);
      const parameters = { name, filters, bias: biasOf(bias, outputs, filters.type), stride, padding };
      made = graph.conv2d(source, { ...parameters, shape: [outputs, height, width, perGroup] });
    }
    values.set(id, made);
    if (bias !== null) values.set(readers[0]?.id ?? '', made);
  };

  /** The picture plus offset ÷ scale, RGB: the rest of the normalisation, once the filters include the scale. */
  const shifted = (name: string, { input, scale, offset }: Normalisation): Value =>
    graph.shift(input, `${name}/offset`, float32(offset.map((o, i) => o / at(scale, i)).reverse()));

  /** TFLite's SAME is the file's padding for a stride of 1, but puts the odd row of a stride of 2 at the end. */
  const padded = ({ name, data }: IrNode, x: Value) => {
    const [begin, end] = [pair(data.pads_begin), pair(data.pads_end)];
    if ([...begin, ...end].every((n) => n === 0)) return { source: x, padding: 'valid' as const };
    if (pair(data.strides)[0] === 1) return { source: x, padding: 'same' as const };
    const border = begin.map((n, i) => [n, at(end, i)] as const);
    return { source: graph.pad(x, `${name}/border`, [[0, 0], ...border, [0, 0]]), padding: 'valid' as const };
  };

  for (const node of nodes.values()) {
    const { id, name, type, inputs } = node;
    if (node.constant !== null || values.has(id)) continue;
    if (type === 'Result') return graph.build([value(inputs[0])], description);
    if (type === 'Parameter') input(node);
    else if (type === 'Add' || type === 'Multiply') combination(node);
    else if (type === 'Convolution' || type === 'GroupConvolution') convolution(node);
    else if (type === 'PReLU') {
      const x = value(inputs[0]);
      values.set(id, graph.prelu(x, name, slopesOf(constant(inputs[1]) ?? fail(`${name} has no slopes`), x)));
    } else if (type === 'Sigmoid') values.set(id, graph.logistic(value(inputs[0]), name));
    else if (type === 'AvgPool') {
      values.set(id, graph.averagePool2d(value(inputs[0]), { size: pair(node.data.kernel), stride: 1 }));
    } else fail(`the operation ${type} is not known here`);
  }
  return fail('the network has no result');
}

function combined({ input, scale, offset }: Normalisation, type: string, values: Float32Array): Normalisation {
  const of = (i: number) => at(values, values.length === 1 ? 0 : i);
  if (type === 'Add') return { input, scale, offset: offset.map((o, i) => o + of(i)) };
  return { input, scale: scale.map((s, i) => s * of(i)), offset: offset.map((o, i) => o * of(i)) };
}

/**
 * From `[out, in, y, x]` to `[out, y, x, in]`; the first filters are converted from BGR to RGB, include the input's
 * scale, and become 32-bit floats.
 */
function filtersOf({ shape, values, halves }: IrConstant, normalisation: Normalisation | null): Weights {
  const [, inputs = 0, height = 0, width = 0] = shape;
  const window = height * width;
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
  return moved({ values, halves }, (i) => from(i, i % inputs));
}

/** From `[channel, 1, 1, y, x]` to `[1, y, x, channel]`. */
const depthwiseFilters = (filters: IrConstant, channels: number, window: number): Weights =>
  moved(filters, (i) => (i % channels) * window + Math.floor(i / channels));

/** In another order: number i comes `from(i)`. */
function moved({ values, halves }: Pick<IrConstant, 'values' | 'halves'>, from: (i: number) => number): Weights {
  if (halves !== null) return { type: 'float16', values: halves.map((_, i) => at(halves, from(i))) };
  return float32(values.map((_, i) => at(values, from(i))));
}

/** 32-bit filters need a 32-bit bias, halves need halves. */
function biasOf(bias: IrConstant | null, outputs: number, type: Weights['type']): Weights {
  const { values, halves } = bias ?? { values: new Float32Array(outputs), halves: new Uint16Array(outputs) };
  return type === 'float16' && halves !== null ? { type, values: halves } : float32(values);
}

/** One for each channel, from one for all or one each. */
const slopesOf = ({ values }: IrConstant, x: Value): Weights =>
  float32(Float32Array.from({ length: x.shape[3] ?? 0 }, (_, i) => at(values, values.length === 1 ? 0 : i)));

function pair(text = ''): readonly [number, number] {
  const [a = Number.NaN, b = Number.NaN] = text.split(',').map(Number);
  return [a, b];
}

function fail(message: string): never {
  throw new Error(message);
}
