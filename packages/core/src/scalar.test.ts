import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { wasmHost } from './wasm-host.ts';

// Vectors and references of the core, once more. AEADs and records take a core of either kind in their own tests, and
// networks both.
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
});
