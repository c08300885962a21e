import { chmod, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, queryDatabase, removeDataDirectory } from '@svc/api/testing';
import { beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { exitCodes } from './cli-error.ts';
import { runSvcHere } from './testing/run-svc.ts';

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
}

let databaseUrl: string;
let dataDirectory: string;

async function doctor(): Promise<{ code: number | null; of: (check: string) => Finding | undefined }> {
  const run = await runSvcHere(['doctor', '--json']);
  // A negative result sets the process's exit code.
  process.exitCode = 0;
  const findings = JSON.parse(run.stdout) as Finding[];
  return { code: run.code, of: (check) => findings.find((each) => each.check === check) };
}

beforeEach(async () => {
  databaseUrl = await createTestDatabase(inject('postgres'));
  dataDirectory = await mkdtemp(join(tmpdir(), 'svc-cli-doctor-'));
  vi.stubEnv('DATABASE_URL', databaseUrl);
  vi.stubEnv('SVC_DATA_DIR', dataDirectory);
  return async () => {
    vi.unstubAllEnvs();
    await removeDataDirectory(dataDirectory);
  };
});

describe('svc doctor', () => {
  it('finds a deployment in order, then each planted problem', async () => {
    expect((await runSvcHere(['account', 'create', '--name', 'Pier'])).code).toBe(0);
    const healthy = await doctor();
    expect(healthy.code).toBe(0);
    for (const check of [
      'node',
      'models',
      'database',
      'schema',
      'clock',
      'key-encryption keys',
      'signing key',
      'KEK match',
    ]) {
      expect(healthy.of(check)).toMatchObject({ status: 'ok' });
    }

    await chmod(join(dataDirectory, 'signing-key.pem'), 0o644);
    await rename(join(dataDirectory, 'kek'), join(dataDirectory, 'kek-elsewhere'));
    await writeFile(join(dataDirectory, 'kek'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
    await queryDatabase(databaseUrl, "DELETE FROM schema_migrations WHERE name LIKE '0007%'");
    const ill = await doctor();
    expect(ill.code).toBe(exitCodes.negative);
    expect(ill.of('signing key')).toMatchObject({ status: 'failed', detail: expect.stringContaining('chmod 600') });
    expect(ill.of('KEK match')).toMatchObject({ status: 'failed', detail: expect.stringContaining('not at hand') });
    expect(ill.of('schema')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('1 migrations behind'),
    });
  });

  it('reports an unreachable database, and checks everything else as well', async () => {
    vi.stubEnv('DATABASE_URL', 'postgresql://nobody:canary@127.0.0.1:9/none');
    const run = await runSvcHere(['doctor']);
    process.exitCode = 0;
    expect(run.code).toBe(exitCodes.negative);
    expect(run.stdout).toMatch(/^database +FAILED/m);
    expect(run.stdout).toMatch(/^models +ok/m);
    expect(`${run.stdout}${run.stderr}`).not.toContain('canary');
  });

  it('exits with 3 if a setting is invalid', async () => {
    vi.stubEnv('SVC_INFERENCE_WORKERS', 'many');
    expect(await runSvcHere(['doctor'])).toMatchObject({ code: exitCodes.environment, stdout: '' });
  });
});
