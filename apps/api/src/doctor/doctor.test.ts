import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { describe, expect, it } from 'vitest';
import { testEngines, testModels } from '../testing/test-api.ts';
import {
  clockDifference,
  databaseLog,
  databaseVersion,
  dataFolder,
  enginesOfLists,
  examine,
  freeSpace,
  kekMatch,
  nodeVersion,
  ok,
  schemaState,
  secretFile,
} from './checks.ts';
import type { DatabaseFacts } from './store.ts';

const facts: DatabaseFacts = {
  version: '16.4',
  versionNumber: 160_004,
  now: new Date(0),
  logsValues: false,
};

describe('the doctor', () => {
  it.each([
    ['20.19.0', '2026-04-30', 'ok'],
    ['20.19.0', '2026-05-01', 'warning'],
    ['24.21.0', '2026-11-29', 'ok'],
    ['26.0.0', '2026-11-29', 'ok'],
    ['20.18.3', '2026-04-30', 'failed'],
    ['18.20.0', '2026-04-30', 'failed'],
  ] as const)('judges Node %s on %s: %s', (version, day, status) => {
    expect(nodeVersion(version, day).status).toBe(status);
  });

  it.each([
    [100 * 2 ** 20, 'failed'],
    [2 ** 30, 'warning'],
    [10 * 2 ** 30, 'ok'],
  ] as const)('judges %i free bytes %s', (bytes, status) => expect(freeSpace(bytes).status).toBe(status));

  it.each([
    [0, 'ok', '0.0 s ahead'],
    [-999, 'ok', '1.0 s behind'],
    [2_999, 'warning', '3.0 s ahead'],
    [-3_001, 'failed', '3.0 s behind'],
  ] as const)('judges a clock that is %i ms off %s', (ms, status, text) => {
    const verdict = clockDifference(ms);
    expect(verdict.status).toBe(status);
    expect(verdict.detail).toContain(text);
  });

  it('judges databases', () => {
    expect(databaseVersion(facts, 0.2)).toEqual(ok('PostgreSQL 16.4, answers in 1 ms'));
    expect(databaseVersion({ ...facts, versionNumber: 149_999 }, 1).status).toBe('failed');
    expect([databaseLog(facts).status, databaseLog({ ...facts, logsValues: true }).status]).toEqual(['ok', 'warning']);
  });

  it('judges schemas', () => {
    const known = ['0001-a', '0002-b'];
    expect(schemaState(known, known).status).toBe('ok');
    expect(schemaState(null, known).detail).toContain('empty');
    expect(schemaState(['0001-a'], known).detail).toContain('1 migrations behind');
    expect(schemaState([...known, '0003-c'], known).detail).toContain('newer');
  });

  it('judges KEKs by what they have wrapped', () => {
    const at = { kekIds: ['new', 'old'] } as const;
    expect(kekMatch(at, new Map([['new', 3]]))).toEqual(ok('new wraps all 3 keys'));
    expect(kekMatch(at, new Map()).detail).toContain('nothing yet');
    const older = kekMatch(
      at,
      new Map([
        ['new', 1],
        ['old', 2],
      ]),
    );
    expect(older).toMatchObject({ status: 'warning', detail: expect.stringContaining('2 of 3') });
    expect(kekMatch(at, new Map([['lost', 1]]))).toMatchObject({ status: 'failed' });
  });

  it('judges engines by what lists are enrolled by', () => {
    const [all, few] = [testEngines(), testEngines({ hasAddOn: false })];
    const inUse = [testModels.base.engineId, testModels.addOn.engineId];
    expect(enginesOfLists(all, inUse)).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('all installed'),
    });
    const recommended = testEngines({ standard: 'addOn' });
    expect(enginesOfLists(recommended, inUse)).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('Changing the engine'),
    });
    expect(enginesOfLists(recommended, [testModels.addOn.engineId]).status).toBe('ok');
    expect(enginesOfLists(few, []).status).toBe('ok');
    expect(enginesOfLists(few, inUse)).toEqual({
      status: 'failed',
      detail:
        'lists that cannot enrol here: retail-0095-mirror/4: npm run svc -- models add face-reidentification-retail-0095',
    });
    expect(enginesOfLists(few, ['of-another-edition/9']).detail).toContain('this edition does not know it');
  });

  it('takes what cannot be looked at for a failure, on one line', async () => {
    const finding = await examine('x', () => Promise.reject(new Error('first\n  second')));
    expect(finding).toEqual({ check: 'x', status: 'failed', detail: 'first second' });
  });
});

describe('files', () => {
  const folder = temporaryFolder();

  it('are their owner’s alone', async () => {
    const file = join(folder, 'kek');
    expect((await secretFile(file, false)).status).toBe('warning');
    expect((await secretFile(file, true)).status).toBe('failed');
    await writeFile(file, 'secret', { mode: 0o600 });
    expect(await secretFile(file, true)).toMatchObject({ status: 'ok', detail: expect.not.stringContaining('secret') });
    await chmod(file, 0o644);
    expect(await examine('kek', () => secretFile(file, true))).toMatchObject({ status: 'failed' });
  });

  it('lie in a folder that only their owner can access', async () => {
    await chmod(folder, 0o700);
    expect((await dataFolder(folder)).status).toBe('ok');
    await chmod(folder, 0o755);
    expect((await dataFolder(folder)).status).toBe('warning');
    await expect(dataFolder(join(folder, 'none'))).rejects.toThrow();
  });
});
