import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import type { Session } from '@svc/protocol';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../config/config.ts';
import { newSigningKey } from '../crypto/signing-key.ts';
import { bundleProgram } from '../testing/bundle-program.ts';
import { createFakeInference } from '../testing/fake-inference.ts';
import { toPerson, visit } from '../testing/person.ts';
import { removeDataDirectory } from '../testing/postgres.ts';
import { ServiceNode } from '../testing/rolling/service-node.ts';
import { createLogSink, testEngines } from '../testing/test-api.ts';
import { openAdmin } from './operator.ts';
import { startApi } from './start-api.ts';

const dataDirectory = temporaryFolder();
const program = await bundleProgram(new URL('../main.ts', import.meta.url));
const started: ServiceNode[] = [];

/** A failed test must not leave its program running. */
afterEach(async () => {
  for (const node of started.splice(0)) await node.kill();
});
afterAll(async () => {
  await program.remove();
  await removeDataDirectory(dataDirectory);
});

/** The program as an operator starts it, on its embedded database. */
async function run(environment: Record<string, string> = {}): Promise<ServiceNode> {
  const own = { HOME: dataDirectory, SVC_DATA_DIR: dataDirectory, SVC_INFERENCE_WORKERS: '1' };
  const node = await ServiceNode.create(program.path, { ...own, ...environment });
  started.push(node);
  node.start();
  return node;
}

describe('the program', () => {
  it('starts on nothing, becomes ready, is administered beside, stops on SIGTERM, and finds everything again', async () => {
    const first = await run();
    await first.becomesReady();
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
    await expect.poll(() => first.output).toMatch(/"startMs":\d+,"msg":"ready"/);

    expect(first.output).toMatch(/"dashboardUrl":"http:\/\/localhost:\d+\/dashboard\/"/);
    expect(first.output).toContain('user invite --account acc_… --email … --role owner');
    await expect.poll(() => first.output).toContain('first-owner#');
    const [, token] = /^ {2}http:\/\/localhost:\d+\/dashboard\/first-owner#(svcl_\w+)$/m.exec(first.output) ?? [];
    const owner = { email: 'robin@example.org', name: 'Robin', organisation: { name: 'Test', country: 'DE' } };
    const claim = () => visit<Session>(first, 'POST', '/v1/sign-in/link', { token, owner });
    const robin = toPerson(first, await claim());
    const ownAccount = robin.session.account;
    expect([robin.session.user.role, ownAccount.billingCurrency]).toEqual(['owner', 'EUR']);
    expect(await claim()).toMatchObject({ status: 401, body: { code: 'link-invalid' } });

    const config = readConfig({ SVC_DATA_DIR: dataDirectory });
    const admin = await openAdmin(config);
    const { accountId } = await admin.accounts.create({ name: 'Test', billingCurrency: 'EUR', plan: 'pilot' });
    const { apiKey } = await admin.keys.create(accountId, 'first');
    const region = admin.region();
    await admin.close();
    expect((await fetch(`${first.url}/v1/lists`, { headers: { 'X-Api-Key': apiKey } })).status).toBe(200);

    const second = await run();
    expect(await second.exit()).toBe(1);
    expect(second.output).toMatch(/could not start: another process uses this data directory/);

    expect(await first.stop()).toBe(0);
    expect(first.output).toContain('"msg":"stopped"');
    expect(first.output).not.toContain('"level":"error"');

    const offline = await openAdmin(config);
    expect(offline.region()).toEqual(region);
    const kept = (await offline.accounts.list()).map((account) => account.accountId);
    expect(kept.sort()).toEqual([accountId, ownAccount.accountId].sort());
    await offline.close();
  }, 240_000);

  it('comes up and says so where unused lists cannot get the recommended engine', async () => {
    const config = readConfig({ SVC_DATA_DIR: dataDirectory, PORT: '0', SVC_JOBS: 'off' });
    const [log, engines] = [createLogSink(), { ...testEngines({ standard: 'addOn' }), known: null as never }];
    const parts = { createInference: createFakeInference, engines, logDestination: log };
    const { url, close } = await startApi(config, parts);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(log.text).toContain('unused lists keep the built-in engine');
    await close();
  });

  it('leaves no database running when it is stopped while it starts', async () => {
    const database = async () => {
      const lock = await readFile(join(dataDirectory, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
      return Number(lock.split('\n')[0]);
    };
    const service = await run();
    await expect.poll(database, { timeout: 30_000, interval: 10 }).toBeGreaterThan(0);
    const pid = await database();
    expect(await service.stop('SIGINT')).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow(expect.objectContaining({ code: 'ESRCH' }));
  });

  it.each([
    ['a wrong setting', { SVC_DRAIN_MS: 'canary' }, /SVC_DRAIN_MS must be a whole number/],
    [
      'a signing key of another deployment',
      { SVC_SIGNING_KEY: newSigningKey().value },
      /devices trust the signing key [0-9a-f]{16}, and [0-9a-f]{16} is configured here: check SVC_SIGNING_KEY/,
    ],
  ])('says in one line what is wrong: %s', async (_name, environment, message) => {
    const service = await run(environment);
    expect(await service.exit()).toBe(1);
    expect(service.output).toMatch(message);
    expect(service.output).not.toContain('canary');
    expect(service.output.trim().split('\n')).toHaveLength(1);
  });
});
