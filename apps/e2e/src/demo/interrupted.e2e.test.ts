import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { expect, it, onTestFinished } from 'vitest';

const source = ['--conditions=svc-source', '--import', 'tsx'];
const cases = ['src/demo/main.ts', 'src/dashboard/demo.ts'].flatMap((program) =>
  ['a signal', 'the end of its parent'].flatMap((by) => [0, 3_000].map((ms) => ({ program, by, ms }))),
);

it.each(cases)(
  '$program, interrupted by $by $ms ms after its database, leaves nothing',
  async ({ program, by, ms }) => {
    const folder = temporaryFolder();
    // A parent that tells its child's id and waits.
    const shell = ['-c', '"$@" & echo $! >&2; wait', 'sh', process.execPath, ...source, program];
    const options = { cwd: join(import.meta.dirname, '../..'), env: { ...process.env, TMPDIR: folder } };
    const parent = spawn('/bin/sh', shell, options);
    let said = '';
    parent.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const child = Number(String(await once(parent.stderr, 'data')));
    onTestFinished(() => void (isRunning(child) && process.kill(child, 'SIGKILL')));

    const find = async (name: string) =>
      (await readdir(folder, { recursive: true })).find((path) => path.endsWith(name));
    await expect.poll(() => find('/postgres'), { timeout: 60_000, interval: 10 }).toBeDefined();
    const pointer = join(folder, (await find('/postgres')) ?? '');
    const cluster = await readlink(pointer).catch(() => pointer);
    const pid = () => readFile(join(cluster, 'cluster', 'postmaster.pid'), 'utf8').then(Number.parseInt, () => 0);
    await expect.poll(pid, { timeout: 60_000, interval: 10 }).toBeGreaterThan(0);
    const server = await pid();
    await pause(ms);
    process.kill(by === 'a signal' ? child : (parent.pid ?? 0), by === 'a signal' ? 'SIGTERM' : 'SIGKILL');
    await expect.poll(() => isRunning(child), { timeout: 60_000 }).toBe(false);
    expect(isRunning(server)).toBe(false);
    expect((await readdir(folder)).filter((name) => name.startsWith('svc-'))).toEqual([]);
    await expect(readdir(cluster)).rejects.toThrow('ENOENT');
    expect(said).toContain('interrupted');
    expect(said).not.toContain('WRONG');
  },
  180_000,
);

it('npm run demo:dashboard has the README’s number of guests, and stays up until it is interrupted', async () => {
  const root = join(import.meta.dirname, '../../../..');
  const [, told = ''] = /an event of ([\d,]+) rendered/.exec(await readFile(join(root, 'README.md'), 'utf8')) ?? [];
  const folder = temporaryFolder();
  const demo = spawn('npm', ['run', 'demo:dashboard'], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
    detached: true,
  });
  onTestFinished(() => void ((demo.exitCode ?? demo.signalCode) === null && process.kill(-(demo.pid ?? 0), 'SIGKILL')));
  let said = '';
  for (const stream of [demo.stdout, demo.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  await expect
    .poll(() => (demo.exitCode ?? demo.signalCode) !== null || said.includes('stays up'), { timeout: 1_200_000 })
    .toBe(true);
  const guests = told.replace(',', '');
  expect(said).toContain(`${guests} of ${guests} guests enrolled`);
  await pause(1_000 * Number(process.env.SVC_TEST_DEMO_SECONDS ?? 5));
  expect((await fetch(/http:\S+/.exec(said)?.[0] ?? '')).status).toBe(200);
  process.kill(-(demo.pid ?? 0), 'SIGINT');
  const left = async () => (await readdir(folder)).filter((name) => name.startsWith('svc-'));
  await expect.poll(left, { timeout: 60_000 }).toEqual([]);
}, 1_500_000);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
