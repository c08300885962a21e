import { type FlatView, field, indirect, intVector, number, required, rootTable, tableVector } from './flat-view.ts';
import type { GraphOperator, TfliteGraph } from './graph.ts';
import { readConstant, readDequantized } from './read-constant.ts';
import {
  activation,
  arithmeticField,
  convolutionField,
  depthwiseField,
  fullyConnectedField,
  modelField,
  operatorCodeField,
  operatorField,
  operators,
  padding,
  poolField,
  softmaxField,
  subgraphField,
  tensorField,
} from './schema.ts';

const kinds = new Map<number, GraphOperator['kind'] | 'dequantize'>([
  [operators.add.code, 'add'],
  [operators.averagePool2d.code, 'average-pool'],
  [operators.conv2d.code, 'conv2d'],
  [operators.depthwiseConv2d.code, 'depthwise-conv2d'],
  [operators.dequantizeInt8.code, 'dequantize'],
  [operators.fullyConnected.code, 'fully-connected'],
  [operators.logistic.code, 'logistic'],
  [operators.maxPool2d.code, 'max-pool'],
  [operators.mul.code, 'mul'],
  [operators.pad.code, 'pad'],
  [operators.prelu.code, 'prelu'],
  [operators.softmax.code, 'softmax'],
]);

/**
 * A plain convolutional network out of a `.tflite` file. Null when the bytes are no such file, or have an operator, an option
 * or a kind of constant that is not in {@link TfliteGraph}.
 */
export function readGraph(bytes: Uint8Array): TfliteGraph | null {
  try {
    return graphOf(rootTable(bytes));
  } catch {
    // Offsets that lead out of the file, tables that are missing, what is not known here.
    return null;
  }
}

function graphOf(model: FlatView): TfliteGraph {
  // Codes first: most files that are not for us are known by them, before any constant is touched.
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
  if (kind === 'pad' || kind === 'prelu' || kind === 'logistic') return { kind, inputs, outputs };
  const fields = given ?? unknown('an operator without options');
  if (kind === 'softmax') {
    const at = field(fields, softmaxField.beta);
    if (at === null || fields.view.getFloat32(at, true) !== 1) unknown('a factor of the exponents');
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
