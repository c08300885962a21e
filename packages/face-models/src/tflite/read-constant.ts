import { fromHalf } from '../sources/half.ts';
import { countOf, type FlatView, indirect, intVector, number, required } from './flat-view.ts';
import type { GraphConstant } from './graph.ts';
import { bufferField, quantizationField, tensorField, tensorType } from './schema.ts';

/** Constants of 32 bits; null for a tensor that has none or holds bytes. The machine is taken to be little-endian. */
export function readConstant(tensor: FlatView, buffers: readonly FlatView[]): GraphConstant {
  const type = number(tensor, tensorField.type, 'Int8', tensorType.float32);
  const bytes = dataOf(tensor, buffers);
  if (bytes === null || bytes.length === 0) return null;
  if (type === tensorType.float32) return new Float32Array(bytes.slice().buffer);
  return type === tensorType.int32 ? new Int32Array(bytes.slice().buffer) : null;
}

/**
 * What DEQUANTIZE makes of constant halves, the same numbers, and of bytes: scale · (value − zero point), by tensor or by index of
 * one axis. @throws Error
 */
export function readDequantized(tensor: FlatView, buffers: readonly FlatView[]): Float32Array {
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
