import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@svc/api/testing';

/** The configuration that deployments get. */
const VCL = new URL('../../deploy/varnish/svc.vcl', import.meta.url);
const STORAGE = 'malloc,1g';
/** It compiles its configuration first. */
const STARTS_IN_MS = 60_000;

/** What the cache did so far. */
export interface CacheCounts {
  readonly hits: number;
  readonly misses: number;
  /** From the service: heads and bodies. */
  readonly fetchedBytes: number;
  /** Of all its processes. */
  readonly processorMs: number;
}

export interface Varnish {
  readonly url: string;
  counts(): Promise<CacheCounts>;
  close(): Promise<void>;
}

const run = (program: string, ...words: string[]) => execFileSync(program, words, { encoding: 'utf8', stdio: 'pipe' });

/** The version of varnishd; null where it is not installed. */
export function varnishVersion(): string | null {
  try {
    // It tells its version on standard error.
    return /varnish-([\d.]+)/.exec(run('sh', '-c', 'varnishd -V 2>&1'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Processor time of a process and its descendants (proc(5)). */
async function processorMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  const theirs = await Promise.all(children.map((child) => processorMs(Number(child))));
  return [Number(fields[11]) * 10, Number(fields[12]) * 10, ...theirs].reduce((sum, each) => sum + each, 0);
}

async function isListening(url: string, child: ChildProcess): Promise<void> {
  for (const endMs = performance.now() + STARTS_IN_MS; performance.now() < endMs; await sleep(50)) {
    if (child.exitCode !== null) break;
    const answer = await fetch(url).catch(() => null);
    if (answer !== null) return;
  }
  throw new Error('varnishd did not start');
}

/** Varnish with the deployment's configuration, in front of a service. */
export async function startVarnish(serviceUrl: string): Promise<Varnish> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'svc-varnish-'));
  // Its worker runs as another user.
  await chmod(folder, 0o755);
  const file = join(folder, 'svc.vcl');
  const vcl = await readFile(VCL, 'utf8');
  await writeFile(file, vcl.replace('"3000"', `"${new URL(serviceUrl).port}"`));
  const state = join(folder, 'state');
  const words = ['-F', '-n', state, '-f', file, '-a', `127.0.0.1:${port}`, '-s', STORAGE];
  const child = spawn('varnishd', words, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  await isListening(url, child).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    url,
    close,
    async counts() {
      const text = run('varnishstat', '-n', state, '-1', '-j');
      const { counters } = JSON.parse(text) as { counters: Record<string, { value: number }> };
      const sum = (pattern: RegExp) =>
        Object.entries(counters).reduce((all, [name, { value }]) => (pattern.test(name) ? all + value : all), 0);
      return {
        hits: sum(/^MAIN\.cache_hit$/),
        misses: sum(/^MAIN\.cache_miss$/),
        fetchedBytes: sum(/^VBE\..*\.beresp_(hdr|body)bytes$/),
        processorMs: await processorMs(child.pid ?? 0),
      };
    },
  };
}
