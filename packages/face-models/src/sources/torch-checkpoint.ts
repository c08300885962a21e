import { type PickleCall, type PickleValue, readPickle } from './pickle.ts';

/** A tensor of a checkpoint, row-major. */
export interface TorchTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/** First pickle of the format that `torch.save` wrote before version 1.6. */
const magic = 0x1950a86a20f9469cfc6cn;
const formatVersion = 1001;
/** Bytes per element. */
const elementBytes: ReadonlyMap<string, number> = new Map([
  ['torch.FloatStorage', 4],
  ['torch.LongStorage', 8],
]);

/**
 * Reads a state dictionary in PyTorch's legacy format: four pickles (magic, version, machine, state), the pickled list
 * of storage keys, then for each key its element count (64-bit) and elements, little-endian. Nothing in the file is
 * executed.
 *
 * @returns the float tensors by name; integer ones, which are training counters, are left out
 * @throws Error if the file is not such a dictionary
 */
export function readTorchCheckpoint(bytes: Uint8Array): ReadonlyMap<string, TorchTensor> {
  const first = readPickle(bytes, 0);
  if (first.value !== magic) throw new Error('not a checkpoint of the legacy format');
  const version = readPickle(bytes, first.end);
  if (version.value !== formatVersion) throw new Error('checkpoint: unknown version');
  const machine = readPickle(bytes, version.end);
  const state = readPickle(bytes, machine.end);
  const keys = readPickle(bytes, state.end);
  if (!(state.value instanceof Map)) throw new Error('checkpoint: no state dictionary');
  const references = [...(state.value as ReadonlyMap<PickleValue, PickleValue>)].map(tensorReference);
  const storages = readStorages(bytes, keys.end, list(keys.value), references);
  return new Map(
    references
      .filter(({ type }) => type !== 'torch.LongStorage')
      .map((reference) => [reference.name, materialise(reference, storages.get(reference.key))]),
  );
}

interface TensorReference {
  readonly name: string;
  readonly type: string;
  readonly key: string;
  readonly offset: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** `torch._utils._rebuild_tensor_v2(('storage', type, key, device, size, None), offset, shape, strides, …)` */
function tensorReference([name, value]: readonly [PickleValue, PickleValue]): TensorReference {
  const [persistent, offset, shape, strides] = callOf(value, 'torch._utils._rebuild_tensor_v2').args;
  if (!isKind(persistent, 'persistent-id')) throw new Error('checkpoint: a tensor without storage');
  const [kind, type, key] = list(persistent.id);
  if (kind !== 'storage' || !isKind(type, 'global') || typeof key !== 'string' || typeof name !== 'string') {
    throw new Error('checkpoint: a tensor without storage');
  }
  return {
    name,
    type: type.name,
    key,
    offset: count(offset),
    shape: list(shape).map(count),
    strides: list(strides).map(count),
  };
}

function readStorages(
  bytes: Uint8Array,
  start: number,
  keys: readonly PickleValue[],
  references: readonly TensorReference[],
): ReadonlyMap<string, DataView> {
  const types = new Map(references.map(({ key, type }) => [key, type]));
  const storages = new Map<string, DataView>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = start;
  for (const key of keys) {
    const width = typeof key === 'string' ? elementBytes.get(types.get(key) ?? '') : undefined;
    if (typeof key !== 'string' || width === undefined) throw new Error('checkpoint: a storage of unknown type');
    if (position + 8 > bytes.length) throw new Error('checkpoint: cut off');
    const size = Number(view.getBigInt64(position, true)) * width;
    position += 8;
    if (!(size >= 0 && position + size <= bytes.length)) throw new Error('checkpoint: cut off');
    storages.set(key, new DataView(bytes.buffer, bytes.byteOffset + position, size));
    position += size;
  }
  if (position !== bytes.length) throw new Error('checkpoint: bytes after its end');
  return storages;
}

function materialise({ name, offset, shape, strides }: TensorReference, storage: DataView | undefined): TorchTensor {
  let expected = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    if (strides[d] !== expected && shape[d] !== 1) throw new Error(`checkpoint: ${name} is not contiguous`);
    expected *= shape[d] ?? 0;
  }
  if (storage === undefined || !((offset + expected) * 4 <= storage.byteLength))
    throw new Error(`checkpoint: ${name} is cut off`);
  const values = Float32Array.from({ length: expected }, (_, i) => storage.getFloat32(4 * (offset + i), true));
  return { shape, values };
}

function isKind<K extends 'global' | 'call' | 'persistent-id'>(
  value: PickleValue | undefined,
  kind: K,
): value is Extract<PickleValue, { kind: K }> {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}

function callOf(value: PickleValue, callee: string): PickleCall {
  if (!isKind(value, 'call') || value.callee !== callee) throw new Error('checkpoint: something else than a tensor');
  return value;
}

function list(value: PickleValue | undefined): readonly PickleValue[] {
  if (!Array.isArray(value)) throw new Error('checkpoint: no list');
  return value as readonly PickleValue[];
}

function count(value: PickleValue | undefined): number {
  if (typeof value !== 'number' || value < 0) throw new Error('checkpoint: no count');
  return value;
}
