import { afterEach, describe, expect, it, vi } from 'vitest';

describe('loadCore', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it('answers one core, however often it is asked', async () => {
    const { loadCore } = await import('./load-core.ts');
    const [first, second] = await Promise.all([loadCore(), loadCore()]);
    expect(first).toBe(second);
    expect(await loadCore()).toBe(first);
  });

  it('says where WebAssembly is missing or does not compile, and tries again later', async () => {
    const { loadCore } = await import('./load-core.ts');
    vi.stubGlobal('WebAssembly', undefined);
    await expect(loadCore()).rejects.toMatchObject({ code: 'webassembly-missing' });
    const instantiate = () => Promise.reject(new Error('no SIMD'));
    vi.stubGlobal('WebAssembly', { instantiate });
    await expect(loadCore()).rejects.toMatchObject({ code: 'core-load-failed', cause: new Error('no SIMD') });
    vi.unstubAllGlobals();
    expect((await loadCore()).cosine(Float32Array.of(1), Float32Array.of(1))).toBe(1);
  });
});
