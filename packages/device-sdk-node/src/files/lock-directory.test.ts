import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDirectory } from './lock-directory.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-lock-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const refused = { code: 'storage-failed', retryable: true };

describe('the lock of a directory', () => {
  it('is held by one, and free again afterwards', async () => {
    const release = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toMatchObject(refused);
    await release();
    await release();
    const again = await lockDirectory(directory);
    await release();
    await expect(lockDirectory(directory)).rejects.toMatchObject(refused);
    await again();
    expect(await readdir(directory)).toEqual(['lock.2']);
  });

  it('goes to one of many who ask at once', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => lockDirectory(directory)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    ['of a process that is gone', { pid: 2 ** 22 - 3, born: 'x 1', ticket: 'a' }],
    ['of an earlier process of this number', { pid: process.pid, born: 'another boot 17', ticket: 'a' }],
    ['that nobody can read', 'nonsense'],
  ])('%s is taken over, by one of many', async (_what, left) => {
    for (let round = 0; round < 20; round += 1) {
      await writeFile(join(directory, `lock.${100 * round + 7}`), JSON.stringify(left));
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
      const [winner, ...others] = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(others).toEqual([]);
      expect(await readdir(directory)).toEqual([`lock.${100 * round + 8}`]);
      await winner?.();
    }
  });

  it('of another process holds until it dies', async () => {
    const script = fileURLToPath(new URL('../testing/hold-lock.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=svc-source', '--import', 'tsx', script, directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      await expect(lockDirectory(directory)).rejects.toMatchObject(refused);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await (await lockDirectory(directory))();
  });
});
