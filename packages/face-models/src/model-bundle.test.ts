import { describe, expect, it } from 'vitest';
import { createModelBundle } from './model-bundle.ts';
import { entryFor, manifestOf } from './testing/entry.ts';

const bytes = Uint8Array.of(1, 2, 3);
const manifest = manifestOf(entryFor('face-mesh', bytes));

describe('createModelBundle', () => {
  it('tells what it has and brings the checked bytes', async () => {
    const asked: string[] = [];
    const bundle = createModelBundle({
      manifest,
      fetch: async ({ file }) => {
        asked.push(file);
        return bytes;
      },
    });
    expect(bundle.has('face-mesh')).toBe(true);
    expect(bundle.has('minifasnet-v2')).toBe(false);
    expect(asked).toEqual([]);
    expect(await bundle.read('face-mesh')).toEqual(bytes);
    expect(asked).toEqual(['face-mesh.tflite']);
  });

  it('has no model that the manifest does not name', async () => {
    const bundle = createModelBundle({ manifest, fetch: async () => bytes });
    await expect(bundle.read('face-embedding')).rejects.toMatchObject({ name: 'ModelError', code: 'model-missing' });
  });

  it('passes on why a file cannot be fetched', async () => {
    const cause = new Error('offline');
    const bundle = createModelBundle({ manifest, fetch: () => Promise.reject(cause) });
    await expect(bundle.read('face-mesh')).rejects.toMatchObject({ code: 'model-missing', cause });
  });

  it.each([
    ['one bit', Uint8Array.of(1, 2, 2)],
    ['a byte less', Uint8Array.of(1, 2)],
    ['a byte more', Uint8Array.of(1, 2, 3, 0)],
    ['nothing', new Uint8Array(0)],
  ])('refuses bytes that differ by %s', async (_, other) => {
    const bundle = createModelBundle({ manifest, fetch: async () => other });
    await expect(bundle.read('face-mesh')).rejects.toMatchObject({ code: 'model-mismatch' });
  });
});
