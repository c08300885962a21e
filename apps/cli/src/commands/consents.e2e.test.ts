import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFakeInference, queryDatabase, startTestApi, type TestApi, type TestCustomer } from '@svc/api/testing';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { exitCodes } from '../cli-error.ts';
import { runSvcHere, type SvcRun } from '../testing/run-svc.ts';

let api: TestApi;
const directory = temporaryFolder();
let customer: TestCustomer;
let listId: string;

const svc = (...args: string[]): Promise<SvcRun> => runSvcHere(args);

async function enrol(personId: string): Promise<void> {
  const consent = {
    consentVersion: 'eu-v2',
    givenAt: new Date().toISOString(),
    explicitBiometricConsent: true,
    writtenRelease: true,
  };
  const imageBase64 = Buffer.from('a face').toString('base64');
  const answer = await customer.request('POST', `/v1/lists/${listId}/people`, { personId, consent, imageBase64 });
  expect(answer.status).toBe(201);
}

beforeAll(async () => {
  api = await startTestApi(inject('postgres'), { createInference: createFakeInference });
  // `npm run svc` has another working directory than the user.
  vi.stubEnv('SVC_INVOKED_FROM', directory);
  vi.stubEnv('DATABASE_URL', api.config.databaseUrl ?? '');
  vi.stubEnv('SVC_DATA_DIR', api.config.dataDirectory);
  customer = await api.customer({ country: 'DE' });
  const list = await customer.request<{ listId: string }>('POST', '/v1/lists', { name: 'Members', ongoing: true });
  listId = list.body.listId;
  for (const personId of ['a', 'b', 'c']) await enrol(personId);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await api.close();
});

const account = () => ['--account', customer.accountId];
const file = (name: string) => join(directory, name);

describe('svc consents', () => {
  it('exports to a new file with owner-only permissions, which verifies without a deployment', async () => {
    expect((await svc('consents', 'export', ...account(), '--out', 'ledger')).code).toBe(exitCodes.ok);
    expect((await stat(file('ledger'))).mode & 0o777).toBe(0o600);
    const again = await svc('consents', 'export', ...account(), '--out', file('ledger'));
    expect([again.code, again.stdout]).toEqual([exitCodes.usage, '']);
    const piped = await svc('consents', 'export', ...account(), '--list', listId);
    expect(piped.stdout.trimEnd().split('\n')).toHaveLength(7);

    vi.stubEnv('DATABASE_URL', 'postgresql://nobody@127.0.0.1:9/none');
    const run = await svc('consents', 'verify', '--export', 'ledger');
    expect(run.code).toBe(exitCodes.ok);
    expect(run.stdout).toMatch(
      /^export: intact\n {2}chains 1, entries 3, of them erased 0\n {2}lst_\w+ {2}3 {2}[0-9a-f]{64}\n$/,
    );
    vi.stubEnv('DATABASE_URL', api.config.databaseUrl ?? '');
  });

  it('reports where an export was changed, and exits with 1', async () => {
    const text = await readFile(file('ledger'), 'utf8');
    await writeFile(file('changed'), text.replace('"personId":"b"', '"personId":"x"'));
    const run = await svc('consents', 'verify', '--export', file('changed'));
    expect(run.code).toBe(exitCodes.negative);
    expect(run.stdout).toContain('NOT INTACT');
    expect(run.stdout).toContain(`commitment-mismatch at line 4, ${listId} after entry 2`);
  });

  it('verifies the database, and that it continues an export', async () => {
    await enrol('d');
    const both = await svc('consents', 'verify', ...account(), '--export', file('ledger'), '--json');
    expect(both.code).toBe(exitCodes.ok);
    expect(JSON.parse(both.stdout)).toMatchObject({ file: { entries: 3 }, database: { valid: true, entries: 4 } });

    const { ownerUrl } = api;
    await queryDatabase(ownerUrl, 'DELETE FROM consents WHERE seq >= 3');
    await queryDatabase(
      ownerUrl,
      'UPDATE consent_chains SET length = 2, head = (SELECT entry_hash FROM consents WHERE seq = 2)',
    );
    expect((await svc('consents', 'verify', ...account(), '--list', listId)).code).toBe(exitCodes.ok);
    const mended = await svc('consents', 'verify', ...account(), '--export', file('ledger'));
    expect(mended.code).toBe(exitCodes.negative);
    expect(mended.stdout).toContain('earlier-head-missing');
  });

  it('shows and sets the retention of evidence', async () => {
    expect((await svc('consents', 'retention', ...account())).stdout).toBe('1826\n');
    expect((await svc('consents', 'retention', ...account(), '--days', '400')).stdout).toBe('400\n');
    const { items } = await api.admin.audit.page(customer.accountId, { limit: 1 });
    expect(items[0]).toMatchObject({ action: 'evidence-retention.set', target: '400', actor: { kind: 'operator' } });
  });

  it('erases what is due: nothing yet', async () => {
    expect(await svc('consents', 'purge')).toMatchObject({ code: exitCodes.ok, stdout: '0\n' });
  });

  it.each([
    [['consents', 'verify'], 'required'],
    [['consents', 'verify', '--export', '/nowhere/ledger'], 'cannot be read'],
    [['consents', 'verify', '--account', 'acc_none'], 'not-found'],
    [['consents', 'retention', '--account', 'acc_none', '--days', '0'], 'from 1 to 36525'],
  ])('refuses %j', async (args, message) => {
    const run = await svc(...args);
    expect([run.code, run.stdout]).toEqual([exitCodes.usage, '']);
    expect(run.stderr).toContain(message);
  });

  it('refuses to compare another account’s export with the database', async () => {
    const other = await api.customer({ country: 'DE' });
    const run = await svc('consents', 'verify', '--account', other.accountId, '--export', file('ledger'));
    expect(run.code).toBe(exitCodes.usage);
    expect(run.stderr).toContain('another account');
  });
});
