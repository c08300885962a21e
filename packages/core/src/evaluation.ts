import { FaceError } from './errors.ts';
import { kernelOf } from './kernel.ts';
import type { FaceCore } from './load-core.ts';
import { paddedLength } from './match.ts';

/** Vectors in wasm memory, to compare with probes. Owned and disposed by the caller. */
export interface Gallery {
  readonly size: number;
  readonly dimension: number;
  /**
   * Cosine of the probe with each row, in [-1, 1], bit-identical to `FaceCore.cosine`.
   * @param out output buffer instead of a new array; at least `size` long
   * @throws FaceError `invalid-argument` for a wrong length, and after `dispose`
   */
  cosines(probe: Float32Array, out?: Float32Array): Float32Array;
  /** Wipes and frees the vectors. Idempotent. */
  dispose(): void;
}

/**
 * Copies `rows` (size × dimension floats, packed) into wasm memory. For measuring accuracy and speed; devices never
 * search a face among many.
 * @throws FaceError `invalid-argument` if the length of `rows` is not a multiple of `dimension`
 */
export function createGallery(core: FaceCore, rows: Float32Array, dimension: number): Gallery {
  const kernel = kernelOf(core);
  if (kernel === undefined) throw new FaceError('invalid-argument', 'core must come from loadCore');
  if (!Number.isInteger(dimension) || dimension <= 0 || rows.length % dimension !== 0) {
    throw new FaceError('invalid-argument', 'rows must be a multiple of the dimension');
  }
  const { heap, exports } = kernel;
  const size = rows.length / dimension;
  const stride = paddedLength(dimension);
  // One block: the norms (f64), the padded probe and rows, then the results, which need no alignment.
  const norms = heap.allocate(size * 8 + 8 + (size + 1) * stride * 4 + size * 4);
  const probeAt = norms + Math.ceil(size / 2) * 16;
  const matrix = probeAt + stride * 4;
  const result = matrix + size * stride * 4;
  const view = heap.floats(matrix, size * stride);
  if (stride === dimension) {
    view.set(rows);
  } else {
    view.fill(0);
    for (let i = 0; i < size; i++) view.set(rows.subarray(i * dimension, (i + 1) * dimension), i * stride);
  }
  exports.rowNorms(matrix, size, stride, norms);
  let disposed = false;
  return {
    size,
    dimension,
    cosines(probe, out = new Float32Array(size)) {
      if (disposed) throw new FaceError('invalid-argument', 'the gallery was disposed');
      if (probe.length !== dimension || out.length < size) {
        throw new FaceError('invalid-argument', 'probe or out has the wrong length');
      }
      const place = heap.floats(probeAt, stride);
      place.set(probe);
      place.fill(0, dimension);
      exports.rowCosines(probeAt, matrix, norms, size, stride, result);
      out.set(heap.floats(result, size));
      return out;
    },
    dispose() {
      if (disposed) return;
      disposed = true;
      heap.free(norms);
    },
  };
}
