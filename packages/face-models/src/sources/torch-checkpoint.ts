import { type PickleCall, type PickleGlobal, type PicklePersistentId, readPickle } from './pickle.ts';

/** A tensor of a checkpoint, row-major. */
export interface TorchTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** First pickle of the format that `torch.save` wrote before version 1.6, and its version. */
const magic = 0x1950a86a20f9469cfc6cn;
const formatVersion = 1001;

type Storage = readonly ['storage', type: PickleGlobal, key: string, ...unknown[]];
/** `torch._utils._rebuild_tensor_v2(('storage', type, key, device, size, None), offset, shape, strides, …)` */
type TensorCall = PickleCall & {
  readonly args: readonly [
    PicklePersistentId & { readonly id: Storage },
    offset: number,
    shape: readonly number[],
    ...unknown[],
  ];
};

/**
 * Reads a state dictionary in PyTorch's legacy format: four pickles (magic, version, machine, state), the pickled list
 * of storage keys, then for each key its element count (64-bit) and elements, little-endian. Nothing in the file is
 * executed. The file is one whose digest is pinned: tensors are contiguous, and 32-bit floats but for counters.
 *
 * @returns the float tensors by name; integer ones, which are training counters, are left out
 * @throws Error if the file is not such a dictionary
 */
export function readTorchCheckpoint(bytes: Uint8Array): ReadonlyMap<string, TorchTensor> {
  let at = 0;
  const pickled = (): unknown => {
    const { value, end } = readPickle(bytes, at);
    at = end;
    return value;
  };
  const head = [pickled(), pickled()];
  if (head[0] !== magic || head[1] !== formatVersion) throw new Error('not a checkpoint of the legacy format');
  pickled();
  const state = [...(pickled() as ReadonlyMap<string, TensorCall>)];
  const keys = pickled() as readonly string[];
  const integers = new Set(
    state.map(([, { args }]) => args[0].id).flatMap(([, { name }, key]) => (name === 'torch.LongStorage' ? [key] : [])),
  );
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = new Map<string, number>();
  for (const key of keys) {
    starts.set(key, at + 8);
    at += 8 + Number(view.getBigInt64(at, true)) * (integers.has(key) ? 8 : 4);
  }
  if (at !== bytes.length) throw new Error('checkpoint: of another length');
  const tensors = new Map<string, TorchTensor>();
  for (const [name, { args }] of state) {
    const [{ id }, offset, shape] = args;
    if (integers.has(id[2])) continue;
    const start = (starts.get(id[2]) ?? Number.NaN) + 4 * offset;
    const length = shape.reduce((product, n) => product * n, 1);
    tensors.set(name, { shape, values: Float32Array.from({ length }, (_, i) => view.getFloat32(start + 4 * i, true)) });
  }
  return tensors;
}
