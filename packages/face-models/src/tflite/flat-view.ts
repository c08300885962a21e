import type { TensorSpec } from '../types.ts';
import { fileIdentifier, modelField, subgraphField, tensorField, tensorType } from './schema.ts';

interface TfliteSignature {
  readonly inputs: readonly TensorSpec[];
  readonly outputs: readonly TensorSpec[];
}

/**
 * Inputs and outputs of the first subgraph of a `.tflite` file.
 *
 * @throws Error for invalid bytes, or an input or output that is not of 32-bit floats
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

/** A table of a FlatBuffers message: a signed offset to its vtable, which holds the offset of each field. */
export interface FlatView {
  readonly view: DataView;
  readonly position: number;
}

/** The model's table. @throws Error unless the bytes are a `.tflite` file */
export function rootTable(bytes: Uint8Array): FlatView {
  if (String.fromCharCode(...bytes.subarray(4, 8)) !== fileIdentifier) throw new Error('not a .tflite file');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { view, position: view.getUint32(0, true) };
}

/** Position of a field; null if it has its default. */
export function field({ view, position }: FlatView, index: number): number | null {
  const vtable = position - view.getInt32(position, true);
  const slot = 4 + 2 * index;
  const offset = slot < view.getUint16(vtable, true) ? view.getUint16(vtable + slot, true) : 0;
  return offset === 0 ? null : position + offset;
}

/** A number in a table. */
export function number(table: FlatView, index: number, type: 'Int8' | 'Int32' | 'Uint32', otherwise: number): number {
  const at = field(table, index);
  if (at === null) return otherwise;
  return type === 'Int8' ? table.view.getInt8(at) : table.view[`get${type}`](at, true);
}

/** Position of a field's vector, string or table; null if there is none. */
export function indirect(table: FlatView, index: number): number | null {
  const at = field(table, index);
  return at === null ? null : at + table.view.getUint32(at, true);
}

/** Element count of the vector at `at`, with `width` bytes per element. @throws Error if it extends beyond the file */
export function countOf(view: DataView, at: number, width: number): number {
  const count = view.getUint32(at, true);
  if (at + 4 + count * width > view.byteLength) throw new Error('a vector leads out of the .tflite file');
  return count;
}

export function intVector(table: FlatView, index: number): number[] {
  const at = indirect(table, index);
  if (at === null) return [];
  return Array.from({ length: countOf(table.view, at, 4) }, (_, i) => table.view.getInt32(at + 4 + 4 * i, true));
}

export function tableVector(table: FlatView, index: number): FlatView[] {
  const { view } = table;
  const at = indirect(table, index);
  if (at === null) return [];
  return Array.from({ length: countOf(view, at, 4) }, (_, i) => {
    const slot = at + 4 + 4 * i;
    return { view, position: slot + view.getUint32(slot, true) };
  });
}

export function text(view: DataView, at: number): string {
  return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 4, view.getUint32(at, true)));
}

export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the .tflite file lacks a table');
  return value;
}
