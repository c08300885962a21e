import { fromHalf } from './half.ts';

/** A weight as a TensorFlow.js model's files hold it. */
export interface StoredWeight {
  readonly shape: readonly number[];
  /** Real values, as TensorFlow.js computes them. */
  readonly values: Float32Array;
  /** How the file stores them, when in bytes: real = scale · byte + minimum. */
  readonly quantised: { readonly bytes: Uint8Array; readonly scale: number; readonly minimum: number } | null;
  /** How the file stores them, when in 16-bit floats: the bits. */
  readonly halves: Uint16Array | null;
}

interface ManifestWeight {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly quantization?:
    | { readonly dtype: 'uint8'; readonly scale: number; readonly min: number }
    | { readonly dtype: 'float16' };
}

/** The part of a graph model's `.json` that says where its weights are. @throws Error when it has none */
export function graphModelWeightsManifest(modelJson: string): string {
  const { weightsManifest } = JSON.parse(modelJson) as { weightsManifest?: unknown };
  if (weightsManifest === undefined) throw new Error('the model has no manifest of weights');
  return JSON.stringify(weightsManifest);
}

/**
 * Reads the weights of a TensorFlow.js model, a manifest of one shard: each weight 32-bit floats, 16-bit floats, or bytes with a
 * linear map. Integers, which are arguments of operators and no weights, are passed over.
 *
 * @throws Error when the files don't belong together or hold what these models don't use
 */
export function readTfjsWeights(manifestJson: string, shard: Uint8Array): ReadonlyMap<string, StoredWeight> {
  const groups = JSON.parse(manifestJson) as { paths: string[]; weights: ManifestWeight[] }[];
  const group = groups[0];
  if (groups.length !== 1 || group === undefined || group.paths.length !== 1)
    throw new Error('weights are not in one shard');
  const weights = new Map<string, StoredWeight>();
  let offset = 0;
  for (const weight of group.weights) {
    const length = weight.shape.reduce((product, n) => product * n, 1) * widthOf(weight);
    const bytes = shard.subarray(offset, offset + length);
    offset += length;
    if (offset > shard.length) throw new Error('the shard is shorter than its manifest says');
    if (weight.dtype === 'float32') weights.set(weight.name, stored(weight, bytes));
  }
  if (offset !== shard.length) throw new Error('the shard is longer than its manifest says');
  return weights;
}

/** Bytes of an element. */
function widthOf({ name, dtype, quantization }: ManifestWeight): number {
  const kind = dtype === 'float32' ? (quantization?.dtype ?? 'float32') : dtype;
  const isKnown = dtype === 'float32' || quantization === undefined;
  const width = isKnown ? { float32: 4, float16: 2, uint8: 1, int32: 4 }[kind] : undefined;
  if (width === undefined) throw new Error(`weight ${name} is of an unknown type`);
  return width;
}

function stored({ shape, quantization }: ManifestWeight, bytes: Uint8Array): StoredWeight {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (quantization === undefined) {
    const values = Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
    return { shape, values, quantised: null, halves: null };
  }
  if (quantization.dtype === 'float16') {
    const halves = new Uint16Array(bytes.length / 2);
    const values = new Float32Array(halves.length);
    for (let i = 0; i < halves.length; i++) {
      const bits = view.getUint16(2 * i, true);
      halves[i] = bits;
      values[i] = fromHalf(bits);
    }
    return { shape, values, quantised: null, halves };
  }
  const { scale, min } = quantization;
  const values = Float32Array.from(bytes, (byte) => byte * scale + min);
  return { shape, values, quantised: { bytes, scale, minimum: min }, halves: null };
}
