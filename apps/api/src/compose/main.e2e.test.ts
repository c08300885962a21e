import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { newSigningKey } from '../crypto/signing-key.ts';
import { type BundledProgram, bundleProgram } from '../testing/bundle-program.ts';
import { removeDataDirectory } from '../testing/postgres.ts';
import { openAdmin } from './operator.ts';

const workspace = fileURLToPath(new URL('../..', import.meta.url));
let dataDirectory: string;
let program: BundledProgram;
const started: Service[] = [];

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'svc-main-'));
  program = await bundleProgram(new URL('../main.ts', import.meta.url));
});
/** A failed test must not leave its program running. */
afterEach(async () => {
  for (const { child, exit } of started.splice(0)) {
    child.kill('SIGKILL');
    await exit();
  }
});
afterAll(async () => {
  await program.remove();
  await removeDataDirectory(dataDirectory);
});

interface Service {
  readonly child: ChildProcess;
  output(): string;
  url(): Promise<string>;
  exit(): Promise<number | null>;
}

/** The program as an operator starts it, on its embedded database. */
function run(environment: Record<string, string> = {}): Service {
  const child = spawn(process.execPath, [program.path], {
    cwd: workspace,
    env: {
      PATH: process.env.PATH,
      HOME: dataDirectory,
      PORT: '0',
      SVC_DATA_DIR: dataDirectory,
      SVC_INFERENCE_WORKERS: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  // Not `exit`, which comes before the last of its output.
  const exited = once(child, 'close').then(([code]) => code as number | null);
  const service: Service = {
    child,
    output: () => output,
    exit: () => exited,
    async url() {
      for (;;) {
        const url = /"url":"(http:[^"]+)"/.exec(output)?.[1];
        if (url !== undefined) return url;
        if (child.exitCode !== null) throw new Error(output);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
  };
  started.push(service);
  return service;
}

describe('the program', () => {
  it('starts on nothing, becomes ready, is administered beside, stops on SIGTERM, and finds everything again', async () => {
    const first = run();
    const url = await first.url();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await expect.poll(() => first.output(), { timeout: 60_000, interval: 50 }).toMatch(/"startMs":\d+,"msg":"ready"/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    expect(first.output()).toMatch(/"dashboardUrl":"http:\/\/localhost:\d+\/dashboard\/"/);
    expect(first.output()).toContain('user invite --account acc_… --email … --role owner');

    const config = readConfig({ SVC_DATA_DIR: dataDirectory });
    const admin = await openAdmin(config);
    const { accountId } = await admin.accounts.create({ name: 'Test', billingCurrency: 'EUR', plan: 'pilot' });
    const { apiKey } = await admin.keys.create(accountId, 'first');
    const region = admin.region();
    await admin.close();
    const read = (base: string) => fetch(`${base}/v1/lists`, { headers: { 'X-Api-Key': apiKey } });
    expect((await read(url)).status).toBe(200);

    const second = run();
    expect(await second.exit()).toBe(1);
    expect(second.output()).toMatch(/could not start: another process uses this data directory/);

    first.child.kill('SIGTERM');
    expect(await first.exit()).toBe(0);
    expect(first.output()).toContain('"msg":"stopped"');

    const offline = await openAdmin(config);
    expect(offline.region()).toEqual(region);
    expect((await offline.accounts.list()).map((account) => account.accountId)).toEqual([accountId]);
    await offline.close();

    const third = run();
    expect((await read(await third.url())).status).toBe(200);
    third.child.kill('SIGKILL');
    await third.exit();
    const fourth = run();
    expect((await read(await fourth.url())).status).toBe(200);
    fourth.child.kill('SIGINT');
    expect(await fourth.exit()).toBe(0);
  }, 240_000);

  it('leaves no database running when it is stopped while it starts', async () => {
    const database = async () => {
      const lock = await readFile(join(dataDirectory, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
      return Number(lock.split('\n')[0]);
    };
    const service = run();
    await expect.poll(database, { timeout: 30_000, interval: 10 }).toBeGreaterThan(0);
    const pid = await database();
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
  });

  it.each([
    ['a wrong setting', { PORT: 'canary' }, /PORT must be a whole number/],
    [
      'a signing key of another deployment',
      { SVC_SIGNING_KEY: newSigningKey().value },
      /devices trust the signing key [0-9a-f]{16}, and [0-9a-f]{16} is configured here: look at SVC_SIGNING_KEY/,
    ],
  ])('says in one line what is wrong: %s', async (_name, environment, message) => {
    const service = run(environment);
    expect(await service.exit()).toBe(1);
    expect(service.output()).toMatch(message);
    expect(service.output()).not.toContain('canary');
    expect(service.output().trim().split('\n')).toHaveLength(1);
  });
});
