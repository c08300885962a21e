import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineRecipes } from '../engine-spec.ts';
import { parseManifest } from '../manifest.ts';
import { sha256Hex } from '../model-bundle.ts';
import { temporaryDirectory } from '../testing/folders.ts';
import { baseModelNames, type ModelManifest } from '../types.ts';
import { compileBaseModels, readSources } from './base-models.ts';
import { prepareBundle } from './prepare-bundle.ts';

const manifestIn = async (directory: string): Promise<ModelManifest> =>
  parseManifest(await readFile(join(directory, 'manifest.json'), 'utf8'));

/** Built once for all tests that only read it or change a copy: compiling takes seconds. */
let built: string;
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'svc-face-models-'));
  expect(await prepareBundle(built)).toBe(true);
});
afterAll(() => rm(built, { recursive: true, force: true }));

async function copyOfBuilt(): Promise<string> {
  const directory = await temporaryDirectory();
  await cp(built, directory, { recursive: true });
  return directory;
}

describe('prepareBundle', () => {
  it('builds every base model with a manifest that is true', async () => {
    const { engines, models } = await manifestIn(built);
    expect(Object.keys(models)).toEqual(baseModelNames);
    expect(engines).toEqual(engineRecipes);
    for (const { file, sha256, bytes } of Object.values(models)) {
      const content = await readFile(join(built, file));
      expect(content.length).toBe(bytes);
      expect(await sha256Hex(content)).toBe(sha256);
    }
    expect(models['face-mesh']?.inputs).toEqual([
      { name: 'input_1', shape: [1, 192, 192, 3], type: 'float32', range: [0, 1] },
    ]);
    expect(models['face-embedding']?.outputs).toEqual([{ name: 'fc', shape: [1, 128], type: 'float32' }]);
    for (const { golden, outputs } of Object.values(models)) {
      const lengths = outputs.map(({ shape }) => shape.reduce((product, n) => product * n, 1));
      expect(golden.outputs.map(({ length }) => length)).toEqual(lengths);
      expect(golden.tolerance).toBeGreaterThan(0);
    }
  });

  it('does nothing when all is there', async () => {
    const before = await stat(join(built, 'manifest.json'));
    expect(await prepareBundle(built)).toBe(false);
    expect((await stat(join(built, 'manifest.json'))).mtimeMs).toBe(before.mtimeMs);
  });

  it('builds again what was damaged or removed', async () => {
    const directory = await copyOfBuilt();
    const file = (await manifestIn(directory)).models['face-mesh']?.file ?? '';
    const whole = await readFile(join(directory, file));
    await writeFile(join(directory, file), whole.subarray(1));
    expect(await prepareBundle(directory)).toBe(true);
    expect(await readFile(join(directory, file))).toEqual(whole);
  });

  it('rebuilds for other sources: removes old models, keeps other files, leaves no temporary ones', async () => {
    const directory = await copyOfBuilt();
    await writeFile(join(directory, 'stamp'), 'of other sources\n');
    await writeFile(join(directory, 'face-mesh-000000000000.tflite'), 'old');
    await writeFile(join(directory, 'somebody-elses.tflite'), 'theirs');
    expect(await prepareBundle(directory)).toBe(true);
    const files = await readdir(directory);
    expect(files).not.toContain('face-mesh-000000000000.tflite');
    expect(files).toContain('somebody-elses.tflite');
    expect(files).toHaveLength(1 + baseModelNames.length + 2);
  });

  it('gives one bundle when two build at the same time', async () => {
    const directory = await temporaryDirectory();
    await Promise.all([prepareBundle(directory), prepareBundle(directory)]);
    expect(await prepareBundle(directory)).toBe(false);
  });
});

describe('compileBaseModels', () => {
  it('gives the same bytes each time, and keeps weights that are bytes as bytes', async () => {
    const { models } = await manifestIn(built);
    for (const { name, bytes } of compileBaseModels(readSources())) {
      const before = await readFile(join(built, models[name]?.file ?? ''));
      expect(Buffer.compare(bytes, before), name).toBe(0);
      if (name.startsWith('face-embedding')) expect(bytes.length, name).toBeLessThan(6_600_000);
    }
  });
});
