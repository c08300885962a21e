import { randomBytes } from 'node:crypto';
import { temporaryFolder } from '@svc/durable-fs/testing/folder';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../platform/ports.ts';
import { useDatabase } from '../testing/use-api.ts';
import { openAccountVault } from './account-vault.ts';
import { KeyEncryptionError } from './kek.ts';
import { createLocalKeyEncryption } from './key-encryption.ts';
import { createKeyRing, type KeyRing, KeyShreddedError } from './key-ring.ts';
import type { KeyStore } from './key-store.ts';
import { createPostgresKeyStore, openOwnerSecrets } from './postgres-key-store.ts';

const database = useDatabase();
const kek = new Uint8Array(randomBytes(32));
const clock = { now: () => Date.now() };

const folder = temporaryFolder();
let keyStore: KeyStore;
beforeAll(async () => {
  const secrets = await openOwnerSecrets(folder, systemRandom);
  keyStore = createPostgresKeyStore(database.connection, { secrets, random: systemRandom });
});

function ring(...keks: [Uint8Array, ...Uint8Array[]]): KeyRing {
  const keyEncryption = createLocalKeyEncryption(systemRandom, keks);
  return createKeyRing({ keyEncryption, keyStore, clock, random: systemRandom });
}

describe('keys of lists', () => {
  it('are random, one an epoch, stored wrapped only', async () => {
    const keys = ring(kek);
    const [first, second] = [await keys.createListKey('lst_a', 1), await keys.createListKey('lst_a', 2)];
    expect(Buffer.from(first).equals(second)).toBe(false);
    expect(Buffer.from(await keys.unwrapListKey('lst_a', 1)).equals(first)).toBe(true);
    const rows = await database.connection('wrapped_keys').where({ owner_id: 'lst_a' });
    const stored = JSON.stringify(rows.map((row) => row.wrapped.toString('hex')));
    expect(stored).not.toContain(Buffer.from(first).toString('hex'));
  });

  it('cannot be swapped between lists in the store', async () => {
    const keys = ring(kek);
    await keys.createListKey('lst_d', 1);
    const key = await keyStore.get({ ownerId: 'lst_d', epoch: 1 });
    if (key === null) throw new Error('no key');
    await keyStore.add({ ownerId: 'lst_e', epoch: 1 }, key, 1);
    await expect(keys.unwrapListKey('lst_e', 1)).rejects.toThrow(KeyEncryptionError);
  });
});

describe('verify', () => {
  it('accepts the first KEK, refuses a stranger’s, accepts a rotation', async () => {
    await ring(kek).verify();
    const stranger = new Uint8Array(randomBytes(32));
    await expect(ring(stranger).verify()).rejects.toThrow(KeyEncryptionError);
    await ring(stranger, kek).verify();
    await ring(stranger).createListKey('lst_f', 1);
    await expect(ring(kek).verify()).rejects.toThrow(KeyEncryptionError);
  });
});

describe('account vault', () => {
  it('makes pseudonyms that differ by account and by purpose, and opens what it sealed only', async () => {
    const keys = ring(kek);
    await keys.createAccountKey('acc_a');
    await keys.createAccountKey('acc_b');
    const [a, again, b] = await Promise.all(
      ['acc_a', 'acc_a', 'acc_b'].map((accountId) => openAccountVault(keys, systemRandom, accountId)),
    );
    if (!a || !again || !b) throw new Error('no vault');
    expect(a.billingPseudonym('p').equals(again.billingPseudonym('p'))).toBe(true);
    expect(a.billingPseudonym('p').equals(b.billingPseudonym('p'))).toBe(false);
    expect(a.billingPseudonym('p').equals(a.consentPseudonym('p'))).toBe(false);
    const sealed = a.sealPersonId('c1', 'Müller 𝕏');
    expect(again.openPersonId('c1', sealed)).toBe('Müller 𝕏');
    expect(a.openPersonId('c2', sealed)).toBeNull();
    expect(b.openPersonId('c1', sealed)).toBeNull();
    a.close();
    expect(() => a.openPersonId('c1', sealed)).toThrow('the vault is closed');
  });

  it('does not open without the account’s key', async () => {
    await expect(openAccountVault(ring(kek), systemRandom, 'acc_none')).rejects.toThrow(KeyShreddedError);
  });
});
