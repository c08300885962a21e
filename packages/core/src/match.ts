import { FaceError } from './errors.ts';
import type { Kernel } from './kernel.ts';

/** The summation order works in groups of 16 elements; shorter ends are padded with zeros, which change no sum. */
const group = 16;

/** Elements that a vector occupies in the core's memory. */
export function paddedLength(length: number): number {
  return Math.ceil(length / group) * group;
}

/** Copies a vector into the core's memory, padded. The caller frees it. */
function placeVector(kernel: Kernel, vector: Float32Array): number {
  const padded = paddedLength(vector.length);
  const address = kernel.heap.allocate(padded * 4);
  const view = kernel.heap.floats(address, padded);
  view.set(vector);
  view.fill(0, vector.length);
  return address;
}

export function cosine(kernel: Kernel, a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length || a.length === 0) {
    throw new FaceError('invalid-argument', 'vectors must have one length, not 0');
  }
  const left = placeVector(kernel, a);
  const right = placeVector(kernel, b);
  const result = kernel.exports.cosine(left, right, paddedLength(a.length));
  kernel.heap.free(left);
  kernel.heap.free(right);
  return result;
}

export function normalise(kernel: Kernel, vector: Float32Array): boolean {
  const address = placeVector(kernel, vector);
  const status = kernel.exports.normalise(address, paddedLength(vector.length));
  vector.set(kernel.heap.floats(address, vector.length));
  kernel.heap.free(address);
  return status === 0;
}
