import { hkdfSha256 } from '@svc/core/pack';
import type { KeyStore, PackStore } from '@svc/device-sdk';
import type { SealedListKeys } from '@svc/device-sdk/adapters';
import { keepListKeys, type PlainListKeys, sealListKeys } from '@svc/device-sdk/testing/contracts';
import type { FileSystem } from '@svc/durable-fs';
import { Disk, everyCrash, failingAt } from '@svc/durable-fs/testing';
import { describe, expect, it } from 'vitest';
import { createFileKeyStore, createFilePackStore } from './file-stores.ts';

const OLD = Uint8Array.from({ length: 100 }, (_, i) => i + 1);
const NEW = Uint8Array.from({ length: 80 }, (_, i) => 200 - i);
async function* inTwo(bytes: Uint8Array) {
  yield bytes.subarray(0, 33);
  yield bytes.subarray(33);
}

async function packOf(store: PackStore, generation: number): Promise<Uint8Array | null> {
  const reader = await store.openPack(generation);
  return reader === null ? null : reader.read(0, reader.byteLength);
}

const keysOf = (value: number): PlainListKeys => ({
  epochs: [1, 2, 3].map((epoch) => ({ epoch, key: new Uint8Array(32).fill(value + epoch) })),
});
const [OLD_KEYS, NEW_KEYS] = [keysOf(10), keysOf(20)];
const none = new Uint8Array();
/** HKDF output of each key, to compare keys that do not leave the store. */
const derivedOf = ({ epochs }: PlainListKeys) =>
  epochs.map(({ epoch, key }) => `${epoch} ${hex(hkdfSha256(key, none, none, 8))}`).join();

const DEVICE_KEY = 'd/keys/device-key.pkcs8';

/** A disk with a device key and these list keys, and {@link NEW_KEYS} sealed to the device. */
async function diskWith(keys: PlainListKeys | null): Promise<{ readonly disk: Disk; readonly sealed: SealedListKeys }> {
  const disk = new Disk();
  const store = await createFileKeyStore('d', disk.fs);
  const sealed = await sealListKeys(await store.devicePublicKey(), NEW_KEYS);
  if (keys !== null) await keepListKeys(store, 1, keys);
  return { disk, sealed };
}

async function keepSealed(store: KeyStore, sealed: SealedListKeys): Promise<void> {
  await (await store.openListKeys(sealed)).keepAs(1);
}

async function derivedIn(store: KeyStore): Promise<string | null> {
  const keys = await store.listKeys(1);
  if (keys === null) return null;
  const derived = keys.epochs.map(async (epoch) => {
    return `${epoch} ${hex((await keys.keyOf(epoch)?.(none, none, 8)) ?? null)}`;
  });
  return (await Promise.all(derived)).join();
}

const hex = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'));

describe('a power cut while', () => {
  it('the state is written leaves the old or the new', async () => {
    const disk = new Disk();
    await (await createFilePackStore('d', disk.fs)).writeState(OLD);
    const seen = new Set<string | null>();
    for await (const after of everyCrash(disk, async (fs) => (await createFilePackStore('d', fs)).writeState(NEW))) {
      const store = await createFilePackStore('d', after.fs);
      const state = hex(await store.readState());
      expect([hex(OLD), hex(NEW)]).toContain(state);
      seen.add(state);
      expect(after.paths).toEqual(['d/state/state']);
    }
    expect(seen.size).toBe(2);
  });

  it('a pack is put or deleted leaves it whole or not there', async () => {
    const disk = new Disk();
    await (await createFilePackStore('d', disk.fs)).writePack(1, inTwo(OLD));
    for await (const after of everyCrash(disk, async (fs) =>
      (await createFilePackStore('d', fs)).writePack(2, inTwo(NEW)),
    )) {
      const store = await createFilePackStore('d', after.fs);
      expect(hex(await packOf(store, 1))).toBe(hex(OLD));
      expect([null, hex(NEW)]).toContain(hex(await packOf(store, 2)));
    }
  });

  it('a page of the log is replaced leaves the old or the new, and deleted the new or none', async () => {
    const disk = new Disk();
    await (await createFilePackStore('d', disk.fs)).writePage(1, OLD);
    const seen = new Set<string | null>();
    const change = async (fs: FileSystem) => {
      const store = await createFilePackStore('d', fs);
      await store.writePage(1, NEW);
      await store.deletePage(1);
    };
    for await (const after of everyCrash(disk, change)) {
      const store = await createFilePackStore('d', after.fs);
      seen.add(hex(await store.readPage(1)));
      expect(after.paths.filter((path) => path.endsWith('.tmp'))).toEqual([]);
    }
    expect(seen).toEqual(new Set([hex(OLD), hex(NEW), null]));
  });

  it('the key of the log is deleted leaves the same one or none', async () => {
    const disk = new Disk();
    const derive = (store: KeyStore) => store.deriveFromAdmissionKey(none, none, 8).then(hex);
    const before = await derive(await createFileKeyStore('d', disk.fs));
    const cut = async (fs: FileSystem) => (await createFileKeyStore('d', fs)).deleteAdmissionKey();
    for await (const after of everyCrash(disk, cut)) {
      const store = await createFileKeyStore('d', after.fs);
      const isKept = await store.hasAdmissionKey();
      expect((await derive(store)) === before).toBe(isKept);
    }
  });

  it('a secret is deleted leaves it whole or gone, and finally no trace of it', async () => {
    const { disk } = await diskWith(OLD_KEYS);
    const cut = async (fs: FileSystem) => (await createFileKeyStore('d', fs)).deleteListKeys(1);
    for await (const after of everyCrash(disk, cut)) {
      const store = await createFileKeyStore('d', after.fs);
      expect([null, derivedOf(OLD_KEYS)]).toContain(await derivedIn(store));
      await store.deleteListKeys(1);
      expect(await store.listKeyGenerations()).toEqual([]);
      expect(after.paths).toEqual([DEVICE_KEY]);
    }
  });

  it('a secret is deleted, and again while the next start finishes that, leaves it whole or gone', async () => {
    const { disk } = await diskWith(OLD_KEYS);
    const open = (fs: FileSystem) => createFileKeyStore('d', fs);
    const cut = async (fs: FileSystem) => (await open(fs)).deleteListKeys(1);
    for await (const once of everyCrash(disk, cut)) {
      for await (const twice of everyCrash(once, open)) {
        const store = await open(twice.fs);
        expect([null, derivedOf(OLD_KEYS)]).toContain(await derivedIn(store));
      }
    }
  });

  it('a secret is replaced leaves the old or the new', async () => {
    const { disk, sealed } = await diskWith(OLD_KEYS);
    const cut = async (fs: FileSystem) => keepSealed(await createFileKeyStore('d', fs), sealed);
    for await (const after of everyCrash(disk, cut)) {
      const store = await createFileKeyStore('d', after.fs);
      expect([derivedOf(OLD_KEYS), derivedOf(NEW_KEYS)]).toContain(await derivedIn(store));
    }
  });

  it('the device key is deleted leaves the same one or none', async () => {
    const disk = new Disk();
    const before = hex(await (await createFileKeyStore('d', disk.fs)).devicePublicKey());
    const cut = async (fs: FileSystem) => (await createFileKeyStore('d', fs)).deleteDeviceKey();
    for await (const after of everyCrash(disk, cut)) {
      const store = await createFileKeyStore('d', after.fs);
      const kept = await store.hasDeviceKey();
      expect(hex(await store.devicePublicKey()) === before).toBe(kept);
    }
  });

  it('a secret is written leaves no part of it', async () => {
    const { disk, sealed } = await diskWith(null);
    const cut = async (fs: FileSystem) => keepSealed(await createFileKeyStore('d', fs), sealed);
    for await (const after of everyCrash(disk, cut)) {
      const store = await createFileKeyStore('d', after.fs);
      expect([null, derivedOf(NEW_KEYS)]).toContain(await derivedIn(store));
      expect(after.paths.filter((path) => path.endsWith('.tmp'))).toEqual([]);
    }
  });

  it('the device key is made leaves none or a whole one', async () => {
    for await (const after of everyCrash(new Disk(), async (fs) =>
      (await createFileKeyStore('d', fs)).devicePublicKey(),
    )) {
      const store = await createFileKeyStore('d', after.fs);
      expect((await store.devicePublicKey()).length).toBe(65);
    }
  });
});

/** Operations that change the disk when a key store opens: each of its two folders is synced once. */
const OPENING = 2;

describe('a disk that fails once while a secret is', () => {
  it('deleted, and whose power fails then, has it whole or not at all', async () => {
    const { disk: prepared } = await diskWith(OLD_KEYS);
    // A deletion takes five operations, and more after a failure.
    for (let failing = 0; failing < 5; failing += 1) {
      for (let cutAt = OPENING; cutAt < OPENING + 12; cutAt += 1) {
        const disk = prepared.thatIsCut(cutAt, 'before');
        const store = await createFileKeyStore('d', failingAt(disk, OPENING + failing));
        await store.deleteListKeys(1).catch(() => undefined);
        await store.listKeyGenerations().catch(() => undefined);
        const left = await createFileKeyStore('d', disk.afterPowerCut().fs);
        const where = `operation ${failing} failed, power cut at ${cutAt}`;
        expect([null, derivedOf(OLD_KEYS)], where).toContain(await derivedIn(left));
      }
    }
  });

  it.each([
    ['deleted', (store: KeyStore) => store.deleteListKeys(1)],
    ['replaced', keepSealed],
  ])('%s leaves nothing of it when the names say that it is gone', async (_what, change) => {
    for (let failing = 0; ; failing += 1) {
      const { disk, sealed } = await diskWith(OLD_KEYS);
      const fs = failingAt(disk, failing + OPENING);
      const store = await createFileKeyStore('d', fs);
      await change(store, sealed).catch(() => undefined);
      if (!fs.hasFailed()) break;
      for (const one of await store.listKeyGenerations()) await store.deleteListKeys(one);
      expect(await store.listKeyGenerations(), `operation ${failing}`).toEqual([]);
      expect(disk.paths, `operation ${failing}`).toEqual([DEVICE_KEY]);
    }
  });
});
