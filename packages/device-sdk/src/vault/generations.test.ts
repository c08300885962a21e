import { expect, it } from 'vitest';
import type { KeyStore } from '../storage/key-store.ts';
import { createMemoryKeyStore, createMemoryPackStore } from '../storage/memory-stores.ts';
import type { PackStore } from '../storage/pack-store.ts';
import { keepListKeys } from '../testing/contracts.ts';
import { Generations } from './generations.ts';

const GENERATION = 3;
const survives = { code: 'storage-failed', retryable: true };

async function filled(): Promise<{ readonly keyStore: KeyStore; readonly packStore: PackStore }> {
  const [keyStore, packStore] = [createMemoryKeyStore(), createMemoryPackStore()];
  await keyStore.devicePublicKey();
  await keepListKeys(keyStore, GENERATION, { epochs: [{ epoch: 1, key: new Uint8Array(32).fill(7) }] });
  const parts = async function* () {
    yield Uint8Array.of(1);
  };
  await packStore.writePack(GENERATION, parts());
  await keyStore.deriveFromAdmissionKey(new Uint8Array(), new Uint8Array(), 8);
  await packStore.writePage(5, Uint8Array.of(1));
  return { keyStore, packStore };
}

it.each([
  ['a list key', { deleteListKeys: async () => undefined }],
  ['the key of the log', { deleteAdmissionKey: async () => undefined }],
  ['the device key', { deleteDeviceKey: async () => undefined }],
])('%s that survives its deletion keeps the packs, and is said', async (_which, broken: Partial<KeyStore>) => {
  const { keyStore, packStore } = await filled();
  const stores = { keyStore: { ...keyStore, ...broken }, packStore };
  const erasing = new Generations(stores).eraseAll({ withDeviceKey: true, withLog: true });
  await expect(erasing).rejects.toMatchObject(survives);
  expect([await packStore.listPacks(), await packStore.listPages()]).toEqual([[GENERATION], [5]]);
});

it.each([
  ['pack', { deletePack: async () => undefined }],
  ['page', { deletePage: async () => undefined }],
])(
  'a %s that survives its deletion is reported, after its key is deleted',
  async (_which, broken: Partial<PackStore>) => {
    const { keyStore, packStore } = await filled();
    const stores = { keyStore, packStore: { ...packStore, ...broken } };
    await expect(new Generations(stores).eraseAll({ withDeviceKey: false, withLog: true })).rejects.toMatchObject(
      survives,
    );
    const left = [await keyStore.listKeyGenerations(), await keyStore.hasDeviceKey(), await keyStore.hasAdmissionKey()];
    expect(left).toEqual([[], true, false]);
  },
);

it.each([
  ['the key of the log', { deleteAdmissionKey: () => Promise.reject(new Error('EIO')) }],
  ['a list key', { deleteListKeys: () => Promise.reject(new Error('EIO')) }],
])('%s that cannot be deleted does not save the other keys', async (_which, broken: Partial<KeyStore>) => {
  const { keyStore, packStore } = await filled();
  const stores = { keyStore: { ...keyStore, ...broken }, packStore };
  await expect(new Generations(stores).eraseAll({ withDeviceKey: true, withLog: true })).rejects.toThrow('EIO');
  const left = [...(await keyStore.listKeyGenerations()), await keyStore.hasAdmissionKey()];
  expect(left).toEqual('deleteListKeys' in broken ? [GENERATION, false] : [true]);
  expect([await keyStore.hasDeviceKey(), await packStore.listPacks()]).toEqual([false, [GENERATION]]);
});

it('of a list whose data is bad leaves the log', async () => {
  const { keyStore, packStore } = await filled();
  await new Generations({ keyStore, packStore }).eraseAll({ withDeviceKey: false, withLog: false });
  expect([await packStore.listPacks(), await packStore.listPages(), await keyStore.hasAdmissionKey()]).toEqual([
    [],
    [5],
    true,
  ]);
});
