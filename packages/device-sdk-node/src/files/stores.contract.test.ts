import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { keepListKeys, keyStoreContract, packStoreContract } from '@svc/device-sdk/testing/contracts';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFileKeyStore, createFilePackStore } from './file-stores.ts';

let directory = '';
beforeEach(() => {
  directory = temporaryFolder();
});

describe('file key store', () => {
  it.each(keyStoreContract)('$name', async ({ check }) => {
    await check({ port: await createFileKeyStore(directory), reopen: () => createFileKeyStore(directory) });
  });

  it('writes for the owner alone', async () => {
    const store = await createFileKeyStore(join(directory, 'a', 'b'));
    await store.devicePublicKey();
    await store.mac(Uint8Array.of(1));
    await keepListKeys(store, 1, { epochs: [{ epoch: 1, key: new Uint8Array(32) }] });
    const files = await everything(join(directory, 'a'));
    expect(files.filter(({ isFile }) => isFile)).toHaveLength(3);
    for (const { isFile, mode } of files) expect(mode & 0o777).toBe(isFile ? 0o600 : 0o700);
  });

  it('leaves no copy of a key in the memory that small Buffers share', async () => {
    const pool = () => Buffer.from(Buffer.allocUnsafe(1).buffer);
    const store = await createFileKeyStore(directory);
    await store.devicePublicKey();
    await store.mac(Uint8Array.of(1));
    await keepListKeys(store, 1, { epochs: [{ epoch: 1, key: new Uint8Array(32).fill(0xa5) }] });
    const pools = [pool()];
    const again = await createFileKeyStore(directory);
    await again.devicePublicKey();
    await again.mac(Uint8Array.of(1));
    const none = new Uint8Array();
    await (await again.listKeys(1))?.keyOf(1)?.(none, none, 32);
    pools.push(pool());
    const { readFile } = await import('node:fs/promises');
    const pkcs8 = await readFile(join(directory, 'keys', 'device-key.pkcs8'));
    // RFC 5958 around RFC 5915: the private scalar begins at byte 36.
    const keys = [pkcs8.subarray(36, 68), await readFile(join(directory, 'keys', 'mac.key')), Buffer.alloc(32, 0xa5)];
    for (const memory of pools) expect(keys.map((key) => memory.includes(key))).toEqual([false, false, false]);
  });

  it('reports storage-failed for an invalid device key file', async () => {
    const store = await createFileKeyStore(directory);
    await store.devicePublicKey();
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(directory, 'keys', 'device-key.pkcs8'), 'nonsense');
    const again = await createFileKeyStore(directory);
    await expect(again.devicePublicKey()).rejects.toMatchObject({ code: 'storage-failed' });
  });
});

describe('file pack store', () => {
  it.each(packStoreContract)('$name', async ({ check }) => {
    await check({ port: await createFilePackStore(directory), reopen: () => createFilePackStore(directory) });
  });
});

async function everything(root: string): Promise<readonly { readonly isFile: boolean; readonly mode: number }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => ({
      isFile: entry.isFile(),
      mode: (await stat(join(entry.parentPath, entry.name))).mode,
    })),
  );
}
