import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Piscina } from 'piscina';
import { afterAll, beforeAll, expect, it } from 'vitest';

const FILENAME = fileURLToPath(new URL('./thread.cjs', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-thread-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function moduleOf(name: string, source: string): Promise<string> {
  await writeFile(join(folder, name), source);
  return pathToFileURL(join(folder, name)).href;
}

it('does the work of the module that it is given', async () => {
  const module = await moduleOf(
    'work.mjs',
    'export const warmUp = () => null;\nexport const seal = (task) => [task];\nexport const drawLogo = (image) => [image];\n',
  );
  const pool = new Piscina({ filename: FILENAME, minThreads: 1, maxThreads: 1, workerData: { module } });
  expect(await pool.run(null, { name: 'warmUp' })).toBeNull();
  expect(await pool.run('photo', { name: 'seal' })).toEqual(['photo']);
  expect(await pool.run('image', { name: 'drawLogo' })).toEqual(['image']);
  await pool.destroy();
});

it('rejects its tasks when the module does not load', async () => {
  const module = await moduleOf('broken.mjs', 'throw new Error("no models");\n');
  const pool = new Piscina({ filename: FILENAME, minThreads: 1, maxThreads: 1, workerData: { module } });
  await expect(pool.run(null, { name: 'warmUp' })).rejects.toThrow('no models');
  await pool.destroy();
});
