import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isId } from '@svc/protocol';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exitCodes } from './cli-error.ts';
import { runSvc, runSvcHere } from './testing/run-svc.ts';

let dataDirectory: string;
const svc = (...args: string[]) => runSvcHere(args);

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'svc-cli-data-'));
  vi.stubEnv('SVC_DATA_DIR', dataDirectory);
  vi.stubEnv('DATABASE_URL', '');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  // As root the cluster lies elsewhere, and the data folder points to it.
  const cluster = await readlink(join(dataDirectory, 'postgres')).catch(() => null);
  if (cluster !== null) await rm(cluster, { recursive: true, force: true });
  await rm(dataDirectory, { recursive: true, force: true });
});

describe('a deployment from the command line', () => {
  it('is kept by the embedded database from one process to the next', { timeout: 180_000 }, async () => {
    const created = await runSvc([
      'account',
      'create',
      '--name',
      'Harbour Hall',
      '--country',
      'de',
      '--currency',
      'eur',
    ]);
    expect(created.stderr).toContain('plan pilot, billed in EUR');
    const accountId = created.stdout.trim();
    expect(isId('acc', accountId)).toBe(true);
    const list = await svc('list', 'create', '--account', accountId, '--name', 'Members', '--ongoing', '--json');
    expect(JSON.parse(list.stdout)).toMatchObject({ name: 'Members', retainDays: 365, consentVersion: 'eu-v2' });
    const region = await svc('region', 'show', '--json');
    expect(JSON.parse(region.stdout)).toMatchObject({
      region: 'local',
      keyId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect((await runSvc(['account', 'list'])).stdout).toContain('Harbour Hall');
  });

  it('reports an unreachable database in one line', async () => {
    vi.stubEnv('DATABASE_URL', 'postgresql://nobody@127.0.0.1:9/none');
    const run = await svc('account', 'list');
    expect(run.code).toBe(exitCodes.environment);
    expect(run.stdout).toBe('');
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(run.stderr).toContain('the deployment cannot be opened');
  });
});
