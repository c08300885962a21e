import {
  countOf,
  type FlatView,
  field,
  indirect,
  intVector,
  number,
  required,
  rootTable,
  tableVector,
} from './flat-view.ts';
import {
  activation,
  arithmeticField,
  bufferField,
  concatenationField,
  convolutionField,
  depthwiseField,
  fullyConnectedField,
  modelField,
  operatorCodeField,
  operatorField,
  operators,
  padding,
  poolField,
  quantizationField,
  resizeField,
  softmaxField,
  subgraphField,
  tensorField,
  tensorType,
} from './schema.ts';
import { fromHalf } from './weights.ts';

/** Constants of a tensor, DEQUANTIZE applied; null for a computed tensor. */
export type GraphConstant = Float32Array | Int32Array | null;

/** A tensor of the graph. */
export interface GraphTensor {
  readonly shape: readonly number[];
  readonly constant: GraphConstant;
}

interface Operator {
  /** Tensor indices. */
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
}

interface WindowOperator extends Operator {
  readonly padding: 'same' | 'valid';
  /** In pixels, vertical and horizontal. */
  readonly strides: readonly [number, number];
  readonly activation: 'none' | 'relu';
}

/**
 * Inputs of `conv2d` and `fully-connected`: map, filters (outputs first), bias; of `depthwise-conv2d` likewise, with
 * filters `[1, height, width, channels]`; of `pad`: map, amounts; of `prelu`: map, slopes. `upsample` is bilinear, by the
 * shapes, with half-pixel centres.
 */
export type GraphOperator =
  | (WindowOperator & { readonly kind: 'conv2d' | 'depthwise-conv2d' })
  | (WindowOperator & { readonly kind: 'average-pool' | 'max-pool'; readonly size: readonly [number, number] })
  | (Operator & { readonly kind: 'fully-connected'; readonly activation: 'none' | 'relu' })
  | (Operator & { readonly kind: 'add' | 'mul'; readonly activation: 'none' | 'relu' })
  | (Operator & { readonly kind: 'pad' | 'prelu' | 'relu' | 'reshape' | 'logistic' | 'softmax' | 'upsample' })
  | (Operator & { readonly kind: 'concatenation'; readonly axis: number });

/** A `.tflite` file's first subgraph, in the order of execution. */
export interface TfliteGraph {
  readonly tensors: readonly GraphTensor[];
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly operators: readonly GraphOperator[];
}

/** Constants of 32 bits; null for a tensor without constants or with bytes. Assumes a little-endian machine. */
function readConstant(tensor: FlatView, buffers: readonly FlatView[]): GraphConstant {
  const type = number(tensor, tensorField.type, 'Int8', tensorType.float32);
  const bytes = dataOf(tensor, buffers);
  if (bytes === null || bytes.length === 0) return null;
  if (type === tensorType.float32) return new Float32Array(bytes.slice().buffer);
  return type === tensorType.int32 ? new Int32Array(bytes.slice().buffer) : null;
}

/**
 * Result of DEQUANTIZE for constants: halves keep their values, bytes become scale · (value − zero point), per tensor
 * or per index of one axis. @throws Error
 */
function readDequantized(tensor: FlatView, buffers: readonly FlatView[]): Float32Array {
  const bytes = required(dataOf(tensor, buffers) ?? undefined);
  const isHalves = number(tensor, tensorField.type, 'Int8', tensorType.float32) === tensorType.float16;
  return isHalves ? Float32Array.from(new Uint16Array(bytes.slice().buffer), fromHalf) : widen(tensor, bytes);
}

function widen(tensor: FlatView, bytes: Uint8Array): Float32Array {
  const position = required(indirect(tensor, tensorField.quantization) ?? undefined);
  if (number(tensor, tensorField.type, 'Int8', tensorType.float32) !== tensorType.int8) {
    throw new Error('constants of another type than halves and bytes');
  }
  const quantization = { view: tensor.view, position };
  const scales = elements(quantization, quantizationField.scale, 4, (view, at) => view.getFloat32(at, true));
  const zeros = elements(quantization, quantizationField.zeroPoint, 8, (view, at) =>
    Number(view.getBigInt64(at, true)),
  );
  const shape = intVector(tensor, tensorField.shape);
  const axis = number(quantization, quantizationField.axis, 'Int32', 0);
  const size = (dimensions: readonly number[]): number => dimensions.reduce((product, n) => product * n, 1);
  const isShape = shape.every((n) => n > 0) && axis >= 0 && size(shape) === bytes.length;
  const fits = scales.length === 1 || scales.length === shape[axis];
  if (!isShape || !fits || scales.length !== zeros.length) {
    throw new Error('a quantization that does not fit its tensor');
  }
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  const inner = size(shape.slice(axis + 1));
  const widened = new Float32Array(values.length);
  for (let from = 0; from < values.length; from += inner) {
    const channel = (from / inner) % scales.length;
    const scale = scales[channel] ?? 0;
    const zero = zeros[channel] ?? 0;
    for (let i = from; i < from + inner; i++) widened[i] = scale * ((values[i] ?? 0) - zero);
  }
  return widened;
}

function dataOf(tensor: FlatView, buffers: readonly FlatView[]): Uint8Array | null {
  const buffer = required(buffers[number(tensor, tensorField.buffer, 'Uint32', 0)]);
  const { view } = buffer;
  const at = indirect(buffer, bufferField.data);
  return at === null ? null : new Uint8Array(view.buffer, view.byteOffset + at + 4, view.getUint32(at, true));
}

function elements(table: FlatView, index: number, width: number, read: (view: DataView, at: number) => number) {
  const at = indirect(table, index);
  if (at === null) return [];
  return Array.from({ length: countOf(table.view, at, width) }, (_, i) => read(table.view, at + 4 + width * i));
}

const kinds = new Map<number, GraphOperator['kind'] | 'dequantize'>([
  [operators.add.code, 'add'],
  [operators.averagePool2d.code, 'average-pool'],
  [operators.concatenation.code, 'concatenation'],
  [operators.conv2d.code, 'conv2d'],
  [operators.depthwiseConv2d.code, 'depthwise-conv2d'],
  [operators.dequantizeInt8.code, 'dequantize'],
  [operators.fullyConnected.code, 'fully-connected'],
  [operators.logistic.code, 'logistic'],
  [operators.maxPool2d.code, 'max-pool'],
  [operators.mul.code, 'mul'],
  [operators.pad.code, 'pad'],
  [operators.prelu.code, 'prelu'],
  [operators.relu.code, 'relu'],
  [operators.reshape.code, 'reshape'],
  [operators.resizeBilinear.code, 'upsample'],
  [operators.softmax.code, 'softmax'],
]);

/**
 * Reads a plain convolutional network from a `.tflite` file. Null for other bytes, or an operator, option or kind of
 * constant that {@link TfliteGraph} does not support.
 */
export function readGraph(bytes: Uint8Array): TfliteGraph | null {
  try {
    return graphOf(rootTable(bytes));
  } catch {
    // Offsets beyond the file, missing tables, unsupported features.
    return null;
  }
}

function graphOf(model: FlatView): TfliteGraph {
  // Codes first: they exclude most unsupported files before any constant is read.
  const codes = tableVector(model, modelField.operatorCodes).map((code) => {
    const old = number(code, operatorCodeField.deprecatedCode, 'Int8', 0);
    return required(kinds.get(Math.max(old, number(code, operatorCodeField.code, 'Int32', 0))));
  });
  const subgraph = required(tableVector(model, modelField.subgraphs)[0]);
  const buffers = tableVector(model, modelField.buffers);
  const stored = tableVector(subgraph, subgraphField.tensors);
  const tensors = stored.map((tensor) => ({
    shape: intVector(tensor, tensorField.shape),
    constant: readConstant(tensor, buffers),
  }));
  const computed: GraphOperator[] = [];
  for (const operator of tableVector(subgraph, subgraphField.operators)) {
    const kind = required(codes[number(operator, operatorField.code, 'Uint32', 0)]);
    const inputs = intVector(operator, operatorField.inputs);
    const outputs = intVector(operator, operatorField.outputs);
    if (kind !== 'dequantize') {
      computed.push(operatorOf(kind, inputs, outputs, options(operator)));
      continue;
    }
    const [to = -1] = outputs;
    const { shape } = required(tensors[to]);
    tensors[to] = { shape, constant: readDequantized(required(stored[inputs[0] ?? -1]), buffers) };
  }
  return {
    tensors,
    inputs: intVector(subgraph, subgraphField.inputs),
    outputs: intVector(subgraph, subgraphField.outputs),
    operators: computed,
  };
}

function options(operator: FlatView): FlatView | null {
  const position = indirect(operator, operatorField.options);
  return position === null ? null : { view: operator.view, position };
}

function operatorOf(
  kind: GraphOperator['kind'],
  inputs: readonly number[],
  outputs: readonly number[],
  given: FlatView | null,
): GraphOperator {
  if (kind === 'pad' || kind === 'prelu' || kind === 'relu' || kind === 'reshape' || kind === 'logistic') {
    return { kind, inputs, outputs };
  }
  const fields = given ?? unknown('an operator without options');
  if (kind === 'concatenation') {
    if (activationOf(fields, concatenationField.activation) !== 'none') unknown('an activation');
    return { kind, inputs, outputs, axis: number(fields, concatenationField.axis, 'Int32', 0) };
  }
  if (kind === 'softmax') {
    const at = field(fields, softmaxField.beta);
    if (at === null || fields.view.getFloat32(at, true) !== 1) unknown('a factor of the exponents');
    return { kind, inputs, outputs };
  }
  if (kind === 'upsample') {
    const isHalfPixel = number(fields, resizeField.halfPixelCenters, 'Int8', 0) === 1;
    if (!isHalfPixel || number(fields, resizeField.alignCorners, 'Int8', 0) !== 0) unknown('a way of resizing');
    return { kind, inputs, outputs };
  }
  if (kind === 'add' || kind === 'mul') {
    return { kind, inputs, outputs, activation: activationOf(fields, arithmeticField.activation) };
  }
  if (kind === 'fully-connected') {
    if (number(fields, fullyConnectedField.weightsFormat, 'Int8', 0) !== 0) unknown('a format of weights');
    return { kind, inputs, outputs, activation: activationOf(fields, fullyConnectedField.activation) };
  }
  if (kind === 'conv2d') return { kind, inputs, outputs, ...convolutionOf(fields, convolutionField) };
  if (kind === 'depthwise-conv2d') {
    if (number(fields, depthwiseField.multiplier, 'Int32', 0) !== 1) unknown('several outputs a channel');
    return { kind, inputs, outputs, ...convolutionOf(fields, depthwiseField) };
  }
  const size = [number(fields, poolField.height, 'Int32', 0), number(fields, poolField.width, 'Int32', 0)] as const;
  return { kind, inputs, outputs, size, ...windowOf(fields, poolField) };
}

function convolutionOf(fields: FlatView, names: typeof convolutionField | typeof depthwiseField) {
  const dilations = [names.dilationWidth, names.dilationHeight].map((field) => number(fields, field, 'Int32', 1));
  if (dilations.some((dilation) => dilation !== 1)) unknown('a dilation');
  return windowOf(fields, names);
}

function windowOf(fields: FlatView, names: typeof convolutionField | typeof depthwiseField | typeof poolField) {
  const isSame = number(fields, names.padding, 'Int8', padding.same) === padding.same;
  return {
    padding: isSame ? ('same' as const) : ('valid' as const),
    strides: [number(fields, names.strideHeight, 'Int32', 0), number(fields, names.strideWidth, 'Int32', 0)] as const,
    activation: activationOf(fields, names.activation),
  };
}

function activationOf(fields: FlatView, index: number): 'none' | 'relu' {
  const code = number(fields, index, 'Int8', activation.none);
  if (code === activation.none) return 'none';
  return code === activation.relu ? 'relu' : unknown('an activation');
}

function unknown(what: string): never {
  throw new Error(`${what} is not known here`);
}
