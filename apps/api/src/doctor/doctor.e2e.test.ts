import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { ApiConfig } from '../config/config.ts';
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
  folder = temporaryFolder();
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
  it('where a setting leads to none and the keys lie in the standard folder', async () => {
    api = await start();
    const elsewhere = 'the keys of this database are in another place';
    const keyStoreDirectory = join(folder, 'mistyped', 'keys');
    expect(await keyStore({ keyStoreDirectory })).toEqual(['failed', `apart, in a folder: none; ${elsewhere}`]);
    expect(await readdir(folder)).toEqual([]);
    const keyDatabaseUrl = await createTestDatabase(inject('postgres'));
    expect(await keyStore({ keyDatabaseUrl })).toEqual(['failed', `apart, in a database: none; ${elsewhere}`]);
    expect(await tables(keyDatabaseUrl)).toEqual([]);
  });

  it('before the first start', async () => {
    api = await start();
    const databaseUrl = await createMigratedDatabase(inject('postgres'));
    const keyStoreDirectory = join(folder, 'keys');
    expect(await keyStore({ databaseUrl, keyStoreDirectory })).toEqual([
      'warning',
      'apart, in a folder: none yet, the next start creates it',
    ]);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the doctor looks at engines', () => {
  const find = async (check: string, changes: Partial<ApiConfig> = {}) =>
    (await examineDeployment({ ...api.config, ...changes })).find((finding) => finding.check === check);
  const command = 'npm run svc -- models add face-reidentification-retail-0095';

  it('that are installed, and tells how to install the others', async () => {
    api = await start();
    const customer = await api.customer();
    await customer.request('POST', '/v1/lists', { name: 'Members', ongoing: true });
    const missing = `retail-0095-mirror/4: ${command}`;
    const models = 'dlib-resnet-128-mirror/2 (for new lists), also dlib-resnet-128-mirror/1';
    const all = `${models}, golden outputs reproduced; not installed: ${missing}`;
    expect(await find('models')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining(`guests: ${all}`),
    });
    const none = { status: 'warning', detail: expect.stringContaining('npm run svc -- models add minifasnet') };
    expect(await find('passive liveness')).toMatchObject(none);
    expect(await find('models of lists')).toMatchObject({ status: 'ok' });
    await queryDatabase(api.config.databaseUrl ?? '', "UPDATE lists SET engine_id = 'retail-0095-mirror/4'");
    const detail = `lists that cannot enrol here: ${missing}`;
    expect(await find('models of lists')).toMatchObject({ status: 'failed', detail });
    expect(await find('models', { engineId: 'retail-0095-mirror/4' })).toMatchObject({ status: 'failed' });
    const former = 'dlib-resnet-128-mirror/2, also dlib-resnet-128-mirror/1 (for new lists)';
    const chosen = await find('models', { engineId: 'dlib-resnet-128-mirror/1' });
    expect(chosen).toMatchObject({ status: 'warning', detail: expect.stringContaining(former) });
  });
});
