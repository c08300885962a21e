import { expect, it } from 'vitest';
import { createMemoryKeyStore } from '../adapters/memory-key-store.ts';
import { createMemoryPackStore } from '../adapters/memory-pack-store.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { PackStore } from '../ports/pack-store.ts';
import { eraseKeysThenPacks } from './erase.ts';

const GENERATION = 3;
const survives = { code: 'storage-failed', retryable: true };

async function filled(): Promise<{ readonly keyStore: KeyStore; readonly packStore: PackStore }> {
  const [keyStore, packStore] = [createMemoryKeyStore(), createMemoryPackStore()];
  await keyStore.devicePublicKey();
  await keyStore.putListKeys(GENERATION, [{ epoch: 1, key: new Uint8Array(32).fill(7) }]);
  const parts = async function* () {
    yield Uint8Array.of(1);
  };
  await packStore.writePack(GENERATION, parts());
  return { keyStore, packStore };
}

it.each([
  ['a list key', { deleteListKeys: async () => undefined }],
  ['the device key', { deleteDeviceKey: async () => undefined }],
])('%s that survives its deletion keeps the packs, and is said', async (_which, broken: Partial<KeyStore>) => {
  const { keyStore, packStore } = await filled();
  let isClosed = false;
  const closePack = async () => {
    isClosed = true;
  };
  const stores = { keyStore: { ...keyStore, ...broken }, packStore };
  await expect(eraseKeysThenPacks(stores, { withDeviceKey: true, withLog: true, closePack })).rejects.toMatchObject(
    survives,
  );
  expect([isClosed, await packStore.listPacks()]).toEqual([false, [GENERATION]]);
});

it('a pack that survives its deletion is reported, after its key is deleted', async () => {
  const { keyStore, packStore } = await filled();
  const stores = { keyStore, packStore: { ...packStore, deletePack: async () => undefined } };
  const options = { withDeviceKey: false, withLog: true, closePack: async () => undefined };
  await expect(eraseKeysThenPacks(stores, options)).rejects.toMatchObject(survives);
  expect([await keyStore.listKeyGenerations(), await keyStore.hasDeviceKey()]).toEqual([[], true]);
});
