import { FaceError } from './errors.ts';
import type { Kernel } from './kernel.ts';

/**
 * The summation works on groups of 16 elements; shorter vectors are padded with zeros, which do not change the result.
 */
const group = 16;

/** Padded length of a vector in wasm memory, floats. */
function paddedLength(length: number): number {
  return Math.ceil(length / group) * group;
}

/** Copies a vector to an address in wasm memory and pads it. */
function placeVector(kernel: Kernel, address: number, vector: Float32Array): void {
  const view = kernel.heap.floats(address, paddedLength(vector.length));
  view.set(vector);
  view.fill(0, vector.length);
}

export function cosine(kernel: Kernel, a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length || a.length === 0) {
    throw new FaceError('invalid-argument', 'vectors must have one length, not 0');
  }
  const length = paddedLength(a.length);
  return kernel.heap.borrow(length * 8, (left) => {
    const right = left + length * 4;
    placeVector(kernel, left, a);
    placeVector(kernel, right, b);
    return kernel.exports.cosine(left, right, length);
  });
}

export function normalise(kernel: Kernel, vector: Float32Array): boolean {
  const length = paddedLength(vector.length);
  return kernel.heap.borrow(length * 4, (address) => {
    placeVector(kernel, address, vector);
    const status = kernel.exports.normalise(address, length);
    vector.set(kernel.heap.floats(address, vector.length));
    return status === 0;
  });
}
