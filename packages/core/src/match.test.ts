import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadCore } from './index.ts';
import { cosineReference, normaliseReference } from './testing/vector-reference.ts';

const core = await loadCore();

const invalid = expect.objectContaining({ code: 'invalid-argument' });
const floats = (length: number) =>
  fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 }), {
    minLength: length,
    maxLength: length,
  });

describe('cosine', () => {
  it('agrees with the reference for any vectors', () => {
    const pairs = fc.integer({ min: 1, max: 150 }).chain((length) => fc.tuple(floats(length), floats(length)));
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const [left, right] = [Float32Array.from(a), Float32Array.from(b)];
        expect(core.cosine(left, right)).toBe(cosineReference(left, right));
        expect(core.cosine(right, left)).toBe(core.cosine(left, right));
      }),
      { numRuns: 500 },
    );
  });

  it('is 1 for the same direction, -1 for the opposite, 0 across', () => {
    const a = Float32Array.of(3, 4, 0);
    expect(core.cosine(a, Float32Array.of(6, 8, 0))).toBe(1);
    expect(core.cosine(a, Float32Array.of(-3, -4, 0))).toBe(-1);
    expect(core.cosine(a, Float32Array.of(0, 0, 5))).toBe(0);
  });

  it('is 0 for a zero or non-finite norm', () => {
    const one = Float32Array.of(1, 1);
    for (const bad of [
      [0, 0],
      [Number.NaN, 1],
      [Number.POSITIVE_INFINITY, 1],
      [3e38, 3e38],
      [1e-30, 1e-30],
    ]) {
      expect(core.cosine(one, Float32Array.from(bad))).toBe(0);
    }
  });

  it('refuses unequal lengths and empty vectors', () => {
    expect(() => core.cosine(new Float32Array(3), new Float32Array(4))).toThrow(invalid);
    expect(() => core.cosine(new Float32Array(), new Float32Array())).toThrow(invalid);
  });
});

describe('normalise', () => {
  it.each([1, 5, 16, 100, 128])('agrees with the reference in %i elements', (length) => {
    const a = Float32Array.from({ length }, (_, i) => (((i + 1) * 7919) % 10_007) / 5003.5 - 1);
    const expected = normaliseReference(a);
    expect(core.normalise(a)).toBe(true);
    expect(a).toEqual(expected);
    expect(Math.hypot(...a)).toBeCloseTo(1, 6);
  });

  it.each([[[0, 0, 0]], [[Number.NaN, 1, 2]], [[Number.POSITIVE_INFINITY, 0, 0]], [[3e38, 3e38, 0]], [[]]])(
    'answers false and zeros for %o',
    (values) => {
      const a = Float32Array.from(values);
      expect(core.normalise(a)).toBe(false);
      expect([...a]).toEqual(values.map(() => 0));
    },
  );
});
