import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { TestSite } from '@svc/device-sdk-web/testing';
import { bundleGallery, PAGE_POLICY } from '@svc/kiosk/build';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, galleryNames, inTurn, serveFolder } from '../support/gallery.ts';

const runsAll = process.env.SVC_TEST_KIOSK_ALL === '1';
/**
 * The smallest size is the tightest for texts. The languages with the longest texts take turns with the other screens.
 */
const small = { viewport: { width: 320, height: 640 }, everyScreen: runsAll };
const sizes = runsAll ? [small, { viewport: { width: 3840, height: 2160 }, everyScreen: true }] : [small];
const languages = ['de', 'pl'] as const;
const themes = ['light', 'dark'] as const;
if (!runsAll) console.log('every screen in both themes, all languages and sizes: only with SVC_TEST_KIOSK_ALL=1');

/** Changes the screen of an open page. */
async function show(page: Page, name: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next;
  }, name);
  await page.locator(`#app[data-shown="${name}"] main h1`).waitFor();
}

describe.skipIf(chromiumPath === undefined)('every screen', { timeout: 300_000 }, () => {
  let folder: string;
  let site: TestSite;
  let browser: Browser;
  let address: string;
  let names: readonly string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-screens-'));
    const path = await bundleGallery(folder);
    site = await serveFolder(folder, PAGE_POLICY);
    address = `${site.url}/${path}`;
    browser = await launchChromium();
    const page = await browser.newPage();
    await page.goto(address);
    names = await galleryNames(page);
    await page.close();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has no violations by axe, in light and dark', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    const found: string[] = [];
    for (const [theme, shown] of inTurn(names, themes, runsAll)) {
      await page.goto(`${address}?theme=${theme}`);
      for (const name of shown) {
        await show(page, name);
        for (const violation of await axeViolations(page)) found.push(`${theme} ${name}: ${violation}`);
      }
    }
    expect(names.length).toBeGreaterThan(30);
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each(sizes)('fits $viewport.width × $viewport.height in the longest words', async ({ viewport, everyScreen }) => {
    const page = await browser.newPage({ viewport });
    const wrong: string[] = [];
    for (const [language, shown] of inTurn(names, languages, everyScreen)) {
      await page.goto(`${address}?lang=${language}`);
      for (const name of shown) {
        await show(page, name);
        const faults = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          const cut = [...document.querySelectorAll('main button, header button, main p, main h1')].filter(
            (element) => element.getBoundingClientRect().right > clientWidth + 1,
          );
          // Targets of 24 px: WCAG 2.2, 2.5.8.
          const tiny = [...document.querySelectorAll('button, select, input')].filter((control) => {
            const { width, height } = control.getBoundingClientRect();
            return width < 24 || height < 24;
          });
          return [
            ...(scrollWidth > clientWidth || cut.length > 0 ? ['scrolls sideways'] : []),
            ...tiny.map(({ textContent }) => `small target ${textContent}`),
          ];
        });
        // One task later, after the screen is painted.
        await page
          .waitForFunction(() => document.activeElement?.closest('h1, dialog'), undefined, { timeout: 5_000 })
          .catch(() => faults.push('takes the focus to no heading'));
        wrong.push(...faults.map((fault) => `${language} ${name}: ${fault}`));
      }
    }
    expect(wrong).toEqual([]);
    await page.close();
  });
});
