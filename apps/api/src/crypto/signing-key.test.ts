import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replacePrivateFile } from '@svc/durable-fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { newSigningKey, parseSigningKeys, signingSource } from './signing-key.ts';

// To simulate a file that the user may not write to: root may.
vi.mock('@svc/durable-fs', { spy: true });

let directory: string;
let file: string;
const first = newSigningKey();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-signing-'));
  file = join(directory, 'signing-key.pem');
  await writeFile(file, first.pem, { mode: 0o600 });
});
afterEach(async () => {
  vi.resetAllMocks();
  await rm(directory, { recursive: true, force: true });
});

const source = () => signingSource({ dataDirectory: directory, signingKeyFile: file });

it.each(['EACCES', 'EPERM', 'EROFS', 'EBUSY'])(
  'hands out the next key where its file cannot be written: %s',
  async (code) => {
    vi.mocked(replacePrivateFile).mockRejectedValue(Object.assign(new Error(code), { code }));
    const { key, value } = await source().append();
    expect(parseSigningKeys(`${await readFile(file, 'utf8')}${value}`)[1]?.keyId).toBe(key.keyId);
    await expect(source().keep([key.publicKey])).resolves.toBeUndefined();
  },
);

it('rejects on a full disk', async () => {
  vi.mocked(replacePrivateFile).mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }));
  await expect(source().append()).rejects.toThrow('full');
  expect(await readFile(file, 'utf8')).toBe(first.pem);
});
