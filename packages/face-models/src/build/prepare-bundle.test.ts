import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineRecipes } from '../engine-spec.ts';
import { parseManifest } from '../manifest.ts';
import { sha256Hex } from '../model-bundle.ts';
import { writeModelFolder } from '../node/write-model-folder.ts';
import { temporaryDirectory } from '../testing/folders.ts';
import { GraphBuilder } from '../tflite/graph-builder.ts';
import { baseModelNames, type ModelManifest } from '../types.ts';
import { isUpToDate, prepareBundle } from './prepare-bundle.ts';

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
    // Weights that are bytes stay bytes.
    expect(models['face-embedding']?.bytes).toBeLessThan(6_600_000);
    expect(models['face-embedding']?.outputs).toEqual([{ name: 'fc', shape: [1, 128], type: 'float32' }]);
    for (const { golden } of Object.values(models)) expect(golden).toHaveProperty('sha256');
  });

  it('refuses a network that no calibration was recorded for', async () => {
    const directory = await temporaryDirectory();
    const graph = new GraphBuilder();
    const [input, about] = [graph.input('x', [1, 3]), { licence: '', origin: '' }];
    const bytes = graph.build([graph.softmax(input, 'y')], 'another');
    const model = { name: 'face-mesh', bytes, inputRange: [0, 1], ...about } as const;
    const refused = { code: 'model-mismatch', message: expect.stringContaining('no calibration of this face-mesh') };
    await expect(writeModelFolder(directory, {}, [model])).rejects.toMatchObject(refused);
    expect(await readdir(directory)).toEqual([]);
  });

  it('does nothing when all is there, of these sources', async () => {
    const before = await stat(join(built, 'manifest.json'));
    expect(await prepareBundle(built)).toBe(false);
    expect((await stat(join(built, 'manifest.json'))).mtimeMs).toBe(before.mtimeMs);
    expect(isUpToDate(built, await readFile(join(built, 'stamp'), 'utf8'))).toBe(true);
    expect(isUpToDate(built, 'of other sources\n')).toBe(false);
  });

  it('builds the same bytes again, also when two do at the same time: old models go, other files stay, none is temporary', async () => {
    const directory = await copyOfBuilt();
    const damaged = join(directory, (await manifestIn(directory)).models['face-mesh']?.file ?? '');
    await writeFile(damaged, (await readFile(damaged)).subarray(1));
    await writeFile(join(directory, 'face-mesh-000000000000.tflite'), 'old');
    await writeFile(join(directory, 'somebody-elses.tflite'), 'theirs');
    expect(await Promise.all([prepareBundle(directory), prepareBundle(directory)])).toEqual([true, true]);
    expect(await prepareBundle(directory)).toBe(false);
    const files = (await readdir(built)).sort();
    expect((await readdir(directory)).sort()).toEqual([...files, 'somebody-elses.tflite'].sort());
    for (const file of files) {
      const [before, after] = [await readFile(join(built, file)), await readFile(join(directory, file))];
      expect(before.equals(after), file).toBe(true);
    }
  });
});
