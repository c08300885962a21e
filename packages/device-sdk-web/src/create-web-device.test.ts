import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { inChromium } from './testing/in-chromium.ts';
import { OLD } from './testing/stored-device.ts';

const TOKEN = 'svcd_00000000000000000000000000000000000000000002plyEo';

inChromium('a device in a page', (stage) => {
  let page: Page;
  beforeAll(async () => {
    page = await stage.open();
  });

  /** Creates a device whose engine is missing. @returns the error code and what the database holds then */
  const failedStart = (deviceToken: string, page: Page) =>
    page.evaluate(async (deviceToken) => {
      const databaseName = `device-of-${deviceToken}`;
      await svcPage.prepareDevice(databaseName);
      const region = { baseUrl: location.origin, signingKeys: [btoa('7'.repeat(32)).replace('=', '')] };
      const make = () => svcPage.createWebDevice({ deviceToken, region, databaseName, assetsUrl: 'nowhere/' });
      return [await svcPage.codeOf(make), await svcPage.describeDevice(databaseName)] as const;
    }, deviceToken);

  // Everything is deleted if the state belongs to another device, as here.
  it('deletes what is due before it creates its engine, which is missing', async () => {
    const [code, left] = await failedStart(TOKEN, page);
    expect(code).toBe('runtime-failed');
    expect(left).toMatchObject({ packs: {}, listKey: '', chunks: 0 });
  });

  it('keeps what is not due if its token is mistyped', async () => {
    expect(await failedStart('svcd_nonsense', page)).toEqual(['configuration-invalid', OLD]);
  });

  // Firefox asks a person; WebKitGTK has no `navigator.storage`.
  it('starts where the storage manager is missing, throws, or never answers', async () => {
    const odd = await stage.open();
    for (const how of ['missing', 'throwing', 'hanging']) {
      await odd.evaluate((how) => {
        const persist = () => {
          if (how === 'throwing') throw new TypeError('persist');
          return new Promise(() => undefined);
        };
        const value = how === 'missing' ? undefined : { persist };
        Object.defineProperty(navigator, 'storage', { value, configurable: true });
      }, how);
      expect((await failedStart(TOKEN, odd))[0]).toBe('runtime-failed');
    }
    await odd.close();
  });

  it('says what the browser lacks', async () => {
    const lacking = await stage.open();
    const codes = await lacking.evaluate(async (deviceToken) => {
      const make = () => {
        const region = { baseUrl: location.origin, signingKeys: [btoa('7'.repeat(32)).replace('=', '')] };
        return svcPage.createWebDevice({ deviceToken, region, databaseName: 'lacking', assetsUrl: 'nowhere/' });
      };
      const { WebAssembly } = globalThis;
      const lack = (value: unknown) => Object.defineProperty(globalThis, 'WebAssembly', { value, configurable: true });
      lack(undefined);
      const withoutWebAssembly = await svcPage.codeOf(make);
      const refuse = () => Promise.reject(new Error('an unknown section'));
      lack({ validate: () => false, instantiate: refuse });
      const withOldWebAssembly = await svcPage.codeOf(make);
      lack(WebAssembly);
      Object.defineProperty(navigator, 'locks', { value: undefined });
      return { withoutWebAssembly, withOldWebAssembly, withoutLocks: await svcPage.codeOf(make) };
    }, TOKEN);
    expect(codes).toEqual({
      withoutWebAssembly: 'webassembly-missing',
      withOldWebAssembly: 'webview-too-old',
      withoutLocks: 'webview-too-old',
    });
    await lacking.close();
  });
});
