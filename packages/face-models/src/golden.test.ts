import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestOf, goldenInput, isGolden } from './golden.ts';
import type { TensorSpec } from './types.ts';

const golden = { inputSeed: 1, faceHeight: 0.5 };
const image = (shape: readonly number[], range: readonly [number, number]): TensorSpec => ({
  name: 'image',
  shape,
  type: 'float32',
  range,
});
const draw = (input: TensorSpec): Float32Array => goldenInput({ name: 'face-mesh', inputs: [input], golden });

describe('goldenInput', () => {
  it('is the same bytes on every machine', () => {
    const bytes = Uint8Array.from(draw(image([1, 64, 64, 3], [0, 255])));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      'e6f4898e5223dcd8eabd809fa8d873dff37e1ef42e919cefc631d533cf3d74f7',
    );
  });

  it('refuses an input that is no RGB image', () => {
    expect(() => draw(image([1, 64, 64, 1], [0, 1]))).toThrow(RangeError);
    expect(() => draw(image([1, 128], [0, 1]))).toThrow(RangeError);
  });
});

describe('isGolden', () => {
  it('refuses any single bit that changed, and a number more or less', async () => {
    const numbers = Float32Array.from({ length: 100 }, (_, i) => i / 7);
    const outputs = [numbers, Float32Array.of(0)];
    const expected = { ...golden, sha256: await digestOf(outputs) };
    expect(await isGolden(expected, outputs)).toBe(true);
    for (const at of numbers.keys()) {
      const changed = numbers.slice();
      const bits = new Uint32Array(changed.buffer);
      bits[at] = (bits[at] ?? 0) ^ 1;
      expect(await isGolden(expected, [changed, Float32Array.of(0)])).toBe(false);
    }
    for (const last of [[-0], [0, 0], []]) expect(await isGolden(expected, [numbers, last])).toBe(false);
  });
});
