import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { ApiConfig } from '../config.ts';
import {
  createFakeInference,
  createTestDatabase,
  queryDatabase,
  removeDataDirectory,
  startTestApi,
  type TestApi,
} from '../testing/index.ts';
import { createMigratedDatabase } from '../testing/postgres.ts';
import { examineDeployment } from './doctor.ts';

let folder: string;
let api: TestApi;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'));
  return () => removeDataDirectory(folder);
});
afterEach(() => api.close());

const start = (environment: Record<string, string> = {}) =>
  startTestApi(inject('postgres'), { createInference: createFakeInference }, environment);

async function keyStore(changes: Partial<ApiConfig>) {
  const findings = await examineDeployment({ ...api.config, ...changes });
  const found = findings.find(({ check }) => check === 'key store');
  return [found?.status, found?.detail];
}

const tables = (databaseUrl: string) =>
  queryDatabase(databaseUrl, "SELECT 1 FROM pg_tables WHERE schemaname = 'public'");

describe('the doctor makes no key store', () => {
  it('where a setting leads to none and the keys lie in the main database', async () => {
    api = await start();
    const elsewhere = 'this database’s keys lie in another place';
    const keyStoreDirectory = join(folder, 'mistyped', 'keys');
    expect(await keyStore({ keyStoreDirectory })).toEqual(['failed', `apart, in a folder: none; ${elsewhere}`]);
    expect(await readdir(folder)).toEqual([]);
    const keyDatabaseUrl = await createTestDatabase(inject('postgres'));
    expect(await keyStore({ keyDatabaseUrl })).toEqual(['failed', `apart, in a database: none; ${elsewhere}`]);
    expect(await tables(keyDatabaseUrl)).toEqual([]);
  });

  it('in the main database, where the keys lie in a folder', async () => {
    const keyStoreDirectory = join(folder, 'keys');
    api = await start({ SVC_KEY_STORE_DIR: keyStoreDirectory });
    expect(await keyStore({})).toEqual(['ok', 'apart, in a folder']);
    expect(await keyStore({ keyStoreDirectory: undefined })).toEqual([
      'failed',
      'in the main database: none; this database’s keys lie in another place',
    ]);
    expect(await queryDatabase(api.config.databaseUrl ?? '', 'SELECT 1 FROM key_store')).toEqual([]);
  });

  it('before the first start', async () => {
    api = await start();
    const databaseUrl = await createMigratedDatabase(inject('postgres'));
    const keyStoreDirectory = join(folder, 'keys');
    expect(await keyStore({ databaseUrl, keyStoreDirectory })).toEqual([
      'warning',
      'apart, in a folder: none yet, the next start makes it',
    ]);
    expect(await readdir(folder)).toEqual([]);
  });
});
