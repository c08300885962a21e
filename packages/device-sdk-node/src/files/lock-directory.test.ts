import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockDirectory } from './lock-directory.ts';

let directory = '';
/** Where this process is, as a lock says it. */
let here = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-lock-'));
  const release = await lockDirectory(directory);
  here = JSON.parse(await readFile(join(directory, 'lock.1'), 'utf8')).place;
  await release();
  await rm(join(directory, 'lock.1'));
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
    ['of a process that is gone', () => ({ pid: 2 ** 22 - 3, place: here, born: 'x 1', ticket: 'a' })],
    ['of an earlier process of this number', () => ({ pid: process.pid, place: here, born: 'x 17', ticket: 'a' })],
    ['that nobody can read', () => 'nonsense'],
  ])('%s is taken over, by one of many', async (_what, left) => {
    for (let round = 0; round < 20; round += 1) {
      await writeFile(join(directory, `lock.${100 * round + 7}`), JSON.stringify(left()));
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

  // Numbers of processes mean nothing there: this test's own is alive and is not the holder.
  describe('of a process in another container or machine', () => {
    const heartbeat = { everyMs: 20, patienceMs: 400 };
    const elsewhere = () => JSON.stringify({ pid: process.pid, place: 'other pid:[1]', born: 'x 1', ticket: 'a' });

    it('holds while it is touched', async () => {
      const lock = join(directory, 'lock.7');
      await writeFile(lock, elsewhere());
      let beats = 0;
      const living = setInterval(() => {
        beats += 1;
        void utimes(lock, beats, beats);
      }, 10);
      try {
        await expect(lockDirectory(directory, heartbeat)).rejects.toMatchObject(refused);
      } finally {
        clearInterval(living);
      }
    });

    it('is taken over, by one of many, when nobody touches it', async () => {
      await writeFile(join(directory, 'lock.7'), elsewhere());
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory, heartbeat)));
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await readdir(directory)).toEqual(['lock.8']);
    });

    it('is free once it is let go, without waiting for long', async () => {
      const lock = join(directory, 'lock.7');
      await writeFile(lock, elsewhere());
      const asking = lockDirectory(directory, { everyMs: 20, patienceMs: 3_600_000 });
      await writeFile(lock, 'free');
      await utimes(lock, 1, 1);
      await (await asking)();
    });

    it('is seen there, too, because a holder touches its lock until it lets go', async () => {
      const lock = join(directory, 'lock.1');
      const release = await lockDirectory(directory, heartbeat);
      await utimes(lock, 1, 1);
      await vi.waitFor(async () => expect((await stat(lock)).mtimeMs).toBeGreaterThan(1_000));
      await release();
      await utimes(lock, 1, 1);
      await new Promise((resolve) => setTimeout(resolve, 5 * heartbeat.everyMs));
      expect((await stat(lock)).mtimeMs).toBe(1_000);
    });

    it('holds in a process namespace of its own', async (context) => {
      const script = fileURLToPath(new URL('../testing/hold-lock.ts', import.meta.url));
      const node = [process.execPath, '--conditions=svc-source', '--import', 'tsx', script, directory];
      const child = spawn(
        'unshare',
        ['--user', '--map-root-user', '--pid', '--mount-proc', '--fork', '--kill-child', ...node],
        {
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
      const held = await Promise.race([
        once(child.stdout, 'data').then(() => true),
        once(child, 'error').then(() => false),
        once(child, 'exit').then(() => false),
      ]);
      if (!held) return context.skip('this system lets nobody make a process namespace');
      try {
        await expect(lockDirectory(directory)).rejects.toMatchObject(refused);
      } finally {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await (await lockDirectory(directory, heartbeat))();
    });
  });
});
