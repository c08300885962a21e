import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { lstat, lutimes, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tryLockFolder, withFolderLock } from './folder-lock.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

// To simulate errors of the disk and the system.
vi.mock('node:fs', { spy: true });
vi.mock('node:fs/promises', { spy: true });

class Held extends Error {}

/** @throws Held when another process holds it */
async function take(...asked: Parameters<typeof tryLockFolder>): Promise<() => Promise<void>> {
  const release = await tryLockFolder(...asked);
  if (release === null) throw new Held();
  return release;
}

let directory = '';
/** This machine and process namespace, as written in a lock. */
let here = '';
beforeEach(async () => {
  directory = temporaryFolder();
  const release = await take(directory);
  here = (await readlink(join(directory, 'lock.1'))).split(' ')[1] ?? '';
  await release();
  await rm(join(directory, 'lock.1.free'));
});
afterEach(() => vi.resetAllMocks());

/** A lock as the process with this number holds it, or left it. */
const leave = (lock: string, { pid = process.pid, place = here, born = 'x' } = {}) =>
  symlink(`${pid} ${place} ${born} a`, join(directory, lock));
const broken = (code: string) => Object.assign(new Error('disk'), { code });

/** A process number that is not in use. */
const GONE = 2 ** 22 - 3;
const missing = (): never => {
  throw broken('ENOENT');
};

const heartbeat = { everyMs: 20, patienceMs: 400 };

/** Another process, which holds the folder's lock until it is killed. */
async function holdElsewhere() {
  const script = fileURLToPath(new URL('./testing/hold-lock.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=svc-source', '--import', 'tsx', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
}

describe('the lock of a directory', () => {
  it('is held by one, and free again afterwards', async () => {
    const release = await take(directory);
    await expect(take(directory)).rejects.toBeInstanceOf(Held);
    await release();
    await release();
    const again = await take(directory);
    await release();
    await expect(take(directory)).rejects.toBeInstanceOf(Held);
    await again();
    expect(await readdir(directory)).toEqual(['lock.2.free']);
  });

  it('is taken and released on a full disk', async () => {
    vi.mocked(writeFile).mockRejectedValue(broken('ENOSPC'));
    await (await take(directory))();
    const release = await take(directory);
    await expect(take(directory)).rejects.toBeInstanceOf(Held);
    await release();
    expect(await readdir(directory)).toEqual(['lock.2.free']);
  });

  it('is a file where links are not permitted', async () => {
    vi.mocked(symlink).mockRejectedValue(broken('EPERM'));
    const release = await take(directory);
    expect((await lstat(join(directory, 'lock.1'))).isFile()).toBe(true);
    await expect(take(directory)).rejects.toBeInstanceOf(Held);
    await release();
    await (await take(directory))();
    expect(await readdir(directory)).toEqual(['lock.2.free']);
  });

  it('released since it was checked is not taken at an outdated turn', async () => {
    const first = await take(directory);
    // Another process takes and releases the lock between this one's check and its attempt.
    vi.mocked(symlink).mockImplementationOnce(async (holder, path) => {
      await (await take(directory))();
      await symlink(holder, path);
    });
    await first();
    const late = await take(directory);
    expect(await readdir(directory)).toEqual(['lock.3']);
    await late();
  });

  it('goes to one of many who ask at once', async () => {
    const asked = await Promise.allSettled(Array.from({ length: 12 }, () => take(directory)));
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    ['of a process that is gone', { pid: GONE }],
    ['of an earlier process of this number', {}],
    ['with an unreadable holder', { place: 'of some thing' }],
  ])('%s is taken over, by one of many', async (_what, left) => {
    for (let round = 0; round < 20; round += 1) {
      await leave(`lock.${100 * round + 7}`, left);
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => take(directory)));
      const [winner, ...others] = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(others).toEqual([]);
      expect(await readdir(directory)).toEqual([`lock.${100 * round + 8}`]);
      await winner?.();
    }
  });

  it('of another process holds until it dies', async () => {
    const kill = await holdElsewhere();
    try {
      await expect(take(directory)).rejects.toBeInstanceOf(Held);
    } finally {
      await kill();
    }
    await (await take(directory))();
  });

  const tellNothing = () => {
    vi.mocked(readFileSync).mockImplementation(missing);
    vi.mocked(readlinkSync).mockImplementation(missing);
  };
  /** As systemd's ProtectProc= does for a unit in a user namespace of its own. */
  const hideOthers = async () => {
    const { readFileSync: read } = await vi.importActual<typeof import('node:fs')>('node:fs');
    vi.mocked(readFileSync).mockImplementation((path, options) =>
      path === `/proc/${process.ppid}/stat` ? missing() : read(path, options),
    );
  };

  // Process numbers mean nothing in another place: one number is unused here but a holder there, the other the reverse.
  describe.each([
    { where: 'in another container or machine', hide: () => undefined, of: { place: 'other' } },
    { where: 'where no system tells anything of itself', hide: tellNothing, of: { place: '', born: '' } },
    { where: 'that the system hides', hide: hideOthers, of: { pid: process.ppid } },
  ])('of a process $where', ({ hide, of }) => {
    beforeEach(hide);

    it('holds while it is touched', async () => {
      const lock = join(directory, 'lock.7');
      await leave('lock.7', { pid: GONE, ...of });
      let beats = 0;
      const living = setInterval(() => {
        beats += 1;
        void lutimes(lock, beats, beats);
      }, 10);
      onTestFinished(() => clearInterval(living));
      // As patient as a busy machine may make the holder late.
      await expect(take(directory, { ...heartbeat, patienceMs: 60_000 })).rejects.toBeInstanceOf(Held);
    });

    it('is taken over, by one of many, when it is not touched', async () => {
      await leave('lock.7', { pid: process.ppid, ...of });
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => take(directory, heartbeat)));
      expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await readdir(directory)).toEqual(['lock.8']);
    });
  });

  describe('towards another container or machine', () => {
    it('is seen there, too, because a holder touches its lock until it lets go', async () => {
      const lock = join(directory, 'lock.1');
      const release = await take(directory, heartbeat);
      await lutimes(lock, 1, 1);
      await vi.waitFor(async () => expect((await lstat(lock)).mtimeMs).toBeGreaterThan(1_000), 30_000);
      await release();
      await lutimes(`${lock}.free`, 1, 1);
      await new Promise((resolve) => setTimeout(resolve, 5 * heartbeat.everyMs));
      expect((await lstat(`${lock}.free`)).mtimeMs).toBe(1_000);
    });
  });
});

describe('work under the lock of a folder', () => {
  it('is done by one at a time, in this process', async () => {
    let [running, most, done] = [0, 0, 0];
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      done += 1;
    };
    await Promise.all(Array.from({ length: 6 }, () => withFolderLock(directory, work)));
    expect([most, done]).toEqual([1, 6]);
  });

  it('lets the folder go when it fails', async () => {
    const cause = broken('EIO');
    await expect(withFolderLock(directory, () => Promise.reject(cause))).rejects.toBe(cause);
    await (await take(directory))();
  });
});
