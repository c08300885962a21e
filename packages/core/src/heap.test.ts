import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heap } from './heap.ts';
import type { WasmMemory } from './wasm-host.ts';

/** Grows by pages up to a limit, like WebAssembly memory. */
function fakeMemory(maxPages: number): WasmMemory {
  let buffer = new ArrayBuffer(65_536);
  return {
    get buffer() {
      return buffer;
    },
    grow(pages) {
      const before = buffer.byteLength / 65_536;
      if (before + pages > maxPages) throw new RangeError('too large');
      const grown = new ArrayBuffer((before + pages) * 65_536);
      new Uint8Array(grown).set(new Uint8Array(buffer));
      buffer = grown;
      return before;
    },
  };
}

describe('heap', () => {
  it('allocates aligned blocks above its base that never overlap, and wipes freed ones', () => {
    const command = fc.oneof(
      fc.record({ allocate: fc.integer({ min: 0, max: 40_000 }) }),
      fc.record({ free: fc.nat(50) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const memory = fakeMemory(200);
        const heap = new Heap(memory, 1001);
        const live: { at: number; bytes: number; mark: number }[] = [];
        let mark = 0;
        for (const step of commands) {
          if ('allocate' in step) {
            const at = heap.allocate(step.allocate);
            expect(at % 16).toBe(0);
            expect(at).toBeGreaterThanOrEqual(1001);
            mark = (mark % 255) + 1;
            heap.bytes(at, step.allocate).fill(mark);
            live.push({ at, bytes: step.allocate, mark });
          } else {
            const [block] = live.splice(step.free % Math.max(1, live.length), 1);
            if (block === undefined) continue;
            heap.free(block.at);
            expect(new Uint8Array(memory.buffer, block.at, block.bytes).every((byte) => byte === 0)).toBe(true);
          }
          for (const block of live) {
            expect(heap.bytes(block.at, block.bytes).every((byte) => byte === block.mark)).toBe(true);
          }
        }
        for (const block of live) heap.free(block.at);
        expect(heap.usedBytes).toBe(0);
        expect(new Uint8Array(memory.buffer).every((byte) => byte === 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('reuses what was freed: no growth from allocating in turns', () => {
    const memory = fakeMemory(100);
    const heap = new Heap(memory, 0);
    for (let i = 0; i < 1000; i++) {
      const blocks = [50_000, 16, 30_000].map((bytes) => heap.allocate(bytes));
      for (const block of i % 2 === 0 ? blocks : blocks.reverse()) heap.free(block);
    }
    expect(memory.buffer.byteLength).toBeLessThanOrEqual(2 * 65_536);
  });

  it('ignores a second free and unknown addresses', () => {
    const heap = new Heap(fakeMemory(2), 0);
    const first = heap.allocate(10);
    heap.free(first);
    heap.free(first);
    heap.free(12_345);
    const second = heap.allocate(10);
    const third = heap.allocate(10);
    expect(third).not.toBe(second);
  });

  it('throws when memory cannot grow, and continues to work', () => {
    const heap = new Heap(fakeMemory(2), 0);
    expect(() => heap.allocate(200_000)).toThrow(expect.objectContaining({ code: 'runtime-failed', retryable: true }));
    expect(heap.usedBytes).toBe(0);
    expect(heap.allocate(100_000)).toBe(0);
  });
});
