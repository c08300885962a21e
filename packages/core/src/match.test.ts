import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGallery } from './evaluation.ts';
import { type FaceCore, loadCore } from './index.ts';
import { kernelOf } from './kernel.ts';
import { cosineReference, normaliseReference } from './testing/vector-reference.ts';

let core: FaceCore;
beforeAll(async () => {
  core = await loadCore();
});

/** Deterministic, uneven values in [-1, 1). */
function vector(length: number, seed: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => (((i + 1) * 7919 * (seed * 2 + 1)) % 10_007) / 5003.5 - 1);
}

const invalid = expect.objectContaining({ code: 'invalid-argument' });
const floats = (length: number) =>
  fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 }), {
    minLength: length,
    maxLength: length,
  });

describe('cosine', () => {
  it.each([1, 2, 3, 15, 16, 17, 31, 32, 127, 128, 512, 1000])('agrees with the reference in %i elements', (length) => {
    for (let seed = 0; seed < 20; seed++) {
      const [a, b] = [vector(length, seed), vector(length, seed + 100)];
      expect(core.cosine(a, b)).toBe(cosineReference(a, b));
    }
  });

  it('agrees with the reference for any vectors', () => {
    const pairs = fc.integer({ min: 1, max: 70 }).chain((length) => fc.tuple(floats(length), floats(length)));
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
    for (let seed = 0; seed < 20; seed++) {
      const a = vector(length, seed);
      const expected = normaliseReference(a);
      expect(core.normalise(a)).toBe(true);
      expect(a).toEqual(expected);
      expect(Math.hypot(...a)).toBeCloseTo(1, 6);
    }
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

describe('gallery', () => {
  it.each([
    [0, 16],
    [1, 16],
    [2, 128],
    [7, 128],
    [10, 5],
    [33, 130],
  ])('%i rows of %i give what cosine gives, bit for bit', (size, dimension) => {
    const rows = vector(size * dimension, 3);
    const gallery = createGallery(core, rows, dimension);
    const probe = vector(dimension, 8);
    const got = gallery.cosines(probe);
    expect([gallery.size, gallery.dimension, got.length]).toEqual([size, dimension, size]);
    for (let i = 0; i < size; i++) {
      expect(got[i]).toBe(core.cosine(probe, rows.slice(i * dimension, (i + 1) * dimension)));
    }
    gallery.dispose();
  });

  it('gives rows without direction 0', () => {
    const gallery = createGallery(core, Float32Array.of(0, 0, 1, 0, Number.NaN, 1), 2);
    expect([...gallery.cosines(Float32Array.of(1, 0))]).toEqual([0, 1, 0]);
    gallery.dispose();
  });

  it('writes into the buffer it is given', () => {
    const gallery = createGallery(core, vector(32, 1), 16);
    const out = new Float32Array(3).fill(9);
    expect(gallery.cosines(vector(16, 2), out)).toBe(out);
    expect(out[2]).toBe(9);
    expect(() => gallery.cosines(vector(16, 2), new Float32Array(1))).toThrow(invalid);
    gallery.dispose();
  });

  it('refuses what does not fit, and everything once disposed', () => {
    expect(() => createGallery(core, new Float32Array(5), 2)).toThrow(invalid);
    for (const dimension of [0, -1, 1.5])
      expect(() => createGallery(core, new Float32Array(4), dimension)).toThrow(invalid);
    expect(() => createGallery({ ...core }, new Float32Array(4), 2)).toThrow(invalid);
    const gallery = createGallery(core, new Float32Array(4), 2);
    expect(() => gallery.cosines(new Float32Array(3))).toThrow(invalid);
    gallery.dispose();
    gallery.dispose();
    expect(() => gallery.cosines(new Float32Array(2))).toThrow(invalid);
    expect(kernelOf(core)?.heap.usedBytes).toBe(0);
  });
});
