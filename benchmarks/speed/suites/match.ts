import { ok } from 'node:assert/strict';
import { loadCore } from '@svc/core';
import { createGallery } from '@svc/core/evaluation';
import { pseudoRandomFloats } from '../inputs/random.ts';
import type { SuiteFactory } from '../suite.ts';

/** Unit vectors to search, packed, and the output. */
interface PlainGallery {
  readonly rows: Float32Array;
  readonly dimension: number;
  readonly out: Float32Array;
}

// `?? 0` in an inner loop costs time, so the loops go through typed array views whose element type the compiler widens,
// with `as number`, which holds for every index used.

/** The straightforward loop. */
function oneAccumulatorCosines(probe: Float32Array, { rows, dimension, out }: PlainGallery): Float32Array {
  for (let row = 0; row < out.length; row++) {
    let sum = 0;
    const start = row * dimension;
    for (let i = 0; i < dimension; i++) sum += (probe[i] as number) * (rows[start + i] as number);
    out[row] = sum;
  }
  return out;
}

/** With four independent sums, so that additions can overlap; the dimension is a multiple of 4. */
function unrolledCosines(probe: Float32Array, { rows, dimension, out }: PlainGallery): Float32Array {
  for (let row = 0; row < out.length; row++) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    const start = row * dimension;
    for (let i = 0; i < dimension; i += 4) {
      a += (probe[i] as number) * (rows[start + i] as number);
      b += (probe[i + 1] as number) * (rows[start + i + 1] as number);
      c += (probe[i + 2] as number) * (rows[start + i + 2] as number);
      d += (probe[i + 3] as number) * (rows[start + i + 3] as number);
    }
    out[row] = a + b + (c + d);
  }
  return out;
}

const dimension = 128;

/** One probe against many references, and the small kernels. */
export const createSuite: SuiteFactory = async (scale) => {
  const size = scale === 'full' ? 50_000 : 1_000;
  const core = await loadCore();
  const rows = pseudoRandomFloats(size * dimension, 1);
  for (let i = 0; i < size; i++) core.normalise(rows.subarray(i * dimension, (i + 1) * dimension));
  const probe = rows.slice(7 * dimension, 8 * dimension);
  const other = rows.slice(9 * dimension, 10 * dimension);
  const gallery = createGallery(core, rows, dimension);
  const out = new Float32Array(size);
  const plain = { rows, dimension, out };
  const exact = (row: number) =>
    Array.from({ length: dimension }).reduce<number>(
      (sum, _, i) => sum + (probe[i] ?? 0) * (rows[row * dimension + i] ?? 0),
      0,
    );
  const checkCosines = (cosines: Float32Array) => {
    ok(Math.abs((cosines[7] ?? 0) - 1) < 1e-6, 'the probe finds itself');
    for (let row = 0; row < size; row += Math.max(1, size / 500)) {
      ok(Math.abs((cosines[row] ?? 2) - exact(row)) < 1e-5, 'each cosine is the scalar product of unit vectors');
    }
  };
  const scratch = probe.slice();
  const label = `${size.toLocaleString('en')} × ${dimension}`;
  return {
    title: 'Matching',
    about: `Cosine of one probe against ${label} references, 32-bit floats; both plain loops get unit vectors and leave out the norms.`,
    cases: [
      { name: 'wasm 1:N', run: () => gallery.cosines(probe, out), check: () => checkCosines(gallery.cosines(probe)) },
      {
        name: 'plain JS 1:N, one accumulator',
        run: () => oneAccumulatorCosines(probe, plain),
        check: () => checkCosines(oneAccumulatorCosines(probe, { ...plain, out: new Float32Array(size) })),
      },
      {
        name: 'plain JS 1:N, four accumulators',
        run: () => unrolledCosines(probe, plain),
        check: () => checkCosines(unrolledCosines(probe, { ...plain, out: new Float32Array(size) })),
      },
      {
        name: 'wasm 1:1',
        run: () => core.cosine(probe, other),
        check: () => ok(Math.abs(core.cosine(probe, other) - exact(9)) < 1e-6),
      },
      {
        name: 'wasm normalise 128',
        run: () => core.normalise(scratch),
        check: () => {
          const vector = Float32Array.from({ length: dimension }, (_, i) => i);
          ok(core.normalise(vector));
          ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
        },
      },
    ],
    ratios: [
      { name: `${label}: wasm over plain JS`, fast: 'wasm 1:N', slow: 'plain JS 1:N, one accumulator', atLeast: 8 },
      { name: `${label}: wasm over unrolled plain JS`, fast: 'wasm 1:N', slow: 'plain JS 1:N, four accumulators' },
    ],
  };
};
