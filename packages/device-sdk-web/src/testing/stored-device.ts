import { hkdfSha256 } from '@svc/core/pack';
import type { KeyStore } from '@svc/device-sdk';
import { keepListKeys } from '@svc/device-sdk/testing/contracts';
import { DeviceDatabase } from '../database/device-database.ts';
import { createIndexedDbKeyStore } from '../database/indexed-db-key-store.ts';
import { createIndexedDbPackStore } from '../database/indexed-db-pack-store.ts';
import { forgetWebDevice } from '../forget-web-device.ts';

export const openKeys = async (name: string) => createIndexedDbKeyStore(await DeviceDatabase.open(name));
export const openPacks = async (name: string) => createIndexedDbPackStore(await DeviceDatabase.open(name));

const PACK_BYTES = 150_000;

const keysOf = (value: number) => ({ epochs: [{ epoch: 1, key: new Uint8Array(32).fill(value) }] });
const none = new Uint8Array();

/** Which of {@link keysOf} generation 1 has; empty for none. */
async function listKeyIn(keys: KeyStore): Promise<string> {
  const derived = await (await keys.listKeys(1))?.keyOf(1)?.(none, none, 8);
  const isOf = (value: number) => hkdfSha256(new Uint8Array(32).fill(value), none, none, 8).join() === derived?.join();
  return [1, 2].filter(isOf).join();
}

async function* packOf(value: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(PACK_BYTES).fill(value);
}

/** State 1, pack 1 of ones, list keys 1, a device key, and a page of ones under a key of the log. */
export async function prepareDevice(name: string): Promise<void> {
  const packs = await openPacks(name);
  await packs.writeState(Uint8Array.of(1));
  await packs.writePack(1, packOf(1));
  const keys = await openKeys(name);
  await keepListKeys(keys, 1, keysOf(1));
  await packs.writePage(1, Uint8Array.of(1));
  await keys.deriveFromAdmissionKey(none, none, 8);
}

/** Changes during which a device may be killed. */
export const storedChanges = {
  'the state is written': async (name: string) => (await openPacks(name)).writeState(Uint8Array.of(2)),
  'a pack is written': async (name: string) => (await openPacks(name)).writePack(2, packOf(2)),
  'a pack is replaced': async (name: string) => (await openPacks(name)).writePack(1, packOf(2)),
  'a page is replaced': async (name: string) => (await openPacks(name)).writePage(1, Uint8Array.of(2)),
  'a page is deleted': async (name: string) => (await openPacks(name)).deletePage(1),
  'a pack is deleted': async (name: string) => (await openPacks(name)).deletePack(1),
  'list keys are replaced': async (name: string) => keepListKeys(await openKeys(name), 1, keysOf(2)),
  'list keys are deleted': async (name: string) => (await openKeys(name)).deleteListKeys(1),
  'the key of the log is deleted': async (name: string) => (await openKeys(name)).deleteAdmissionKey(),
  'the device key is deleted': async (name: string) => (await openKeys(name)).deleteDeviceKey(),
  'the device is forgotten': (name: string) => forgetWebDevice(name),
};
export type StoredChange = keyof typeof storedChanges;

/** What {@link describeDevice} says after {@link prepareDevice}. */
export const OLD = {
  state: '1',
  packs: { 1: '150000 × 1' },
  listKey: '1',
  deviceKey: true,
  chunks: 3,
  page: '1',
  logKey: true,
};

/** Number of database requests of each change, and the result of {@link describeDevice} after it. */
export const storedOutcomes: Readonly<Record<StoredChange, { readonly steps: number; readonly next: object }>> = {
  'the state is written': { steps: 1, next: { ...OLD, state: '2' } },
  'a pack is written': { steps: 4, next: { ...OLD, packs: { ...OLD.packs, 2: '150000 × 2' }, chunks: 6 } },
  'a pack is replaced': { steps: 5, next: { ...OLD, packs: { 1: '150000 × 2' } } },
  'a page is replaced': { steps: 1, next: { ...OLD, page: '2' } },
  'a page is deleted': { steps: 1, next: { ...OLD, page: '' } },
  'a pack is deleted': { steps: 2, next: { ...OLD, packs: {}, chunks: 0 } },
  'list keys are replaced': { steps: 1, next: { ...OLD, listKey: '2' } },
  'list keys are deleted': { steps: 1, next: { ...OLD, listKey: '' } },
  'the key of the log is deleted': { steps: 1, next: { ...OLD, logKey: false } },
  'the device key is deleted': { steps: 1, next: { ...OLD, deviceKey: false } },
  'the device is forgotten': {
    steps: 3,
    next: { state: '', packs: {}, listKey: '', deviceKey: false, chunks: 0, page: '', logKey: false },
  },
};

/** Everything that a device finds at its next start: each pack's length and values, and the number of chunk rows. */
export async function describeDevice(name: string) {
  const [packs, keys] = [await openPacks(name), await openKeys(name)];
  const contents: Record<number, string> = {};
  for (const generation of await packs.listPacks()) {
    const reader = await packs.openPack(generation);
    const bytes = (await reader?.read(0, reader.byteLength)) ?? new Uint8Array();
    contents[generation] = `${bytes.length} × ${[...new Set(bytes)].join()}`;
  }
  const database = await DeviceDatabase.open(name);
  return {
    state: [...((await packs.readState()) ?? [])].join(),
    packs: contents,
    listKey: await listKeyIn(keys),
    deviceKey: await keys.hasDeviceKey(),
    chunks: await database.read(['chunks'], (tx) => tx.objectStore('chunks').count()),
    page: [...((await packs.readPage(1)) ?? [])].join(),
    logKey: await keys.hasAdmissionKey(),
  };
}
