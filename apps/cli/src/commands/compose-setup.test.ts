import { X509Certificate } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { beforeEach, expect, it } from 'vitest';
import { setUpCompose } from './compose-setup.ts';

let folder: string;
const setUp = () => setUpCompose(join(folder, 'volumes'), join(folder, 'given'), 'check-in.example.org');
const read = (path: string) => readFile(join(folder, 'volumes', path), 'utf8');

/** Text of every file, by its path. */
async function everything(): Promise<Record<string, string>> {
  const entries = await readdir(join(folder, 'volumes'), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')])));
}

beforeEach(async () => {
  folder = temporaryFolder();
  await mkdir(join(folder, 'given'));
});

it('makes secrets that only their readers open, once', async () => {
  await setUp();
  const made = await everything();
  for (const path of Object.keys(made)) {
    const { mode, uid } = await stat(path);
    expect([path, mode & 0o777]).toEqual([path, 0o400]);
    if (process.getuid?.() === 0) expect([999, 1000]).toContain(uid);
  }
  expect(Buffer.from(await read('service/kek'), 'base64')).toHaveLength(32);
  expect(await read('pgbouncer/pgbouncer-users')).toContain(await read('service/serving-password'));
  expect(await read('backup/pgpass')).toContain(await read('postgres/role-password'));
  expect(await read('owner/database-password')).not.toBe(await read('service/serving-password'));
  const outside = new X509Certificate(await read('proxy/proxy.pem'));
  expect(outside.checkHost('kiosk.check-in.example.org')).toBeDefined();
  const [inside] = (await read('service/ca.pem')).split(/(?<=-----END CERTIFICATE-----\n)/);
  expect(new X509Certificate(inside ?? '').checkHost('postgres')).toBe('postgres');

  await setUp();
  expect(await everything()).toEqual(made);
});

it('takes what is given: a secret where there is none yet, a certificate and a setting each time', async () => {
  const give = (name: string, text: string) => writeFile(join(folder, 'given', name), text);
  await give('kek', 'the former KEK');
  await give('svc.conf', 'shared_buffers = 4GB');
  await setUp();
  expect([await read('service/kek'), await read('postgres/svc.conf')]).toEqual([
    'the former KEK',
    'shared_buffers = 4GB',
  ]);
  await give('kek', 'another');
  await give('proxy.pem', 'a certificate');
  await setUp();
  expect([await read('service/kek'), await read('proxy/proxy.pem')]).toEqual(['the former KEK', 'a certificate']);
});

it('makes what an interrupted start or an earlier version lacks, and nothing else', async () => {
  await setUp();
  const { [join(folder, 'volumes/backup/pgpass')]: lost, ...rest } = await everything();
  await rm(join(folder, 'volumes/backup/pgpass'));
  await setUp();
  expect(await everything()).toEqual({ ...rest, [join(folder, 'volumes/backup/pgpass')]: lost });
});
