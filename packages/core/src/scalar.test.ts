import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KernelExports } from './kernel.ts';
import { firstDifference } from './testing/compare-kernels.ts';
import { CORE_FILES, instantiateKernel, validates, wasmFile } from './testing/core-binaries.ts';
import { KERNEL_NAMES } from './testing/kernel-inputs.ts';
import { bulk, readModule, simd } from './testing/taint/module.ts';
import { wasmHost } from './wasm-host.ts';

/** `npm run test:long` sets more. */
const calls = Number(process.env.SVC_TEST_CORE_CALLS ?? 10_000);
const seeds = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed);

describe('the core without SIMD', () => {
  let fast: KernelExports;
  let plain: KernelExports;
  beforeAll(async () => {
    fast = await instantiateKernel(wasmFile(CORE_FILES.simd));
    plain = await instantiateKernel(wasmFile(CORE_FILES.scalar));
  });

  it('has the same exports, all of which are compared', () => {
    const others = ['memory', 'heapBase'];
    expect(Object.keys(plain).sort()).toEqual(Object.keys(fast).sort());
    expect(Object.keys(fast).sort()).toEqual([...KERNEL_NAMES, ...others].sort());
  });

  it('has no instruction that Safari 15.0 lacks', () => {
    const { functions } = readModule(wasmFile(CORE_FILES.scalar));
    const opcodes = new Set(functions.flatMap(({ code }) => code.map(({ opcode }) => opcode)));
    // All of the first version, sign extension (0xc0 to 0xc4), saturating conversions and bulk memory.
    expect([...opcodes].filter((opcode) => opcode > 0xc4 && (opcode < bulk(0) || opcode > bulk(11)))).toEqual([]);
    expect([...opcodes]).toEqual(expect.arrayContaining([0x92, 0x94, bulk(11)]));
    const vectors = readModule(wasmFile(CORE_FILES.simd)).functions.flatMap(({ code }) => code);
    expect(vectors.some(({ opcode }) => opcode === simd(228))).toBe(true);
  });

  it(`gives the same bits as the one with SIMD for ${calls} random calls`, () => {
    expect(firstDifference(fast, plain, seeds(calls))).toBeNull();
  }, 3_600_000);

  // Sum for difference, product for sum, left for right, or for and, less for greater: at twenty places each.
  it.each([
    ['f32.add', 0x92, 0x93],
    ['f32.mul', 0x94, 0x92],
    ['i64.shl', 0x86, 0x88],
    ['i64.or', 0x84, 0x83],
    ['f32.lt', 0x5d, 0x5e],
  ])('would differ with another instruction for %s', async (_name, right, wrong) => {
    const binary = wasmFile(CORE_FILES.scalar);
    const places = [...binary.keys()].filter((at) => binary[at] === right);
    const missed: number[] = [];
    let tried = 0;
    for (let i = 0; i < places.length && tried < 20; i += Math.ceil(places.length / 40)) {
      const at = places[i] ?? 0;
      const planted = binary.slice();
      planted[at] = wrong;
      // The byte was a part of something else.
      if (!validates(planted)) continue;
      tried += 1;
      const found = firstDifference(fast, await instantiateKernel(planted), seeds(8000));
      if (found === null) missed.push(at);
    }
    expect({ tried, missed }).toEqual({ tried: 20, missed: [] });
  });
});

// Vectors and references of the core, once more. AEADs and records take a core of either kind in their own tests.
describe('in an engine without SIMD', async () => {
  beforeAll(() => {
    vi.stubGlobal('WebAssembly', { validate: () => false, instantiate: wasmHost()?.instantiate });
  });
  afterAll(() => {
    vi.unstubAllGlobals();
  });
  // Fresh modules, so that these load a core of their own.
  vi.resetModules();
  const { loadCore } = await import('./index.ts');
  it('it is the one without that is tested', async () => {
    expect((await loadCore()).kind).toBe('scalar');
  });
  await import('./image.test.ts');
  await import('./match.test.ts');
  await import('./aead/wasm.test.ts');
  await import('./network/layers.test.ts');
  await import('./network/network.test.ts');
});
