import { describe, expect, it } from 'vitest';
import { readPackedAsset } from './packed-assets.ts';

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
