import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { goldenInput } from './golden-input.ts';
import type { GoldenOutput, TensorSpec } from './types.ts';

const recipe: GoldenOutput = { inputSeed: 1, faceHeight: 0.5, tolerance: 0, outputs: [] };
const image = (shape: readonly number[], range: readonly [number, number]): TensorSpec => ({
  name: 'image',
  shape,
  type: 'float32',
  range,
});
const draw = (input: TensorSpec, golden: Partial<GoldenOutput> = {}): Float32Array =>
  goldenInput({ name: 'face-mesh', inputs: [input], golden: { ...recipe, ...golden } });

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
