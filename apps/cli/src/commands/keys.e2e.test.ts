import { randomBytes } from 'node:crypto';
import { createTestDatabase } from '@svc/api/testing';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { exitCodes } from '../cli-error.ts';
import { runSvcHere, type SvcRun } from '../testing/run-svc.ts';

const directory = temporaryFolder();
const newKek = () => randomBytes(32).toString('base64');
const [old, current] = [newKek(), newKek()];

function svc(keks: readonly string[], ...args: string[]): Promise<SvcRun> {
  vi.stubEnv('SVC_KEK', keks.join(','));
  return runSvcHere(args);
}

beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', await createTestDatabase(inject('postgres')));
  vi.stubEnv('SVC_DATA_DIR', directory);
});
afterAll(() => vi.unstubAllEnvs());

describe('svc keys', () => {
  it('rotates to a new key-encryption key, after which the old one can be deleted', async () => {
    const account = (await svc([old], 'account', 'create', '--name', 'Hall')).stdout.trim();
    await svc([old], 'list', 'create', '--account', account, '--name', 'Members', '--ongoing');
    const before = await svc([current, old], 'keys', 'status');
    expect(before.stdout).toMatch(/ 0 +wraps new keys/);
    expect(before.stdout).toMatch(/ 2 +needed/);
    const rotated = await svc([current, old], 'keys', 'rotate', '--json');
    expect(JSON.parse(rotated.stdout)).toMatchObject({ rewrapped: 2, unreadable: 0 });
    expect(rotated.code).toBe(exitCodes.ok);
    expect((await svc([current, old], 'keys', 'rotate')).stderr).toContain('0 rewrapped');
    expect((await svc([current, old], 'keys', 'status')).stdout).toMatch(/ 0 +may be removed/);
    expect((await svc([current], 'list', 'create', '--account', account, '--name', 'B', '--ongoing')).code).toBe(0);
    const refused = await svc([old], 'keys', 'status');
    expect([refused.code, refused.stdout]).toEqual([exitCodes.environment, '']);
    expect(refused.stderr).toContain('not configured here');
  });
});
