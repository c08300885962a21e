import { hkdfSha256 } from '@svc/core/pack';
import type { KeyStore } from '@svc/device-sdk';
import { keepListKeys } from '@svc/device-sdk/testing/contracts';
import { DeviceDatabase } from '../database/device-database.ts';
import { createIndexedDbKeyStore } from '../database/indexed-db-key-store.ts';
import { createIndexedDbPackStore } from '../database/indexed-db-pack-store.ts';

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
