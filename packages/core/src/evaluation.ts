import { FaceError } from './errors.ts';
import { kernelOf } from './kernel.ts';
import type { FaceCore } from './load-core.ts';
import { paddedLength } from './match.ts';

/** Many vectors in the core's memory, to compare probes with all of them. Dispose it. */
export interface Gallery {
  readonly size: number;
  readonly dimension: number;
  /**
   * Cosine of the probe against each row, in [-1, 1], with the very bits that `FaceCore.cosine` gives.
   * @param out written and returned instead of a new array; at least `size` long
   * @throws FaceError `invalid-argument` for a wrong length, and after `dispose`
   */
  cosines(probe: Float32Array, out?: Float32Array): Float32Array;
  /** Wipes the vectors out of the core's memory and frees them. Idempotent. */
  dispose(): void;
}

/**
 * Copies `rows` (size × dimension floats, packed) into the core's memory. For measuring accuracy and speed; nothing on
 * a device searches a face among many.
 * @throws FaceError `invalid-argument` when the rows are not a multiple of the dimension
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
  // One block: the norms (f64) first, then floats, of which only the last part need not be aligned.
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
