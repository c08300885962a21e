import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBinaries } from './place.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-binaries-'));
});
afterAll(() => rm(folder, { recursive: true }));

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
