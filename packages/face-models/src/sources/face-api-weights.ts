/** A weight as face-api's files hold it. */
export interface StoredWeight {
  readonly shape: readonly number[];
  /** Real values, as face-api's own loader computes them. */
  readonly values: Float32Array;
  /** How the file stores them, when in bytes: real = scale · byte + minimum. */
  readonly quantised: { readonly bytes: Uint8Array; readonly scale: number; readonly minimum: number } | null;
}

interface ManifestWeight {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly quantization?: { readonly dtype: string; readonly scale: number; readonly min: number };
}

/**
 * Reads the weights of a TensorFlow.js model (`*-weights_manifest.json` and its shard), as `@vladmandic/face-api` ships them:
 * each weight 32-bit floats, or bytes with a linear map.
 *
 * @throws Error when the files don't belong together or hold what these models don't use
 */
export function readFaceApiWeights(manifestJson: string, shard: Uint8Array): ReadonlyMap<string, StoredWeight> {
  const groups = JSON.parse(manifestJson) as { paths: string[]; weights: ManifestWeight[] }[];
  const group = groups[0];
  if (groups.length !== 1 || group === undefined || group.paths.length !== 1)
    throw new Error('weights are not in one shard');
  const weights = new Map<string, StoredWeight>();
  let offset = 0;
  for (const { name, shape, dtype, quantization } of group.weights) {
    if (dtype !== 'float32' || (quantization !== undefined && quantization.dtype !== 'uint8')) {
      throw new Error(`weight ${name} is of an unknown type`);
    }
    const length = shape.reduce((product, n) => product * n, 1);
    const bytes = shard.subarray(offset, offset + length * (quantization === undefined ? 4 : 1));
    offset += length * (quantization === undefined ? 4 : 1);
    if (offset > shard.length) throw new Error('the shard is shorter than its manifest says');
    weights.set(name, quantization === undefined ? floats(shape, bytes) : mapped(shape, bytes, quantization));
  }
  if (offset !== shard.length) throw new Error('the shard is longer than its manifest says');
  return weights;
}

function floats(shape: readonly number[], bytes: Uint8Array): StoredWeight {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
  return { shape, values, quantised: null };
}

function mapped(
  shape: readonly number[],
  bytes: Uint8Array,
  { scale, min }: { scale: number; min: number },
): StoredWeight {
  const values = Float32Array.from(bytes, (byte) => byte * scale + min);
  return { shape, values, quantised: { bytes, scale, minimum: min } };
}
