import { randomUUID } from 'node:crypto';
import { hkdfSha256 } from '@svc/core/pack';
import type { KeyStore } from '@svc/device-sdk';
import { keepListKeys, keyStoreContract } from '@svc/device-sdk/testing/contracts';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { beforeEach, describe, expect, it } from 'vitest';
import { openKeyStore } from '../open-key-store.ts';
import { createKeyringKeyStore, type Keyring, openSystemKeyring } from './keyring.ts';

/** A keyring in memory. `failing`: calls that reject, as those of a locked keyring. */
function memoryKeyring() {
  const entries = new Map<string, Uint8Array>();
  const failing = new Set<keyof Keyring>();
  const called = (name: keyof Keyring) => {
    if (failing.has(name)) throw new Error('Couldn’t access platform storage');
  };
  const keyring: Keyring = {
    async read(name) {
      called('read');
      return entries.get(name)?.slice() ?? null;
    },
    async write(name, secret) {
      called('write');
      entries.set(name, secret.slice());
    },
    async delete(name) {
      called('delete');
      entries.delete(name);
    },
  };
  return { keyring, entries, failing };
}

/** The same keyring, where the program is killed before or after its `at`-th change. */
function killedAt(keyring: Keyring, at: number, when: 'before' | 'after'): Keyring {
  let changes = 0;
  const change = async (make: () => Promise<void>) => {
    if (changes > at || (changes === at && when === 'before')) throw new Error('killed');
    changes += 1;
    await make();
    if (changes > at) throw new Error('killed');
  };
  return {
    read: (name) => keyring.read(name),
    write: (name, secret) => change(() => keyring.write(name, secret)),
    delete: (name) => change(() => keyring.delete(name)),
  };
}

const keysOf = (value: number) => ({ epochs: [{ epoch: 1, key: new Uint8Array(32).fill(value) }] });

/** Which of {@link keysOf} a generation has; undefined for none. */
async function valueIn(store: KeyStore, generation: number): Promise<number | undefined> {
  const none = new Uint8Array();
  const derived = await (await store.listKeys(generation))?.keyOf(1)?.(none, none, 8);
  return [1, 2, 3].find(
    (value) => derived && sameAs(derived, hkdfSha256(new Uint8Array(32).fill(value), none, none, 8)),
  );
}
const sameAs = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

async function changeAll(store: KeyStore): Promise<void> {
  await keepListKeys(store, 2, keysOf(2));
  await keepListKeys(store, 1, keysOf(3));
  await store.deleteListKeys(1);
  await store.deleteDeviceKey();
}

describe('key store over a keyring', () => {
  it.each(keyStoreContract)('$name', async ({ check }) => {
    const { keyring } = memoryKeyring();
    const open = () => createKeyringKeyStore({ service: 'test', keyring });
    await check({ port: await open(), reopen: open });
  });

  it.each(['before', 'after'] as const)(
    'that is killed %s a change has each secret whole or not, and none without its name',
    async (when) => {
      for (let at = 0, isDone = false; !isDone; at += 1) {
        const { keyring, entries } = memoryKeyring();
        const store = await createKeyringKeyStore({ service: 'test', keyring });
        await store.devicePublicKey();
        await keepListKeys(store, 1, keysOf(1));
        const doomed = await createKeyringKeyStore({ service: 'test', keyring: killedAt(keyring, at, when) });
        isDone = await changeAll(doomed).then(
          () => true,
          () => false,
        );
        const after = await createKeyringKeyStore({ service: 'test', keyring });
        const generations = await after.listKeyGenerations();
        const there = [...entries.keys()].filter((name) => /^secrets\/[^.]/.test(name));
        expect(generations.map((one) => `secrets/list-keys.${one}`).sort(), `call ${at}`).toEqual(there.sort());
        expect([undefined, 1, 3], `call ${at}`).toContain(await valueIn(after, 1));
        expect([undefined, 2], `call ${at}`).toContain(await valueIn(after, 2));
        for (const one of generations) await after.deleteListKeys(one);
        await after.deleteDeviceKey();
        expect([...entries.keys()].sort(), `call ${at}`).toEqual(['keys/.index', 'secrets/.index']);
      }
    },
  );

  it.each(['read', 'write', 'delete'] as const)('says storage-failed where %s fails', async (name) => {
    const { keyring, failing } = memoryKeyring();
    const store = await createKeyringKeyStore({ service: 'test', keyring });
    await keepListKeys(store, 1, keysOf(1));
    failing.add(name);
    const action = {
      read: () => store.listKeys(1),
      write: () => keepListKeys(store, 2, keysOf(1)),
      delete: () => store.deleteListKeys(1),
    }[name];
    await expect(action()).rejects.toMatchObject({ code: 'storage-failed', retryable: true });
  });

  it('reports a secret that survives its deletion', async () => {
    const { keyring } = memoryKeyring();
    const store = await createKeyringKeyStore({ service: 'test', keyring });
    await keepListKeys(store, 1, keysOf(1));
    keyring.delete = async () => undefined;
    await expect(store.deleteListKeys(1)).rejects.toMatchObject({ code: 'storage-failed' });
    expect(await store.listKeyGenerations()).toEqual([1]);
  });
});

describe('where a device has its keys', () => {
  let directory = '';
  beforeEach(() => {
    directory = temporaryFolder();
  });

  it('is the keyring where there is one, and stays there', async () => {
    const { keyring, entries, failing } = memoryKeyring();
    await (await openKeyStore(directory, 'keyring-or-files', keyring)).devicePublicKey();
    expect([...entries.keys()]).toContain('keys/device-key.pkcs8');
    await expect(openKeyStore(directory, 'files')).rejects.toMatchObject({ code: 'storage-failed' });
    failing.add('read');
    const store = await openKeyStore(directory, 'keyring-or-files', keyring);
    await expect(store.devicePublicKey()).rejects.toMatchObject({ code: 'storage-failed' });
  });

  it('is files by default, and stays there', async () => {
    const { keyring, entries } = memoryKeyring();
    const key = await (await openKeyStore(directory, 'files', keyring)).devicePublicKey();
    const again = await openKeyStore(directory, 'keyring-or-files', keyring);
    expect(await again.devicePublicKey()).toEqual(key);
    expect(entries.size).toBe(0);
    await expect(openKeyStore(directory, 'keyring', keyring)).rejects.toMatchObject({ code: 'storage-failed' });
  });
});

const service = `svc-test-${randomUUID()}`;
const system = await openSystemKeyring(service).catch(() => null);
if (system === null) process.stdout.write('skipped: this system has no keyring\n');

describe.skipIf(system === null)('the system’s keyring', () => {
  it.each(keyStoreContract)('$name', async ({ check }) => {
    const own = `${service}-${randomUUID()}`;
    const open = () => createKeyringKeyStore({ service: own });
    try {
      await check({ port: await open(), reopen: open });
    } finally {
      const keyring = await openSystemKeyring(own);
      for (const name of ['keys/.index', 'keys/device-key.pkcs8', 'keys/mac.key', 'secrets/.index'])
        await keyring.delete(name);
    }
  });
});

describe.runIf(system === null)('where there is no keyring', () => {
  it('says so, and takes files only where that was asked for', async () => {
    const directory = temporaryFolder();
    await expect(openKeyStore(directory, 'keyring')).rejects.toMatchObject({
      code: 'storage-failed',
      retryable: true,
    });
    const store = await openKeyStore(directory, 'keyring-or-files');
    await store.devicePublicKey();
    expect(await (await openKeyStore(directory, 'files')).hasDeviceKey()).toBe(true);
  });
});
