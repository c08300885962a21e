import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CoreKind } from './load-core.ts';
import { wasmHost } from './wasm-host.ts';

const scalarModule = '@svc/wasm/scalar';

/** An engine that refuses every module with SIMD; it is asked about one alone. */
function withoutSimd(): void {
  vi.stubGlobal('WebAssembly', { validate: () => false, instantiate: wasmHost()?.instantiate });
}

describe('loadCore', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
    vi.doUnmock(scalarModule);
    vi.doUnmock('@svc/wasm/simd');
  });

  it('answers one core of each kind, however often it is asked', async () => {
    const { loadCore } = await import('./load-core.ts');
    const [first, second] = await Promise.all([loadCore(), loadCore()]);
    expect(first).toBe(second);
    expect(await loadCore()).toBe(first);
    const scalar = await loadCore({ kind: 'scalar' });
    expect(scalar).not.toBe(first);
    expect(await loadCore({ kind: 'scalar' })).toBe(scalar);
    expect([first.kind, scalar.kind]).toEqual(['simd', 'scalar']);
  });

  it('takes the build with SIMD in Node, and does not load the other', async () => {
    vi.doMock(scalarModule, () => {
      throw new Error('was loaded');
    });
    const { loadCore, coreKind } = await import('./load-core.ts');
    expect(coreKind()).toBe('simd');
    expect((await loadCore()).kind).toBe('simd');
  });

  it('takes the build without where there is no SIMD, and does not load the other', async () => {
    vi.doMock('@svc/wasm/simd', () => {
      throw new Error('was loaded');
    });
    withoutSimd();
    const { loadCore, coreKind } = await import('./load-core.ts');
    expect(coreKind()).toBe('scalar');
    const core = await loadCore();
    expect(core.kind).toBe('scalar');
    expect(core.cosine(Float32Array.of(3, 4), Float32Array.of(4, 3))).toBe(Math.fround(0.96));
  });

  it('says where WebAssembly is missing or does not compile, and tries again later', async () => {
    const { loadCore } = await import('./load-core.ts');
    vi.stubGlobal('WebAssembly', undefined);
    await expect(loadCore()).rejects.toMatchObject({ code: 'webassembly-missing' });
    const instantiate = () => Promise.reject(new Error('does not compile'));
    const kinds: readonly CoreKind[] = ['simd', 'scalar'];
    for (const kind of kinds) {
      vi.stubGlobal('WebAssembly', { validate: () => kind === 'simd', instantiate });
      await expect(loadCore()).rejects.toMatchObject({
        code: 'core-load-failed',
        message: expect.stringContaining(kind),
        cause: new Error('does not compile'),
      });
    }
    vi.unstubAllGlobals();
    expect((await loadCore()).cosine(Float32Array.of(1), Float32Array.of(1))).toBe(1);
  });
});
