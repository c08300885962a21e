import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePassable } from './place.ts';

let folder: string;
let umask: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-place-'));
  umask = process.umask(0o077);
});
afterEach(async () => {
  process.umask(umask);
  await rm(folder, { recursive: true });
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
