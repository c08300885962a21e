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
  readonly quantization?: { readonly scale: number; readonly min: number };
}

/** Reads the weights of a TensorFlow.js model with one shard: each 32-bit floats, or bytes with a linear map. */
export function readTfjsWeights(manifestJson: string, shard: Uint8Array): ReadonlyMap<string, StoredWeight> {
  const [group] = JSON.parse(manifestJson) as { weights: ManifestWeight[] }[];
  const weights = new Map<string, StoredWeight>();
  let offset = 0;
  for (const { name, shape, quantization } of group?.weights ?? []) {
    const length = shape.reduce((product, n) => product * n, 1) * (quantization === undefined ? 4 : 1);
    // A copy, so that floats are aligned (a slice of Node's Buffer is a view).
    const bytes = Uint8Array.from(shard.subarray(offset, offset + length));
    offset += length;
    if (quantization === undefined) {
      weights.set(name, { shape, values: new Float32Array(bytes.buffer), quantised: null });
      continue;
    }
    const { scale, min: minimum } = quantization;
    const values = Float32Array.from(bytes, (byte) => byte * scale + minimum);
    weights.set(name, { shape, values, quantised: { bytes, scale, minimum } });
  }
  if (offset !== shard.length) throw new Error('the shard is not the one of its manifest');
  return weights;
}
