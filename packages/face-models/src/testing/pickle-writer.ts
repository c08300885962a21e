/** Writes the format of `torch.save` before version 1.6, and pickles of any opcodes, to test the readers. */
const utf8 = new TextEncoder();

export const bytes = (...parts: readonly (number | string | Uint8Array)[]): Uint8Array => {
  const chunks = parts.map((part) =>
    typeof part === 'number' ? Uint8Array.of(part) : typeof part === 'string' ? utf8.encode(part) : part,
  );
  const out = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
};

const uint32 = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer);
const int64 = (value: number): Uint8Array => new Uint8Array(BigInt64Array.of(BigInt(value)).buffer);

export const text = (value: string): Uint8Array => bytes('X', uint32(utf8.encode(value).length), value);
export const integer = (value: number): Uint8Array => bytes('J', uint32(value));
export const tuple = (...items: readonly Uint8Array[]): Uint8Array => bytes('(', ...items, 't');
export const pickle = (...parts: readonly (number | string | Uint8Array)[]): Uint8Array =>
  bytes(0x80, 2, ...parts, '.');
export const global = (module: string, name: string): Uint8Array => bytes('c', module, '\n', name, '\n');

export const magicPickle = pickle(0x8a, 10, Uint8Array.of(0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19));
export const versionPickle = pickle('M', Uint8Array.of(0xe9, 0x03));
export const machinePickle = pickle('}');

export interface WrittenTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset?: number;
  readonly storage: Float32Array | Uint8Array | BigInt64Array;
}

function storageType(storage: WrittenTensor['storage']): string {
  if (storage instanceof Float32Array) return 'FloatStorage';
  return storage instanceof Uint8Array ? 'ByteStorage' : 'LongStorage';
}

export function writeCheckpoint(tensors: readonly WrittenTensor[]): Uint8Array {
  const items = tensors.flatMap(({ name, shape, strides, offset = 0, storage }, i) => {
    const type = storageType(storage);
    const id = tuple(
      text('storage'),
      global('torch', type),
      text(`${i}`),
      text('cpu'),
      integer(storage.length),
      bytes('N'),
    );
    const args = [
      id,
      'Q',
      integer(offset),
      tuple(...shape.map(integer)),
      tuple(...strides.map(integer)),
      Uint8Array.of(0x89),
    ];
    return [text(name), global('torch._utils', '_rebuild_tensor_v2'), '(', ...args, 'tR'];
  });
  return bytes(
    magicPickle,
    versionPickle,
    machinePickle,
    pickle(global('collections', 'OrderedDict'), ')R(', ...items, 'u'),
    pickle('](', ...tensors.map((_, i) => text(`${i}`)), 'e'),
    ...tensors.map(({ storage }) =>
      bytes(int64(storage.length), new Uint8Array(storage.buffer, storage.byteOffset, storage.byteLength)),
    ),
  );
}
