import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeBase64 } from './base64.ts';

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
    await expect(loadCore()).rejects.toMatchObject({ code: 'core-load-failed' });
    const instantiate = () => Promise.reject(new Error('no SIMD'));
    vi.stubGlobal('WebAssembly', { instantiate });
    await expect(loadCore()).rejects.toMatchObject({ code: 'core-load-failed', cause: new Error('no SIMD') });
    vi.unstubAllGlobals();
    expect((await loadCore()).cosine(Float32Array.of(1), Float32Array.of(1))).toBe(1);
  });
});

describe('decodeBase64', () => {
  it('agrees with Buffer at every length', () => {
    for (let length = 0; length < 40; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length * 31) & 255);
      expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(bytes);
    }
  });
});
