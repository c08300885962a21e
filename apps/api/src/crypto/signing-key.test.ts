import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newSigningKey, parseSigningKeys, signingSource } from './signing-key.ts';

let directory: string;
let file: string;
const first = newSigningKey();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-signing-'));
  file = join(directory, 'signing-key.pem');
  await writeFile(file, first.pem, { mode: 0o600 });
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A source whose file cannot be written, also by root. */
const source = (code: string) =>
  signingSource({
    dataDirectory: directory,
    signingKeyFile: file,
    replace: () => Promise.reject(Object.assign(new Error(code), { code })),
  });

it.each(['EACCES', 'EPERM', 'EROFS', 'EBUSY'])(
  'hands out the next key where its file cannot be written: %s',
  async (code) => {
    const { key, value } = await source(code).append();
    expect(parseSigningKeys(`${await readFile(file, 'utf8')}${value}`)[1]?.keyId).toBe(key.keyId);
    await expect(source(code).keep([key.publicKey])).resolves.toBeUndefined();
  },
);

it('rejects on a full disk', async () => {
  await expect(source('ENOSPC').append()).rejects.toThrow('ENOSPC');
  expect(await readFile(file, 'utf8')).toBe(first.pem);
});
