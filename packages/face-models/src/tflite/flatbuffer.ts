/** A node of a FlatBuffers message: the target of an offset. */
export type FlatNode = FlatTable | FlatVector | FlatNodes;

export type FlatScalar = { readonly kind: 'i8' | 'u8' | 'i32' | 'u32' | 'f32'; readonly value: number };

/** Fields in schema order; null omits a field, so that readers use its default. */
export interface FlatTable {
  readonly kind: 'table';
  readonly fields: readonly (FlatScalar | FlatNode | null)[];
}

/** Vector of scalars as little-endian bytes; a string has a zero byte at the end. */
export interface FlatVector {
  readonly kind: 'vector';
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly alignment: number;
  readonly terminated: boolean;
}

export interface FlatNodes {
  readonly kind: 'nodes';
  readonly items: readonly FlatNode[];
}

export const i8 = (value: number): FlatScalar => ({ kind: 'i8', value });
export const i32 = (value: number): FlatScalar => ({ kind: 'i32', value });
export const u8 = (value: number): FlatScalar => ({ kind: 'u8', value });
export const u32 = (value: number): FlatScalar => ({ kind: 'u32', value });
export const f32 = (value: number): FlatScalar => ({ kind: 'f32', value });
export const table = (...fields: FlatTable['fields']): FlatTable => ({ kind: 'table', fields });
export const nodes = (items: readonly FlatNode[]): FlatNodes => ({ kind: 'nodes', items });

/** Vector of a typed array's elements, aligned to their size by default. Assumes a little-endian machine. */
export function vector(
  values: Int8Array | Uint16Array | Int32Array | Float32Array | BigInt64Array,
  alignment: number = values.BYTES_PER_ELEMENT,
): FlatVector {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { kind: 'vector', bytes, length: values.length, alignment, terminated: false };
}

export function text(value: string): FlatVector {
  const bytes = new TextEncoder().encode(value);
  return { kind: 'vector', bytes, length: bytes.length, alignment: 1, terminated: true };
}

/**
 * Serialises a message front to back (FlatBuffers binary format; https://flatbuffers.dev/internals). Offsets to
 * children are unsigned and point forwards, so a parent is written first and its slots are filled when its children are
 * written.
 *
 * @param identifier four ASCII characters
 */
export function writeFlatBuffer(root: FlatTable, identifier: string): Uint8Array {
  const out = new Output();
  out.reserve(4);
  out.bytes(new TextEncoder().encode(identifier));
  const queue: { slot: number; node: FlatNode }[] = [{ slot: 0, node: root }];
  // Breadth first: tables are together at the front, where readers access them, large data after them.
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const start = write(out, next.node, (slot, node) => queue.push({ slot, node }));
    out.patch(next.slot, start - next.slot);
  }
  return out.finish();
}

type Defer = (slot: number, node: FlatNode) => void;

function write(out: Output, node: FlatNode, defer: Defer): number {
  if (node.kind === 'table') return writeTable(out, node, defer);
  if (node.kind === 'nodes') return writeNodes(out, node, defer);
  // The first element, after the length, must be aligned.
  out.align(Math.max(4, node.alignment), 4);
  const start = out.u32(node.length);
  out.bytes(node.bytes);
  if (node.terminated) out.reserve(1);
  return start;
}

function writeNodes(out: Output, { items }: FlatNodes, defer: Defer): number {
  out.align(4);
  const start = out.u32(items.length);
  for (const item of items) defer(out.reserve(4), item);
  return start;
}

function writeTable(out: Output, { fields }: FlatTable, defer: Defer): number {
  // Position of each field in the table, after the vtable offset: largest first, so that no padding is needed.
  const offsets: number[] = fields.map(() => 0);
  let size = 4;
  for (const width of [4, 1]) {
    fields.forEach((field, i) => {
      if (field === null || widthOf(field) !== width) return;
      offsets[i] = size;
      size += width;
    });
  }
  out.align(2);
  const vtable = out.u16(4 + 2 * fields.length);
  out.u16(size);
  for (const offset of offsets) out.u16(offset);
  out.align(4);
  const start = out.reserve(size);
  out.patch(start, start - vtable);
  fields.forEach((field, i) => {
    if (field === null) return;
    const at = start + (offsets[i] ?? 0);
    if (field.kind === 'table' || field.kind === 'vector' || field.kind === 'nodes') defer(at, field);
    else out.scalar(at, field);
  });
  return start;
}

const widthOf = (field: FlatScalar | FlatNode): number => (field.kind === 'i8' || field.kind === 'u8' ? 1 : 4);

class Output {
  #bytes = new Uint8Array(1 << 16);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Writes zeros until the position `skip` bytes ahead is aligned. */
  align(alignment: number, skip = 0): void {
    this.reserve((alignment - ((this.#length + skip) % alignment)) % alignment);
  }

  reserve(size: number): number {
    const start = this.#length;
    this.#length += size;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return start;
  }

  u16(value: number): number {
    const at = this.reserve(2);
    this.#view.setUint16(at, value, true);
    return at;
  }

  u32(value: number): number {
    const at = this.reserve(4);
    this.patch(at, value);
    return at;
  }

  bytes(values: Uint8Array): void {
    const at = this.reserve(values.length);
    this.#bytes.set(values, at);
  }

  patch(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  scalar(at: number, { kind, value }: FlatScalar): void {
    if (kind === 'f32') this.#view.setFloat32(at, value, true);
    else if (kind === 'i32' || kind === 'u32') this.patch(at, value);
    else this.#view.setUint8(at, value);
  }

  finish(): Uint8Array {
    this.align(16);
    return this.#bytes.slice(0, this.#length);
  }
}
