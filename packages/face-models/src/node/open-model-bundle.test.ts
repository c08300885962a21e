import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { engineRecipes } from '../engine-spec.ts';
import { minifasnetCalibration } from '../passive-model.ts';
import { entryFor, manifestOf } from '../testing/entry.ts';
import { temporaryDirectory } from '../testing/folders.ts';
import { baseModelNames } from '../types.ts';
import { defaultAddOnDirectory, openModelBundle } from './open-model-bundle.ts';

const bytes = Uint8Array.of(1, 2, 3);

afterEach(() => vi.unstubAllEnvs());

describe('openModelBundle', () => {
  it('reads every base model', async () => {
    const bundle = await openModelBundle({ addOnDirectory: null });
    expect(Object.keys(bundle.manifest.models)).toEqual(baseModelNames);
    for (const name of baseModelNames) {
      expect((await bundle.read(name)).length).toBe(bundle.manifest.models[name]?.bytes);
    }
    expect(bundle.has('minifasnet-v2')).toBe(false);
  });

  it('takes an absent add-on folder as no add-on', async () => {
    const directory = await temporaryDirectory();
    for (const addOnDirectory of [directory, join(directory, 'absent')]) {
      expect((await openModelBundle({ addOnDirectory })).has('minifasnet-v2')).toBe(false);
    }
  });

  it('adds the models of the add-on folder', async () => {
    const addOnDirectory = await temporaryDirectory();
    const entry = entryFor('minifasnet-v2', bytes);
    await writeFile(join(addOnDirectory, 'manifest.json'), JSON.stringify(manifestOf(entry)));
    await writeFile(join(addOnDirectory, entry.file), bytes);
    vi.stubEnv('SVC_MODELS_DIR', addOnDirectory);
    const bundle = await openModelBundle();
    expect(new Uint8Array(await bundle.read('minifasnet-v2'))).toEqual(bytes);
    expect(bundle.has('face-embedding')).toBe(true);
    expect((await openModelBundle({ addOnDirectory: null })).has('minifasnet-v2')).toBe(false);
  });

  it('adds how the scores of the add-on are read, and no engine', async () => {
    const addOnDirectory = await temporaryDirectory();
    const manifest = { ...manifestOf(), passiveLiveness: minifasnetCalibration, engines: engineRecipes.slice(1) };
    await writeFile(join(addOnDirectory, 'manifest.json'), JSON.stringify(manifest));
    const bundle = await openModelBundle({ addOnDirectory });
    expect(bundle.manifest.passiveLiveness).toEqual(minifasnetCalibration);
    expect(bundle.manifest.engines).toEqual(engineRecipes);
  });

  it('lets no add-on folder replace a base model', async () => {
    const addOnDirectory = await temporaryDirectory();
    const entry = entryFor('face-embedding', bytes);
    await writeFile(join(addOnDirectory, 'manifest.json'), JSON.stringify(manifestOf(entry)));
    await writeFile(join(addOnDirectory, entry.file), bytes);
    const bundle = await openModelBundle({ addOnDirectory });
    expect((await bundle.read('face-embedding')).length).toBeGreaterThan(bytes.length);
  });

  it('refuses a damaged manifest and misses a removed file', async () => {
    const addOnDirectory = await temporaryDirectory();
    await writeFile(join(addOnDirectory, 'manifest.json'), '{');
    await expect(openModelBundle({ addOnDirectory })).rejects.toMatchObject({ code: 'model-mismatch' });
    await writeFile(
      join(addOnDirectory, 'manifest.json'),
      JSON.stringify(manifestOf(entryFor('minifasnet-v2', bytes))),
    );
    const bundle = await openModelBundle({ addOnDirectory });
    await expect(bundle.read('minifasnet-v2')).rejects.toMatchObject({ code: 'model-missing' });
  });

  it('refuses a manifest that cannot be read', async () => {
    const addOnDirectory = await temporaryDirectory();
    await mkdir(join(addOnDirectory, 'manifest.json'));
    await expect(openModelBundle({ addOnDirectory })).rejects.toMatchObject({ code: 'model-missing' });
  });
});

describe('defaultAddOnDirectory', () => {
  it.each([
    ['/srv/models', '/data', '/srv/models'],
    ['models', '/data', '/called/from/models'],
    ['', '/data', '/data/svc/models'],
    ['', 'relative', join(homedir(), '.local/share/svc/models')],
    ['', '', join(homedir(), '.local/share/svc/models')],
  ])('with SVC_MODELS_DIR “%s” and XDG_DATA_HOME “%s”', (chosen, data, expected) => {
    vi.stubEnv('SVC_INVOKED_FROM', '/called/from');
    vi.stubEnv('SVC_MODELS_DIR', chosen);
    vi.stubEnv('XDG_DATA_HOME', data);
    expect(defaultAddOnDirectory()).toBe(expected);
  });
});
