import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DurableFolder } from './durable-folder.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-durable-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('what a disk let neither take nor go', () => {
  it.each([
    ['read', (folder: DurableFolder) => folder.read('other')],
    ['written', (folder: DurableFolder) => folder.write('other', Uint8Array.of(2))],
    ['listed', (folder: DurableFolder) => folder.names()],
  ])('is gone once anything in its folder was %s', async (_what, ask) => {
    let isFailing = false;
    const fail = async () => {
      throw new Error('disk');
    };
    const fs: FileSystem = {
      ...nodeFileSystem,
      rename: (from, to) => (isFailing ? fail() : nodeFileSystem.rename(from, to)),
      zero: (path) => (isFailing ? fail() : nodeFileSystem.zero(path)),
    };
    const folder = await DurableFolder.open(fs, root);
    isFailing = true;
    await expect(folder.write('key', Uint8Array.of(1))).rejects.toThrow('disk');
    expect(await readdir(root)).toEqual(['key.tmp']);
    isFailing = false;
    await ask(folder);
    expect(await readdir(root)).not.toContain('key.tmp');
  });
});
