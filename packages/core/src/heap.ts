import { FaceError } from './errors.ts';
import type { WasmMemory } from './wasm-host.ts';

const pageBytes = 65_536;
const alignment = 16;

interface Block {
  address: number;
  bytes: number;
}

/**
 * First-fit allocator over WebAssembly memory, from a base address upwards. Blocks are 16-byte aligned and not cleared
 * on allocation. Freed blocks are zeroed, since they may hold faces or keys.
 */
export class Heap {
  readonly #memory: WasmMemory;
  /** Free blocks by address, never adjacent. */
  readonly #free: Block[] = [];
  readonly #used = new Map<number, number>();
  #end: number;

  constructor(memory: WasmMemory, base: number) {
    this.#memory = memory;
    this.#end = Math.ceil(base / alignment) * alignment;
  }

  /** Bytes allocated and not freed. */
  get usedBytes(): number {
    let sum = 0;
    for (const bytes of this.#used.values()) sum += bytes;
    return sum;
  }

  /**
   * @returns address of `bytes` bytes, owned by the caller until `free`
   * @throws FaceError `runtime-failed` (retryable) if the memory cannot grow
   */
  allocate(bytes: number): number {
    const size = Math.max(alignment, Math.ceil(bytes / alignment) * alignment);
    const index = this.#free.findIndex((block) => block.bytes >= size);
    const block = this.#free[index];
    let address: number;
    if (block === undefined) {
      address = this.#extend(size);
    } else {
      address = block.address;
      block.address += size;
      block.bytes -= size;
      if (block.bytes === 0) this.#free.splice(index, 1);
    }
    this.#used.set(address, size);
    return address;
  }

  /** Allocates a block for the duration of a call; it is always wiped and freed afterwards. */
  borrow<T>(bytes: number, use: (address: number) => T): T {
    const address = this.allocate(bytes);
    try {
      return use(address);
    } finally {
      this.free(address);
    }
  }

  /** Wipes and frees a block. Freeing an address twice does nothing. */
  free(address: number): void {
    const bytes = this.#used.get(address);
    if (bytes === undefined) return;
    this.#used.delete(address);
    this.bytes(address, bytes).fill(0);
    this.#release({ address, bytes });
  }

  /** The block as bytes; valid until the next allocation, which may grow the memory. */
  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }

  /** The block as f32; valid until the next allocation. */
  floats(address: number, length: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, length);
  }

  /** Where the numbers lie in this memory; undefined if they lie elsewhere. */
  addressOf(view: Float32Array): number | undefined {
    return view.buffer === this.#memory.buffer ? view.byteOffset : undefined;
  }

  #extend(size: number): number {
    const last = this.#free[this.#free.length - 1];
    const address = last !== undefined && last.address + last.bytes === this.#end ? last.address : this.#end;
    const missing = address + size - this.#memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.#memory.grow(Math.ceil(missing / pageBytes));
      } catch (cause) {
        throw new FaceError('runtime-failed', 'the core is out of memory', { cause, retryable: true });
      }
    }
    if (address !== this.#end) this.#free.pop();
    this.#end = address + size;
    return address;
  }

  #release(block: Block): void {
    let index = this.#free.findIndex((other) => other.address > block.address);
    if (index < 0) index = this.#free.length;
    const before = this.#free[index - 1];
    const after = this.#free[index];
    if (before !== undefined && before.address + before.bytes === block.address) {
      before.bytes += block.bytes;
      if (after !== undefined && before.address + before.bytes === after.address) {
        before.bytes += after.bytes;
        this.#free.splice(index, 1);
      }
    } else if (after !== undefined && block.address + block.bytes === after.address) {
      after.address = block.address;
      after.bytes += block.bytes;
    } else {
      this.#free.splice(index, 0, block);
    }
  }
}
