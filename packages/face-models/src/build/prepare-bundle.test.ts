import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineRecipes } from '../engine-spec.ts';
import { sha256Hex } from '../hash.ts';
import { parseManifest } from '../manifest.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { baseModelNames, type ModelManifest } from '../types.ts';
import { compileBaseModels, readSources } from './base-models.ts';
import { prepareBundle } from './prepare-bundle.ts';

const manifestIn = async (directory: string): Promise<ModelManifest> =>
  parseManifest(await readFile(join(directory, 'manifest.json'), 'utf8'));

describe('prepareBundle', () => {
  it('builds every base model with a manifest that is true', async () => {
    const directory = await temporaryDirectory();
    expect(await prepareBundle(directory)).toBe(true);
    const { engine, engines, models } = await manifestIn(directory);
    expect(Object.keys(models)).toEqual(baseModelNames);
    expect(engines).toEqual(engineRecipes);
    expect(engineRecipes.map(({ engineId }) => engineId)).toContain(engine.engineId);
    for (const { file, sha256, bytes } of Object.values(models)) {
      const content = await readFile(join(directory, file));
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

  it('does nothing when all is there, and builds again what was damaged or removed', async () => {
    const directory = await temporaryDirectory();
    await prepareBundle(directory);
    const before = await stat(join(directory, 'manifest.json'));
    expect(await prepareBundle(directory)).toBe(false);
    expect((await stat(join(directory, 'manifest.json'))).mtimeMs).toBe(before.mtimeMs);

    const file = (await manifestIn(directory)).models['face-mesh']?.file ?? '';
    const whole = await readFile(join(directory, file));
    await writeFile(join(directory, file), whole.subarray(1));
    expect(await prepareBundle(directory)).toBe(true);
    expect(await readFile(join(directory, file))).toEqual(whole);

    await writeFile(join(directory, 'stamp'), 'of other sources\n');
    expect(await prepareBundle(directory)).toBe(true);
  });

  it('removes a model of an older build and leaves other files and no temporary ones', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'face-mesh-000000000000.tflite'), 'old');
    await writeFile(join(directory, 'somebody-elses.tflite'), 'theirs');
    await prepareBundle(directory);
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
  it('gives the same bytes each time, and keeps weights that are bytes as bytes', () => {
    const sources = readSources();
    const [first, second] = [compileBaseModels(sources), compileBaseModels(sources)];
    const differing = first.filter(
      ({ bytes }, i) => Buffer.compare(bytes, second[i]?.bytes ?? new Uint8Array(0)) !== 0,
    );
    expect(differing).toEqual([]);
    for (const name of ['face-embedding', 'face-embedding-faceres']) {
      expect(first.find((model) => model.name === name)?.bytes.length).toBeLessThan(6_600_000);
    }
  });
});
