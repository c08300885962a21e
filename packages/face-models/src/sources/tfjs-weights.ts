/**
 * Extracts a file from emscripten's packed assets (`file_packager`), which MediaPipe's packages ship as `NAME.data`
 * beside a `NAME_loader.js` that ends in `loadPackage({"files": [{"filename", "start", "end"}, …]})`.
 *
 * @param loader text of the loader, which is parsed, not run
 * @param path absolute file name inside the package
 * @returns a view of `data`
 * @throws Error if the loader has no such table or the table no such file
 */
export function readPackedAsset(loader: string, data: Uint8Array, path: string): Uint8Array {
  const table = /loadPackage\((\{"files":.*?\})\);/s.exec(loader)?.[1];
  if (table === undefined) throw new Error('the packed assets have no table of files');
  const { files } = JSON.parse(table) as { files: { filename: string; start: number; end: number }[] };
  const file = files.find(({ filename }) => filename === path);
  if (file === undefined) throw new Error(`the packed assets lack ${path}`);
  if (!(file.start >= 0 && file.start < file.end && file.end <= data.length)) {
    throw new Error(`the packed assets are shorter than their table says`);
  }
  return data.subarray(file.start, file.end);
}

/** A weight in the files of a TensorFlow.js model. */
export interface StoredWeight {
  readonly shape: readonly number[];
  /** Real values, as TensorFlow.js computes them. */
  readonly values: Float32Array;
  /** If the file stores bytes: real = scale · byte + minimum. */
  readonly quantised: { readonly bytes: Uint8Array; readonly scale: number; readonly minimum: number } | null;
}

interface ManifestWeight {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: string;
  readonly quantization?: { readonly dtype: 'uint8'; readonly scale: number; readonly min: number };
}

/**
 * Reads the weights of a TensorFlow.js model with one shard: each weight 32-bit floats, or bytes with a linear map.
 *
 * @throws Error if the files do not belong together or use another format
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
    weights.set(weight.name, stored(weight, bytes));
  }
  if (offset !== shard.length) throw new Error('the shard is longer than its manifest says');
  return weights;
}

/** Bytes per element. */
function widthOf({ name, dtype, quantization }: ManifestWeight): number {
  if (dtype === 'float32' && quantization === undefined) return 4;
  if (dtype === 'float32' && quantization?.dtype === 'uint8') return 1;
  throw new Error(`weight ${name} is of an unknown type`);
}

function stored({ shape, quantization }: ManifestWeight, bytes: Uint8Array): StoredWeight {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (quantization === undefined) {
    const values = Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
    return { shape, values, quantised: null };
  }
  const { scale, min } = quantization;
  const values = Float32Array.from(bytes, (byte) => byte * scale + min);
  return { shape, values, quantised: { bytes, scale, minimum: min } };
}
