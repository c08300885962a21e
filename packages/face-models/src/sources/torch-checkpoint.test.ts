import { describe, expect, it } from 'vitest';
import {
  bytes,
  global,
  machinePickle,
  magicPickle,
  pickle,
  text,
  tuple,
  versionPickle,
  type WrittenTensor,
  writeCheckpoint,
} from '../testing/pickle-writer.ts';
import { readTorchCheckpoint } from './torch-checkpoint.ts';

const weight: WrittenTensor = {
  name: 'conv.weight',
  shape: [2, 1, 2],
  strides: [2, 2, 1],
  storage: Float32Array.of(1, -2, 3.5, 4),
};
const counter: WrittenTensor = { name: 'steps', shape: [1], strides: [1], storage: BigInt64Array.of(7n) };

describe('readTorchCheckpoint', () => {
  it('reads float tensors and leaves counters out', () => {
    expect(readTorchCheckpoint(writeCheckpoint([weight, counter]))).toEqual(
      new Map([['conv.weight', { shape: [2, 1, 2], values: Float32Array.of(1, -2, 3.5, 4) }]]),
    );
  });

  it('reads a tensor that begins inside its storage', () => {
    const inside = { ...weight, shape: [2], strides: [1], offset: 2 };
    expect(readTorchCheckpoint(writeCheckpoint([inside])).get('conv.weight')?.values).toEqual(Float32Array.of(3.5, 4));
  });

  it.each([
    ['a transposed tensor', writeCheckpoint([{ ...weight, shape: [2, 2], strides: [1, 2] }])],
    ['a tensor beyond its storage', writeCheckpoint([{ ...weight, offset: 1 }])],
    ['a storage of another type', writeCheckpoint([{ ...weight, storage: Uint8Array.of(1, 2, 3, 4) }])],
    ['bytes behind the end', bytes(writeCheckpoint([weight]), 0)],
    ['a storage cut off', writeCheckpoint([weight]).subarray(0, -1)],
    ['a zip file', bytes('PK', 3, 4, new Uint8Array(64))],
    ['another pickle first', bytes(versionPickle, versionPickle)],
    ['another version', bytes(magicPickle, pickle('K', 1))],
    ['no dictionary', bytes(magicPickle, versionPickle, machinePickle, pickle('N'), pickle(']'))],
    [
      'a call in place of a tensor',
      bytes(
        magicPickle,
        versionPickle,
        machinePickle,
        pickle('}', text('a'), global('os', 'system'), tuple(text('true')), 'Rs'),
        pickle(']'),
      ),
    ],
  ])('refuses %s', (_, file) => {
    expect(() => readTorchCheckpoint(file)).toThrow(Error);
  });

  it('ends with an error or a result on damaged files, wherever the damage is', () => {
    const file = writeCheckpoint([weight, counter]);
    let refused = 0;
    for (let at = 0; at < file.length; at++) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const damaged = file.slice();
        damaged[at] = (damaged[at] ?? 0) ^ flip;
        try {
          readTorchCheckpoint(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          refused++;
        }
      }
      expect(() => readTorchCheckpoint(file.subarray(0, at))).toThrow(Error);
    }
    expect(refused).toBeGreaterThan(file.length);
  });
});
