import type { KeyStore, PackStore } from '@svc/device-sdk';
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

const hex = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'));

describe('power that fails while', () => {
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

  it('a secret is deleted leaves it whole or gone, and nothing of it lies about in the end', async () => {
    const disk = new Disk();
    await (await createFileKeyStore('d', disk.fs)).putSecret('list-keys.1', OLD);
    const cut = async (fs: FileSystem) => (await createFileKeyStore('d', fs)).deleteSecret('list-keys.1');
    for await (const after of everyCrash(disk, cut)) {
      const store = await createFileKeyStore('d', after.fs);
      expect([null, hex(OLD)]).toContain(hex(await store.getSecret('list-keys.1')));
      await store.deleteSecret('list-keys.1');
      expect(await store.secretNames()).toEqual([]);
      expect(after.paths).toEqual([]);
    }
  });

  it('a secret is deleted, and again while the next start finishes that, leaves it whole or gone', async () => {
    const disk = new Disk();
    await (await createFileKeyStore('d', disk.fs)).putSecret('list-keys.1', OLD);
    const open = (fs: FileSystem) => createFileKeyStore('d', fs);
    const cut = async (fs: FileSystem) => (await open(fs)).deleteSecret('list-keys.1');
    for await (const once of everyCrash(disk, cut)) {
      for await (const twice of everyCrash(once, open)) {
        const store = await open(twice.fs);
        expect([null, hex(OLD)]).toContain(hex(await store.getSecret('list-keys.1')));
      }
    }
  });

  it('a secret is replaced leaves the old or the new', async () => {
    const disk = new Disk();
    await (await createFileKeyStore('d', disk.fs)).putSecret('a', OLD);
    const cut = async (fs: FileSystem) => (await createFileKeyStore('d', fs)).putSecret('a', NEW);
    for await (const after of everyCrash(disk, cut)) {
      const store = await createFileKeyStore('d', after.fs);
      expect([hex(OLD), hex(NEW)]).toContain(hex(await store.getSecret('a')));
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

  it('a secret is written leaves no half of it lying about', async () => {
    for await (const after of everyCrash(new Disk(), async (fs) =>
      (await createFileKeyStore('d', fs)).putSecret('a', NEW),
    )) {
      const store = await createFileKeyStore('d', after.fs);
      expect([null, hex(NEW)]).toContain(hex(await store.getSecret('a')));
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

/** Changing operations of opening a key store: each of its two folders is synced once. */
const OPENING = 2;

describe('a disk that fails once while a secret is', () => {
  it('deleted, and whose power fails then, has it whole or not at all', async () => {
    const prepared = new Disk();
    await (await createFileKeyStore('d', prepared.fs)).putSecret('a', OLD);
    // A deletion takes five operations, what follows a failure some more.
    for (let failing = 0; failing < 5; failing += 1) {
      for (let cutAt = OPENING; cutAt < OPENING + 12; cutAt += 1) {
        const disk = prepared.thatIsCut(cutAt, 'before');
        const store = await createFileKeyStore('d', failingAt(disk, OPENING + failing));
        await store.deleteSecret('a').catch(() => undefined);
        await store.secretNames().catch(() => undefined);
        const left = await createFileKeyStore('d', disk.afterPowerCut().fs);
        const where = `operation ${failing} failed, power cut at ${cutAt}`;
        expect([null, hex(OLD)], where).toContain(hex(await left.getSecret('a')));
      }
    }
  });

  it.each([
    ['deleted', (store: KeyStore) => store.deleteSecret('a')],
    ['replaced', (store: KeyStore) => store.putSecret('a', NEW)],
  ])('%s leaves nothing of it when the names say that it is gone', async (_what, change) => {
    for (let failing = 0; ; failing += 1) {
      const disk = new Disk();
      await (await createFileKeyStore('d', disk.fs)).putSecret('a', OLD);
      const fs = failingAt(disk, failing + OPENING);
      const store = await createFileKeyStore('d', fs);
      await change(store).catch(() => undefined);
      if (!fs.hasFailed()) break;
      for (const name of await store.secretNames()) await store.deleteSecret(name);
      expect(await store.secretNames(), `operation ${failing}`).toEqual([]);
      expect(disk.paths, `operation ${failing}`).toEqual([]);
    }
  });
});
