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

  it('spans the input range and holds whole bytes of it', () => {
    const values = draw(image([1, 96, 96, 3], [-1, 1]));
    expect(values).toHaveLength(96 * 96 * 3);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(-1);
    expect(Math.max(...values)).toBeLessThanOrEqual(1);
    expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(1.5);
    for (const value of values)
      expect((((value + 1) / 2) * 255) % 1).toSatisfy((r: number) => r < 1e-4 || r > 1 - 1e-4);
  });

  it('differs from seed to seed and with the size of the head', () => {
    const input = image([1, 64, 64, 3], [0, 255]);
    const pictures = [draw(input), draw(input, { inputSeed: 2 }), draw(input, { faceHeight: 0.7 })];
    const hashes = pictures.map((picture) => createHash('sha256').update(Uint8Array.from(picture)).digest('hex'));
    expect(new Set(hashes).size).toBe(3);
  });

  it('refuses an input that is no RGB image', () => {
    expect(() => draw(image([1, 64, 64, 1], [0, 1]))).toThrow(RangeError);
    expect(() => draw(image([1, 128], [0, 1]))).toThrow(RangeError);
  });
});
