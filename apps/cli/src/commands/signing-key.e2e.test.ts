import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SigningStatus } from '@svc/api';
import { createTestDatabase, queryDatabase } from '@svc/api/testing';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { exitCodes } from '../cli-error.ts';
import { runSvcHere } from '../testing/run-svc.ts';

let directory: string;
let databaseUrl: string;

beforeEach(async () => {
  directory = temporaryFolder();
  databaseUrl = await createTestDatabase(inject('postgres'));
  vi.stubEnv('DATABASE_URL', databaseUrl);
  vi.stubEnv('SVC_DATA_DIR', directory);
});
afterEach(() => vi.unstubAllEnvs());

const svc = (...args: string[]) => runSvcHere(args);
const signing = (...args: string[]) => svc('signing-key', ...args);
async function status(...args: string[]): Promise<SigningStatus & { value?: string }> {
  const run = await signing(...args, '--json');
  expect([run.code, run.stderr]).toEqual([0, run.stderr]);
  return JSON.parse(run.stdout) as SigningStatus;
}
const roles = ({ keys }: SigningStatus) => keys.map(({ role, atHand }) => `${role}${atHand ? '' : ', not here'}`);
const pinned = async () => JSON.parse((await svc('region', 'show', '--json')).stdout).signingKeys as string[];

/** A list with a device, after a first start. */
async function startWithDevice(): Promise<string> {
  const account = (await svc('account', 'create', '--name', 'Hall')).stdout.trim();
  const list = JSON.parse(
    (await svc('list', 'create', '--account', account, '--name', 'M', '--ongoing', '--json')).stdout,
  );
  await svc('device', 'add', '--account', account, '--list', list.listId);
  return account;
}
/** Records a device's sync. @param minutes after now @param shown whether its release follows announcements */
const synced = (minutes: number, shown = 5) =>
  queryDatabase(
    databaseUrl,
    "UPDATE devices SET last_sync_at = now() + $1 * interval '1 minute', sync_counter_shown = $2",
    [...[minutes, shown]],
  );

describe('svc signing-key', () => {
  it('changes the key in a file: announced, then signing, then the only one', async () => {
    expect((await signing('status')).stderr).toContain('the first start creates the signing key');
    await startWithDevice();
    const [first] = (await status('status')).keys;
    expect(roles(await status('status'))).toEqual(['signs']);
    expect((await signing('rotate')).stderr).toContain('svc signing-key create');
    expect((await signing('retire')).stderr).toContain('no former signing key');

    const created = await status('create');
    const next = created.keys[1];
    expect(roles(created)).toEqual(['signs', 'next']);
    expect((await signing('create')).stderr).toContain('two signing keys are already announced');
    expect(await pinned()).toEqual([first?.publicKey, next?.publicKey]);

    await synced(0);
    const early = await signing('rotate');
    expect([early.code, early.stderr.match(/1 of 1 devices/)?.length]).toEqual([exitCodes.usage, 1]);
    await synced(2, 0);
    expect((await signing('rotate')).code).toBe(exitCodes.usage);
    await synced(2);
    expect((await signing('status')).stdout).toContain(`1 of 1 devices know of ${next?.keyId}`);
    expect(roles(await status('rotate'))).toEqual(['former', 'signs']);
    expect(roles(await status('retire'))).toEqual(['signs']);
    expect(await pinned()).toEqual([next?.publicKey]);
    expect((await readFile(join(directory, 'signing-key.pem'), 'utf8')).match(/BEGIN PRIVATE KEY/g)).toHaveLength(1);
    const audited = (await svc('audit', '--deployment', '--json')).stdout;
    expect(audited.match(/signing-key\.(create|rotate|retire)/g)).toHaveLength(3);
  });

  it('changes the key in a setting, and is refused if a node lacks the next one', async () => {
    await startWithDevice();
    const pem = await readFile(join(directory, 'signing-key.pem'), 'utf8');
    await rename(join(directory, 'signing-key.pem'), join(directory, 'away'));
    const refused = await svc('region', 'show');
    expect([refused.code, refused.stderr.trim().split('\n').length]).toEqual([exitCodes.environment, 1]);
    expect(refused.stderr).toContain('SVC_SIGNING_KEY');
    expect((await svc('doctor')).stdout).toMatch(/^signing key match +FAILED/m);

    const present = pem.replaceAll(/-----[^-]+-----|\s/g, '');
    vi.stubEnv('SVC_SIGNING_KEY', present);
    const { value = '' } = await status('create');
    await synced(2);
    expect((await signing('rotate')).stderr).toContain('not configured here');
    expect(roles(await status('status'))).toEqual(['signs', 'next, not here']);
    vi.stubEnv('SVC_SIGNING_KEY', `${present},${value}`);
    expect(roles(await status('rotate'))).toEqual(['former', 'signs']);
    vi.stubEnv('SVC_SIGNING_KEY', value);
    expect((await svc('doctor')).stdout).toMatch(/^signing key match +ok/m);
    expect(roles(await status('retire'))).toEqual(['signs']);
    expect((await svc('doctor')).stdout).not.toContain(value);
  });

  it('replaces a lost key once that is confirmed twice', async () => {
    await startWithDevice();
    await rm(join(directory, 'signing-key.pem'));
    expect((await signing('create')).stderr).toContain('none is configured here');
    expect((await signing('create', '--lost')).stderr).toContain('--yes');
    expect(roles(await status('create', '--lost', '--yes'))).toEqual(['signs']);
    expect(await pinned()).toHaveLength(1);
  });
});
