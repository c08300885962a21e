import type { KeyStore, PackStore } from '@svc/device-sdk';
import { describe, expect, it } from 'vitest';
import { createFileKeyStore } from './file-key-store.ts';
import { createFilePackStore } from './file-pack-store.ts';
import type { FileSystem } from './file-system.ts';

class PowerCut extends Error {}

/** A disk in memory: what a rename or a finished write put there stays; the power may fail at any changing operation. */
class Disk {
  readonly files = new Map<string, Uint8Array>();
  readonly #cutAt: number;
  readonly #how: 'before' | 'torn' | 'after';
  operations = 0;
  #off = false;

  constructor(
    cutAt = Number.POSITIVE_INFINITY,
    how: 'before' | 'torn' | 'after' = 'before',
    files = new Map<string, Uint8Array>(),
  ) {
    this.#cutAt = cutAt;
    this.#how = how;
    for (const [path, bytes] of files) this.files.set(path, bytes.slice());
  }

  #change(apply: () => void, tear: () => void = () => undefined): void {
    if (this.#off) throw new PowerCut();
    const cut = this.operations === this.#cutAt;
    this.operations += 1;
    if (!cut || this.#how === 'after') apply();
    else if (this.#how === 'torn') tear();
    this.#off = cut;
    if (cut) throw new PowerCut();
  }

  readonly fs: FileSystem = {
    read: async (path) => this.files.get(path)?.slice() ?? null,
    write: async (path, parts) => {
      const chunks: Uint8Array[] = [];
      for await (const part of parts) chunks.push(Uint8Array.from(part));
      const bytes = Uint8Array.from(Buffer.concat(chunks));
      this.#change(
        () => void this.files.set(path, bytes),
        () => void this.files.set(path, bytes.slice(0, bytes.length >> 1)),
      );
    },
    open: async (path) => {
      const bytes = this.files.get(path)?.slice();
      if (bytes === undefined) return null;
      const read = async (offset: number, length: number) => bytes.slice(offset, offset + length);
      return { byteLength: bytes.length, read, close: async () => undefined };
    },
    rename: async (from, to) =>
      this.#change(() => {
        const bytes = this.files.get(from);
        if (bytes === undefined) throw new Error('ENOENT');
        this.files.delete(from);
        this.files.set(to, bytes);
      }),
    zero: async (path) =>
      this.#change(
        () => void this.files.get(path)?.fill(0),
        () => void this.files.get(path)?.fill(0, 0, 1),
      ),
    remove: async (path) => this.#change(() => void this.files.delete(path)),
    list: async (directory) =>
      [...this.files.keys()]
        .filter((path) => path.startsWith(`${directory}/`))
        .map((path) => path.slice(directory.length + 1)),
    makeDirectory: async () => undefined,
    syncDirectory: async () => this.#change(() => undefined),
  };
}

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

/** Every instant at which `action` can be interrupted, and what the disk holds then. */
async function* everyCrash(prepared: Disk, action: (fs: FileSystem) => Promise<unknown>): AsyncGenerator<Disk> {
  const whole = new Disk(undefined, undefined, prepared.files);
  await action(whole.fs);
  for (let at = 0; at < whole.operations; at += 1) {
    for (const how of ['before', 'torn', 'after'] as const) {
      const disk = new Disk(at, how, prepared.files);
      await expect(action(disk.fs)).rejects.toBeInstanceOf(PowerCut);
      yield new Disk(undefined, undefined, disk.files);
    }
  }
}

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
      expect([...after.files.keys()]).toEqual(['d/state/state']);
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
      expect(after.files.size).toBe(0);
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
      expect([...after.files.keys()].filter((path) => path.endsWith('.tmp'))).toEqual([]);
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

/** A disk on which the `failing`-th changing operation from now fails, once. */
function failingAt(disk: Disk, failing: number): FileSystem & { readonly hasFailed: () => boolean } {
  let left = failing;
  const once =
    <Asked extends unknown[]>(operation: (...asked: Asked) => Promise<void>) =>
    async (...asked: Asked): Promise<void> => {
      left -= 1;
      if (left === -1) throw new Error('EIO');
      return operation(...asked);
    };
  const { write, rename, zero, remove, syncDirectory } = disk.fs;
  return {
    ...disk.fs,
    ...{ write: once(write), rename: once(rename), zero: once(zero), remove: once(remove) },
    ...{ syncDirectory: once(syncDirectory), hasFailed: () => left < 0 },
  };
}

describe('a disk that fails once while a secret is', () => {
  it.each([
    ['deleted', (store: KeyStore) => store.deleteSecret('a')],
    ['replaced', (store: KeyStore) => store.putSecret('a', NEW)],
  ])('%s leaves nothing of it when the names say that it is gone', async (_what, change) => {
    for (let failing = 0; ; failing += 1) {
      const disk = new Disk();
      await (await createFileKeyStore('d', disk.fs)).putSecret('a', OLD);
      // Opening two folders syncs each once.
      const fs = failingAt(disk, failing + 2);
      const store = await createFileKeyStore('d', fs);
      await change(store).catch(() => undefined);
      if (!fs.hasFailed()) break;
      for (const name of await store.secretNames()) await store.deleteSecret(name);
      expect(await store.secretNames(), `operation ${failing}`).toEqual([]);
      expect([...disk.files.keys()], `operation ${failing}`).toEqual([]);
    }
  });
});
