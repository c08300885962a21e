import { keyStoreContract, packStoreContract } from '@svc/device-sdk/testing/contracts';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { inChromium } from './testing/in-chromium.ts';
import { OLD } from './testing/stored-device.ts';

inChromium('in Chromium', (stage) => {
  let page: Page;
  let databases = 0;
  const freshName = () => `device-${++databases}`;

  beforeAll(async () => {
    page = await stage.open();
  });

  const suites = { keys: keyStoreContract, packs: packStoreContract };
  for (const [suite, cases] of Object.entries(suites)) {
    it.each(cases.map(({ name }, index) => ({ name, index })))(`${suite}: $name`, async ({ index }) => {
      await page.evaluate(
        ([suite, index, name]) => svcPage.contracts[suite as keyof typeof svcPage.contracts](index, name),
        [suite, index, freshName()] as const,
      );
    });
  }

  /** Rows of a database's store, read without the adapter. */
  const rawRows = async (database: string, store: string) =>
    page.evaluateHandle(
      ([database, store]) =>
        new Promise<unknown[]>((resolve, reject) => {
          const opening = indexedDB.open(database);
          opening.onerror = () => reject(opening.error);
          opening.onsuccess = () => {
            const all = opening.result.transaction(store).objectStore(store).getAll();
            all.onsuccess = () => {
              opening.result.close();
              resolve(all.result);
            };
          };
        }),
      [database, store] as const,
    );

  it('keeps keys that no script can read', async () => {
    const name = freshName();
    await page.evaluate(async (name) => {
      const keys = await svcPage.openKeys(name);
      await keys.devicePublicKey();
      await keys.mac(Uint8Array.of(1));
      await keys.deriveFromAdmissionKey(Uint8Array.of(1), Uint8Array.of(), 8);
      const epochs = [{ epoch: 1, key: new Uint8Array(32).fill(7) }];
      await svcPage.keepListKeys(keys, 1, { epochs, checkInSecret: new Uint8Array(32).fill(8) });
    }, name);
    const stored = await rawRows(name, 'keys');
    const extractable = await stored.evaluate((rows) =>
      (rows as (CryptoKey | CryptoKeyPair)[]).map((row) =>
        'privateKey' in row ? row.privateKey.extractable : row.extractable,
      ),
    );
    expect(extractable).toEqual([false, false, false]);
    const secrets = await rawRows(name, 'secrets');
    const listKeys = await secrets.evaluate((rows) =>
      (rows as { epoch: number; key: CryptoKey }[][]).flat().map(({ epoch, key, ...rest }) => ({
        ...{ epoch, rest, extractable: key.extractable, usages: key.usages, algorithm: key.algorithm.name },
      })),
    );
    expect(listKeys).toEqual([
      { epoch: 1, rest: {}, extractable: false, usages: ['deriveBits'], algorithm: 'HKDF' },
      { epoch: 0, rest: {}, extractable: false, usages: ['sign'], algorithm: 'HMAC' },
    ]);
  });

  it('leaves nothing of what was deleted or replaced in the rows', async () => {
    const name = freshName();
    await page.evaluate(async (name) => {
      const [packs, keys] = [await svcPage.openPacks(name), await svcPage.openKeys(name)];
      const parts = async function* () {
        yield new Uint8Array(200_000);
      };
      for (const generation of [1, 1, 2]) await packs.writePack(generation, parts());
      await packs.deletePack(2);
      await keys.deriveFromAdmissionKey(Uint8Array.of(1), Uint8Array.of(), 8);
      for (const log of [1, 1, 2]) await packs.writePage(log, new Uint8Array(4_096));
    }, name);
    const rows = async (...stores: string[]) =>
      Promise.all(stores.map(async (store) => (await rawRows(name, store)).evaluate((all) => all.length)));
    expect(await rows('packs', 'chunks', 'pages', 'keys')).toEqual([1, 4, 2, 1]);
    await page.evaluate(async (name) => {
      await (await svcPage.openKeys(name)).deleteAdmissionKey();
      const packs = await svcPage.openPacks(name);
      for (const each of await packs.listPages()) await packs.deletePage(each);
    }, name);
    expect(await rows('pages', 'keys')).toEqual([0, 0]);
  });

  // A page may end at any moment; what it leaves of a transaction is all or nothing.
  it('makes each change in one transaction on the disk, and a pack known after its chunks', async () => {
    const name = freshName();
    const writes = await page.evaluate(async (name) => {
      await svcPage.prepareDevice(name);
      const [packs, keys] = [await svcPage.openPacks(name), await svcPage.openKeys(name)];
      const pack = async function* () {
        yield new Uint8Array(150_000);
      };
      const opened = await keys.listKeys(1);
      const changes: Readonly<Record<string, () => Promise<unknown>>> = {
        'the state is written': () => packs.writeState(Uint8Array.of(2)),
        'a pack is replaced': () => packs.writePack(1, pack()),
        'a pack is deleted': () => packs.deletePack(1),
        'a page is replaced': () => packs.writePage(1, Uint8Array.of(2)),
        'a page is deleted': () => packs.deletePage(1),
        'list keys are replaced': async () => opened?.keepAs(1),
        'list keys are deleted': () => keys.deleteListKeys(1),
        'the key of the log is deleted': () => keys.deleteAdmissionKey(),
        'the device key is deleted': () => keys.deleteDeviceKey(),
        'all but the device key is forgotten': () => svcPage.forgetWebDevice(name, { keepDeviceKey: true }),
        'the device is forgotten': () => svcPage.forgetWebDevice(name),
      };
      const { transaction } = IDBDatabase.prototype;
      const { deleteDatabase } = IDBFactory.prototype;
      const found: Record<string, string[]> = {};
      for (const [what, change] of Object.entries(changes)) {
        const made: string[] = [];
        IDBDatabase.prototype.transaction = function (stores, mode, options) {
          if (mode === 'readwrite') made.push(`${[stores].flat().join()}: ${options?.durability}`);
          return transaction.call(this, stores, mode, options);
        };
        IDBFactory.prototype.deleteDatabase = function (name) {
          made.push('the database is deleted');
          return deleteDatabase.call(this, name);
        };
        await change();
        found[what] = made;
      }
      IDBDatabase.prototype.transaction = transaction;
      IDBFactory.prototype.deleteDatabase = deleteDatabase;
      return found;
    }, name);
    expect(writes).toEqual({
      'the state is written': ['state: strict'],
      'a pack is replaced': ['chunks: strict', 'packs,chunks: strict'],
      'a pack is deleted': ['packs,chunks: strict'],
      'a page is replaced': ['pages: strict'],
      'a page is deleted': ['pages: strict'],
      'list keys are replaced': ['secrets: strict'],
      'list keys are deleted': ['secrets: strict'],
      'the key of the log is deleted': ['keys: strict'],
      'the device key is deleted': ['keys: strict'],
      // Keys before data.
      'all but the device key is forgotten': ['keys,secrets: strict', 'secrets,state,packs,chunks,pages: strict'],
      'the device is forgotten': ['keys,secrets: strict', 'the database is deleted'],
    });
  });

  it('removes at the next start what was left of a pack that was being written, and keeps the one before', async () => {
    const name = freshName();
    const found = await page.evaluate(async (name) => {
      await svcPage.prepareDevice(name);
      const packs = await svcPage.openPacks(name);
      await new Promise<void>((resolve) => {
        const endless = async function* () {
          yield new Uint8Array(17 * 65_536);
          resolve();
          await new Promise(() => undefined);
        };
        void packs.writePack(1, endless());
      });
      return svcPage.describeDevice(name);
    }, name);
    expect(found).toEqual(OLD);
  });

  it('takes over the database of a version that had no log', async () => {
    const name = freshName();
    const found = await page.evaluate(async (name) => {
      await new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open(name, 1);
        opening.onerror = () => reject(opening.error);
        opening.onupgradeneeded = () => {
          for (const store of ['keys', 'secrets', 'state', 'packs', 'chunks']) opening.result.createObjectStore(store);
          opening.transaction?.objectStore('state').put(Uint8Array.of(7), 'state');
        };
        opening.onsuccess = () => {
          opening.result.close();
          resolve();
        };
      });
      const packs = await svcPage.openPacks(name);
      await packs.writePage(1, Uint8Array.of(8));
      return [...((await packs.readState()) ?? []), ...((await packs.readPage(1)) ?? [])];
    }, name);
    expect(found).toEqual([7, 8]);
  });

  it('reports storage-failed without space, and keeps the old data', async () => {
    const context = await stage.browser.newContext();
    const cramped = await context.newPage();
    const session = await context.newCDPSession(cramped);
    await session.send('Storage.overrideQuotaForOrigin', {
      origin: new URL(stage.site.url).origin,
      quotaSize: 2 ** 20,
    });
    await cramped.goto(stage.site.url);
    const outcome = await cramped.evaluate(async () => {
      const packs = await svcPage.openPacks('gate');
      await packs.writeState(Uint8Array.of(7));
      const parts = async function* () {
        for (let i = 0; i < 64; i += 1) yield crypto.getRandomValues(new Uint8Array(65_536));
      };
      const code = await svcPage.codeOf(() => packs.writePack(1, parts()));
      return { code, packs: await packs.listPacks(), state: [...((await packs.readState()) ?? [])] };
    });
    expect(outcome).toEqual({ code: 'storage-failed', packs: [], state: [7] });
    await context.close();
  });

  it('starts empty after the browser deletes the site’s data', async () => {
    const name = freshName();
    await page.evaluate(async (name) => {
      const keys = await svcPage.openKeys(name);
      await svcPage.keepListKeys(keys, 1, { epochs: [{ epoch: 1, key: new Uint8Array(32) }] });
      Object.assign(globalThis, { keptKeys: keys });
    }, name);
    const session = await page.context().newCDPSession(page);
    const origin = new URL(stage.site.url).origin;
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
    await expect
      .poll(() =>
        page.evaluate(() =>
          (globalThis as unknown as { keptKeys: { listKeyGenerations(): unknown } }).keptKeys.listKeyGenerations(),
        ),
      )
      .toEqual([]);
  });

  it.each([
    ['SecurityError', 'a browser that keeps nothing for this page'],
    ['InvalidStateError', 'a private window'],
  ])('says storage-failed for %s: %s', async (error) => {
    const code = await page.evaluate((error) => {
      const { open } = IDBFactory.prototype;
      IDBFactory.prototype.open = () => {
        throw new DOMException('', error);
      };
      return svcPage
        .codeOf(() => svcPage.openKeys('none'))
        .finally(() => {
          IDBFactory.prototype.open = open;
        });
    }, error);
    expect(code).toBe('storage-failed');
  });

  it('forgets all but the device’s own key pair, which another call deletes, and nothing while it is open', async () => {
    const name = freshName();
    const publicKey = () =>
      page.evaluate(async (name) => [...(await (await svcPage.openKeys(name)).devicePublicKey())], name);
    await page.evaluate((name) => svcPage.prepareDevice(name), name);
    const before = await publicKey();
    const answers = await page.evaluate(async (name) => {
      await (await svcPage.openKeys(name)).mac(Uint8Array.of(1));
      const forget = () => svcPage.codeOf(() => svcPage.forgetWebDevice(name, { keepDeviceKey: true }));
      const release = await svcPage.holdDevice(name);
      const held = await forget();
      await release();
      return { held, free: await forget(), again: await forget(), left: await svcPage.describeDevice(name) };
    }, name);
    const nothing = { state: '', packs: {}, listKey: '', chunks: 0, page: '', logKey: false };
    expect(answers).toEqual({ held: 'device-in-use', free: null, again: null, left: { ...nothing, deviceKey: true } });
    for (const [store, rows] of Object.entries({ keys: 1, secrets: 0, state: 0, packs: 0, chunks: 0, pages: 0 })) {
      expect(await (await rawRows(name, store)).evaluate((all) => all.length), store).toBe(rows);
    }
    expect(await publicKey()).toEqual(before);
    // Twice: there may be no device.
    for (let times = 0; times < 2; times += 1) await page.evaluate((name) => svcPage.forgetWebDevice(name), name);
    const left = await page.evaluate(async () => (await indexedDB.databases()).map((database) => database.name));
    expect(left).not.toContain(name);
  });

  it('gives a device to one tab only, and to the next when that tab is closed or reloaded', async () => {
    const context = await stage.browser.newContext();
    const [first, second] = [await context.newPage(), await context.newPage()];
    // Waits long enough for a busy machine.
    const hold = (at: Page, patienceMs = 30_000) =>
      at.evaluate((ms) => svcPage.codeOf(() => svcPage.holdDevice('gate', ms)), patienceMs);
    for (const each of [first, second]) await each.goto(stage.site.url);
    expect(await hold(first)).toBeNull();
    expect(await hold(second, 500)).toBe('device-in-use');
    await first.reload();
    expect(await hold(first)).toBeNull();
    await first.close();
    expect(await hold(second)).toBeNull();
    await context.close();
  });
});
