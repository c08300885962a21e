import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeFileSystem } from './file-system.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

// No test can cut a real disk's power, so the calls show which folders were synced.
vi.mock('node:fs/promises', { spy: true });

let root = '';
beforeEach(async () => {
  root = temporaryFolder();
  vi.mocked(open).mockClear();
});

const opened = () => vi.mocked(open).mock.calls.map(([path]) => path);

describe('a folder that is made', () => {
  it('is there after a power cut, with every parent that was made for it', async () => {
    const inner = join(root, 'a', 'b', 'c');
    await nodeFileSystem.makeDirectory(inner);
    expect(opened()).toEqual([join(root, 'a', 'b'), join(root, 'a'), root]);
    for (const folder of [inner, dirname(inner)]) expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it('is synced into its parent also where an earlier run had made it', async () => {
    await nodeFileSystem.makeDirectory(join(root, 'a'));
    vi.mocked(open).mockClear();
    await nodeFileSystem.makeDirectory(join(root, 'a'));
    expect(opened()).toEqual([root]);
  });

  it.each(['EACCES', 'EPERM'])('does not need to list the folder it stands in (%s)', async (code) => {
    vi.mocked(open).mockRejectedValueOnce(Object.assign(new Error('no'), { code }));
    await nodeFileSystem.makeDirectory(join(root, 'a'));
  });

  it('is not made where its parent can’t be synced', async () => {
    vi.mocked(open).mockRejectedValueOnce(Object.assign(new Error('disk'), { code: 'EIO' }));
    await expect(nodeFileSystem.makeDirectory(join(root, 'a'))).rejects.toThrow('disk');
  });
});
