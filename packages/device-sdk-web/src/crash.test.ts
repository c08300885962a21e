import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { inChromium, launchOptions } from './testing/in-chromium.ts';
import { OLD, type StoredChange, storedOutcomes } from './testing/stored-device.ts';

inChromium('a device that is killed', (stage) => {
  async function openIn(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(stage.site.url);
    return page;
  }

  // A thread is killed at each step, which closes its connection as the end of a tab does. Runs concurrently, since the
  // browser takes two seconds for each.
  it.concurrent.each(Object.keys(storedOutcomes) as StoredChange[])('while %s leaves the old', async (change) => {
    const page = await stage.open();
    const { steps, next } = storedOutcomes[change];
    const found = await page.evaluate(
      async ([change, steps]) =>
        Promise.all(
          Array.from({ length: steps + 1 }, async (_, i) => {
            const name = `${change} ${i}`;
            await svcPage.prepareDevice(name);
            const doomed = await svcPage.startDoomed({ name, change, nth: i + 1 });
            doomed?.terminate();
            return svcPage.describeDevice(name);
          }),
        ),
      [change, steps] as const,
    );
    // The new state after the last step, when the change is complete.
    expect(found).toEqual([...Array.from({ length: steps }, () => OLD), next]);
    await page.close();
  });

  /** A worker of the page stops in the middle of replacing a pack. */
  async function doom(page: Page): Promise<void> {
    const stopped = await page.evaluate(async () => {
      await svcPage.prepareDevice('gate');
      const doomed = { name: 'gate', change: 'a pack is replaced', nth: 4, when: 'after' } as const;
      return (await svcPage.startDoomed(doomed)) !== null;
    });
    expect(stopped).toBe(true);
  }

  it('with its tab leaves the old', async () => {
    const context = await stage.browser.newContext();
    const page = await openIn(context);
    await doom(page);
    await page.close();
    const next = await openIn(context);
    expect(await next.evaluate(() => svcPage.describeDevice('gate'))).toEqual(OLD);
    await context.close();
  });

  it('with the whole browser leaves the old on the disk', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'svc-browser-'));
    try {
      const first = await chromium.launchPersistentContext(directory, launchOptions);
      await doom(await openIn(first));
      const session = await first.browser()?.newBrowserCDPSession();
      // Kills the browser at once, so no answer arrives.
      await session?.send('Browser.crash').catch(() => undefined);
      await first.close().catch(() => undefined);
      const second = await chromium.launchPersistentContext(directory, launchOptions);
      const found = await (await openIn(second)).evaluate(() => svcPage.describeDevice('gate'));
      await second.close();
      expect(found).toEqual(OLD);
    } finally {
      await rm(directory, { recursive: true, force: true, maxRetries: 3 });
    }
  });
});
