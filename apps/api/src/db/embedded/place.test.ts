import { execFile } from 'node:child_process';
import { chown, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findBinaries, makePassable, makeSocketDirectory, preparePlace } from './place.ts';

describe('place', () => {
  let folder: string;
  let umask: number;

  beforeEach(async () => {
    folder = temporaryFolder();
    umask = process.umask(0o077);
  });
  afterEach(async () => {
    process.umask(umask);
    vi.unstubAllEnvs();
  });

  const modeOf = async (...names: string[]) => (await stat(join(folder, ...names))).mode & 0o777;

  it('lets every user through what it makes, under the strictest umask', async () => {
    await makePassable(join(folder, 'a', 'b', 'c'));
    expect(await Promise.all([modeOf('a'), modeOf('a', 'b'), modeOf('a', 'b', 'c')])).toEqual([0o755, 0o755, 0o755]);
    expect(await modeOf()).toBe(0o700);
  });

  it('opens a folder that is there and was closed, and nothing above it', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await makePassable(join(folder, 'a', 'b'));
    expect([await modeOf('a'), await modeOf('a', 'b')]).toEqual([0o700, 0o755]);
  });

  it('takes no link for the socket’s folder, which lies where everybody may write when its own path is too long', async () => {
    vi.stubEnv('TMPDIR', folder);
    const state = join(folder, 'x'.repeat(100));
    const made = await makeSocketDirectory(state, null);
    expect([dirname(made), (await stat(made)).mode & 0o777]).toEqual([folder, 0o700]);
    expect(await makeSocketDirectory(state, null)).toBe(made);
    await rm(made, { recursive: true });
    await mkdir(join(folder, 'elsewhere'));
    await symlink(join(folder, 'elsewhere'), made);
    await expect(makeSocketDirectory(state, null)).rejects.toThrow('another user');
  });

  it('a cluster stays the user’s that it was made for', async () => {
    const data = join(folder, 'data');
    const first = await preparePlace(data);
    if (first.user === null) {
      expect(first.stateDirectory).toBe(join(data, 'postgres'));
      return;
    }
    const another = { uid: first.user.uid + 1, gid: first.user.gid };
    for (const directory of [first.stateDirectory, first.socketDirectory]) {
      await chown(directory, another.uid, another.gid);
    }
    onTestFinished(() => rm(first.stateDirectory, { recursive: true }));
    expect(await preparePlace(data)).toEqual({ ...first, user: another });
  });
});

describe('binaries', () => {
  const folder = temporaryFolder();

  it('finds programs that run where they are', async () => {
    const { postgres } = await findBinaries(null);
    const { stdout } = await promisify(execFile)(postgres, ['--version']);
    expect(stdout).toMatch(/^postgres \(PostgreSQL\) \d+/);
  });

  it('copies them once, whole, for every user to run, also when asked by several at once under a strict umask', async () => {
    const umask = process.umask(0o077);
    const found = await Promise.all([findBinaries(folder), findBinaries(folder), findBinaries(folder)]);
    process.umask(umask);
    expect(new Set(found.map((binaries) => binaries.initdb)).size).toBe(1);
    expect(await readdir(folder)).toHaveLength(1);
    const initdb = found[0]?.initdb ?? '';
    for (const path of [initdb, dirname(initdb), join(dirname(initdb), '..', 'share')]) {
      expect((await stat(path)).mode & 0o055).toBe(0o055);
    }
    const { stdout } = await promisify(execFile)(initdb, ['--version']);
    expect(stdout).toMatch(/^initdb \(PostgreSQL\) \d+/);
  });
});
