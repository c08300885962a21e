import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const programs = ['src/demo/main.ts', 'src/dashboard/demo.ts'];
const folder = await mkdtemp(join(tmpdir(), 'svc-interrupted-'));
const started: ChildProcess[] = [];
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(folder, { recursive: true });
});

/** What a program has made: its own folder, and the cluster, which may lie elsewhere. */
async function made(): Promise<{ folder: string; cluster: string; server: number } | null> {
  const [own] = (await readdir(folder)).filter((name) => name.startsWith('svc-demo-'));
  const data = join(folder, own ?? '');
  const [test = ''] = own === undefined ? [] : (await readdir(data)).filter((name) => name.startsWith('svc-test-'));
  const state = join(data, test, 'postgres');
  const lock = await readFile(join(state, 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  const cluster = await readlink(state).catch(() => state);
  return lock === '' ? null : { folder: data, cluster, server: Number(lock.split('\n')[0]) };
}

it.each(
  programs.flatMap((program) =>
    [0, 300, 3_000].flatMap((ms) => [
      { program, ms, how: 'SIGINT' as const },
      { program, ms, how: 'the end of its parent' as const },
    ]),
  ),
)(
  '$program leaves nothing behind when it is interrupted $ms ms after its database by $how',
  async ({ program, ms, how }) => {
    const node = [process.execPath, '--conditions=svc-source', '--import', 'tsx', program];
    const env = { ...process.env, TMPDIR: folder };
    const cwd = join(import.meta.dirname, '../..');
    // A parent that tells its child's id and waits.
    const parent = spawn('/bin/sh', ['-c', '"$@" & echo $! >&2; wait', 'sh', ...node], { cwd, env, stdio: 'pipe' });
    started.push(parent);
    let said = '';
    parent.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const child = Number(String((await once(parent.stderr, 'data'))[0]).trim());
    await expect.poll(made, { timeout: 60_000, interval: 10 }).not.toBeNull();
    const it = await made();
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (how === 'SIGINT') process.kill(child, 'SIGTERM');
    else parent.kill('SIGKILL');
    const isGone = (pid: number) => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    };
    await expect.poll(() => isGone(child), { timeout: 60_000 }).toBe(true);
    expect(isGone(it?.server ?? 0)).toBe(true);
    expect((await readdir(folder)).filter((name) => name.startsWith('svc-'))).toEqual([]);
    await expect(readdir(it?.cluster ?? '')).rejects.toThrow('ENOENT');
    expect(said).toContain('interrupted');
    expect(said).not.toContain('WRONG');
  },
  120_000,
);
