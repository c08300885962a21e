import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { KernelExports } from './kernel.ts';
import { firstDifference } from './testing/compare-kernels.ts';
import { instantiateKernel } from './testing/core-binaries.ts';
import { KERNEL_NAMES } from './testing/kernel-inputs.ts';
import { wasmHost } from './wasm-host.ts';

/** `npm run test:long` sets more. */
const calls = Number(process.env.SVC_TEST_CORE_CALLS ?? 10_000);
const seeds = (count: number): number[] => Array.from({ length: count }, (_, seed) => seed);

describe('the core without SIMD', () => {
  let fast: KernelExports;
  let plain: KernelExports;
  beforeAll(async () => {
    fast = await instantiateKernel('simd');
    plain = await instantiateKernel('scalar');
  });

  it('has the same exports, all of which are compared', () => {
    const others = ['memory', 'heapBase'];
    expect(Object.keys(plain).sort()).toEqual(Object.keys(fast).sort());
    expect(Object.keys(fast).sort()).toEqual([...KERNEL_NAMES, ...others].sort());
  });

  it(`gives the same bits as the one with SIMD for ${calls} random calls`, () => {
    expect(firstDifference(fast, plain, seeds(calls))).toBeNull();
  }, 3_600_000);
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
