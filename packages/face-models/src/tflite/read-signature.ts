import type { TensorSpec } from '../types.ts';
import { type FlatView, indirect, intVector, number, required, rootTable, tableVector, text } from './flat-view.ts';
import { modelField, subgraphField, tensorField, tensorType } from './schema.ts';

export interface TfliteSignature {
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
}

/**
 * Inputs and outputs of the first subgraph of a `.tflite` file.
 *
 * @throws Error when the bytes are no such file or a tensor at its border is not of 32-bit floats
 */
export function readSignature(bytes: Uint8Array): TfliteSignature {
  const subgraph = required(tableVector(rootTable(bytes), modelField.subgraphs)[0]);
  const tensors = tableVector(subgraph, subgraphField.tensors);
  const specs = (field: number): TensorSpec[] =>
    intVector(subgraph, field).map((index) => tensorSpec(required(tensors[index])));
  return { inputs: specs(subgraphField.inputs), outputs: specs(subgraphField.outputs) };
}

function tensorSpec(tensor: FlatView): TensorSpec {
  if (number(tensor, tensorField.type, 'Int8', tensorType.float32) !== tensorType.float32) {
    throw new Error('an input or output is not of 32-bit floats');
  }
  const name = indirect(tensor, tensorField.name);
  return {
    name: name === null ? '' : text(tensor.view, name),
    shape: intVector(tensor, tensorField.shape),
    type: 'float32',
  };
}
