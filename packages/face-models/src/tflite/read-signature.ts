import type { TensorSpec } from '../types.ts';
import { fileIdentifier, modelField, subgraphField, tensorField, tensorType } from './schema.ts';

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
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const identifier = String.fromCharCode(...bytes.subarray(4, 8));
  if (identifier !== fileIdentifier) throw new Error('not a .tflite file');
  const model: Table = { view, position: view.getUint32(0, true) };
  const subgraph = required(tableVector(model, modelField.subgraphs)[0]);
  const tensors = tableVector(subgraph, subgraphField.tensors);
  const specs = (field: number): TensorSpec[] =>
    intVector(subgraph, field).map((index) => tensorSpec(required(tensors[index])));
  return { inputs: specs(subgraphField.inputs), outputs: specs(subgraphField.outputs) };
}

/** A FlatBuffers table: a signed offset to its vtable, which holds the offset of each field. */
interface Table {
  readonly view: DataView;
  readonly position: number;
}

function tensorSpec(tensor: Table): TensorSpec {
  const type = field(tensor, tensorField.type);
  if ((type === null ? tensorType.float32 : tensor.view.getInt8(type)) !== tensorType.float32) {
    throw new Error('an input or output is not of 32-bit floats');
  }
  const name = indirect(tensor, tensorField.name);
  return {
    name: name === null ? '' : text(tensor.view, name),
    shape: intVector(tensor, tensorField.shape),
    type: 'float32',
  };
}

function field({ view, position }: Table, index: number): number | null {
  const vtable = position - view.getInt32(position, true);
  const slot = 4 + 2 * index;
  const offset = slot < view.getUint16(vtable, true) ? view.getUint16(vtable + slot, true) : 0;
  return offset === 0 ? null : position + offset;
}

function indirect(table: Table, index: number): number | null {
  const at = field(table, index);
  return at === null ? null : at + table.view.getUint32(at, true);
}

function intVector(table: Table, index: number): number[] {
  const at = indirect(table, index);
  if (at === null) return [];
  return Array.from({ length: table.view.getUint32(at, true) }, (_, i) => table.view.getInt32(at + 4 + 4 * i, true));
}

function tableVector(table: Table, index: number): Table[] {
  const { view } = table;
  const at = indirect(table, index);
  if (at === null) return [];
  return Array.from({ length: view.getUint32(at, true) }, (_, i) => {
    const slot = at + 4 + 4 * i;
    return { view, position: slot + view.getUint32(slot, true) };
  });
}

function text(view: DataView, at: number): string {
  return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 4, view.getUint32(at, true)));
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the .tflite file lacks a table');
  return value;
}
