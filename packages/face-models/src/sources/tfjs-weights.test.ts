import { describe, expect, it } from 'vitest';
import { readPackedAsset, readTfjsWeights } from './tfjs-weights.ts';

const data = Uint8Array.of(1, 2, 3, 4, 5);
const loader = (files: readonly object[]): string =>
  `(function() { /* … */ loadPackage(${JSON.stringify({ files, remote_package_size: 5 })});\n\n })();`;

describe('readPackedAsset', () => {
  it('takes the bytes of one file', () => {
    const text = loader([
      { filename: '/a', start: 0, end: 2 },
      { filename: '/b/c', start: 2, end: 5 },
    ]);
    expect(readPackedAsset(text, data, '/b/c')).toEqual(Uint8Array.of(3, 4, 5));
  });

  it.each([
    ['no table', 'loadPackage();', '/a'],
    ['no such file', loader([{ filename: '/a', start: 0, end: 2 }]), '/b'],
    ['data cut off', loader([{ filename: '/a', start: 3, end: 6 }]), '/a'],
    ['an empty file', loader([{ filename: '/a', start: 3, end: 3 }]), '/a'],
    ['a negative start', loader([{ filename: '/a', start: -1, end: 3 }]), '/a'],
  ])('throws on %s', (_, text, path) => {
    expect(() => readPackedAsset(text, data, path)).toThrow('packed assets');
  });
});

const manifest = (weights: readonly object[], paths = ['a.bin']): string => JSON.stringify([{ paths, weights }]);
const floats = { name: 'f', shape: [2], dtype: 'float32' };
const bytes = {
  name: 'q',
  shape: [1, 3],
  dtype: 'float32',
  quantization: { dtype: 'uint8', scale: 0.5, min: -2 },
};
const shard = new Uint8Array([...new Uint8Array(Float32Array.of(1.5, -3).buffer), 0, 4, 255]);

describe('readTfjsWeights', () => {
  it('reads floats and mapped bytes one after the other', () => {
    const weights = readTfjsWeights(manifest([floats, bytes]), shard);
    expect(weights.get('f')).toEqual({ shape: [2], values: Float32Array.of(1.5, -3), quantised: null });
    expect(weights.get('q')?.values).toEqual(Float32Array.of(-2, 0, 125.5));
    expect(weights.get('q')?.quantised).toEqual({ bytes: Uint8Array.of(0, 4, 255), scale: 0.5, minimum: -2 });
  });

  it('reads from a shard that begins anywhere in its buffer', () => {
    const shifted = new Uint8Array(shard.length + 1);
    shifted.set(shard, 1);
    const weights = readTfjsWeights(manifest([floats, bytes]), shifted.subarray(1));
    expect(weights.get('f')?.values).toEqual(Float32Array.of(1.5, -3));
  });

  it.each([
    ['a short shard', manifest([floats, bytes]), shard.subarray(0, 10)],
    ['a long shard', manifest([floats]), shard],
    ['two shards', manifest([floats, bytes], ['a', 'b']), shard],
    ['an unknown type', manifest([{ ...floats, dtype: 'string' }]), shard.subarray(0, 8)],
    ['integers with a map', manifest([{ ...bytes, dtype: 'int32' }]), shard.subarray(0, 3)],
    ['an unknown map', manifest([{ ...bytes, quantization: { dtype: 'uint16', scale: 1, min: 0 } }]), shard],
  ])('throws on %s', (_, json, data) => {
    expect(() => readTfjsWeights(json, data)).toThrow(Error);
  });
});
