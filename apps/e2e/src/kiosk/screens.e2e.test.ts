import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { TestSite } from '@svc/device-sdk-web/testing';
import { bundleGallery, PAGE_POLICY } from '@svc/kiosk/build';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, galleryNames, inTurn, serveFolder } from '../support/gallery.ts';
import { sizes as kioskSizes, showScreen } from './gallery.ts';

const runsAll = process.env.SVC_TEST_KIOSK_ALL === '1';
/**
 * The smallest size is the tightest for texts. The languages with the longest texts, and one from right to left, take
 * turns with the other screens.
 */
const small = { viewport: { width: 320, height: 640 }, everyScreen: runsAll };
const sizes = runsAll ? [small, { viewport: { width: 3840, height: 2160 }, everyScreen: true }] : [small];
const languages = ['de', 'pl', 'ar'] as const;
const themes = ['light', 'dark'] as const;
if (!runsAll) console.log('every screen in both themes, all languages and sizes: only with SVC_TEST_KIOSK_ALL=1');

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
        await showScreen(page, name);
        for (const violation of await axeViolations(page)) found.push(`${theme} ${name}: ${violation}`);
      }
    }
    expect(names.length).toBeGreaterThan(30);
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it.each(kioskSizes)('shows the whole head of a standing person in $width × $height', async (viewport) => {
    const page = await browser.newPage({ viewport });
    await page.goto(address);
    for (const name of ['attempt-look', 'attempt-staff', 'attempt-right-hint']) {
      await showScreen(page, name);
      const seen = await page.evaluate(() => {
        const picture = document.querySelector('.live-picture');
        const video = picture?.querySelector('video');
        if (!picture || !video) return null;
        const box = picture.getBoundingClientRect();
        // `object-fit: cover` fills the box, and cuts off the longer side of the picture equally at both ends.
        const scale = Math.max(box.width / video.videoWidth, box.height / video.videoHeight);
        return {
          ofHeight: box.height / (video.videoHeight * scale),
          ofWidth: box.width / (video.videoWidth * scale),
          isInWindow: box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth,
          ofWindow: (box.width * box.height) / (innerWidth * innerHeight),
          scrolls: document.documentElement.scrollHeight > innerHeight,
        };
      });
      expect(seen?.ofHeight, name).toBeGreaterThan(0.995);
      expect(seen?.ofWidth, name).toBeGreaterThan(0.745);
      expect(seen, name).toMatchObject({ isInWindow: true, scrolls: false });
      expect(seen?.ofWindow, name).toBeGreaterThan(0.2);
    }
    await page.close();
  });

  it.each(['none', 'active'] as const)('tells the four results apart with forced colours: %s', async (forcedColors) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, forcedColors });
    const page = await context.newPage();
    await page.goto(address);
    const shown = [];
    for (const name of ['result-match', 'result-let-in-before', 'result-not-enrolled', 'result-no-match']) {
      await showScreen(page, name);
      shown.push(
        await page.evaluate(() => {
          const sign = document.querySelector('.sign');
          const figure = sign?.querySelector('.sign-figure');
          const reason = document.querySelector('.result-reason');
          return {
            title: document.querySelector('h1')?.textContent ?? '',
            outline: sign?.querySelector('.sign-outline')?.innerHTML ?? '',
            figure: figure?.innerHTML ?? '',
            isFigureVisible:
              sign !== null && figure != null && getComputedStyle(figure).stroke !== getComputedStyle(sign).color,
            signPx: sign?.getBoundingClientRect().width ?? 0,
            titlePx: Number.parseFloat(getComputedStyle(document.querySelector('h1') ?? document.body).fontSize),
            reasonPx: reason === null ? null : Number.parseFloat(getComputedStyle(reason).fontSize),
            fillsScreen: (document.querySelector('#app')?.getBoundingClientRect().height ?? 0) >= innerHeight,
          };
        }),
      );
    }
    for (const part of ['title', 'outline', 'figure'] as const) {
      expect(new Set(shown.map((result) => result[part])).size, part).toBe(4);
    }
    for (const { isFigureVisible, signPx, titlePx, reasonPx, fillsScreen, title } of shown) {
      expect({ title, isFigureVisible, fillsScreen }).toEqual({ title, isFigureVisible: true, fillsScreen: true });
      expect(signPx).toBeGreaterThan(200);
      expect(titlePx).toBeGreaterThan(100);
      if (reasonPx !== null) expect(reasonPx).toBeGreaterThanOrEqual(24);
    }
    await context.close();
  });

  it('shows the whole viewfinder on a lying phone, however long the words beside it', async () => {
    const page = await browser.newPage({ viewport: { width: 667, height: 375 } });
    await page.goto(`${address}?lang=de`);
    const outside: string[] = [];
    for (const name of names.filter((each) => each.startsWith('scan'))) {
      await showScreen(page, name);
      const { y = -1, height = 0 } = (await page.locator('.viewfinder').boundingBox()) ?? {};
      if (y < 0 || y + height > 375) outside.push(`${name}: ${y} to ${y + height}`);
    }
    expect(outside).toEqual([]);
    await page.close();
  });

  it.each(sizes)('fits $viewport.width × $viewport.height in the longest words', async ({ viewport, everyScreen }) => {
    const page = await browser.newPage({ viewport });
    const wrong: string[] = [];
    for (const [language, shown] of inTurn(names, languages, everyScreen)) {
      await page.goto(`${address}?lang=${language}`);
      for (const name of shown) {
        await showScreen(page, name);
        const look = () =>
          page.evaluate((shownName) => {
            const place = document.querySelector('.place')?.getBoundingClientRect();
            const hasPlace = place !== undefined && place.top >= 0 && place.bottom <= innerHeight && place.width > 50;
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
              ...(hasPlace || !/^(scan|attempt|result|not-ready|device)/.test(shownName) ? [] : ['shows no names']),
              ...(scrollWidth > clientWidth || cut.length > 0 ? ['scrolls sideways'] : []),
              ...tiny.map(({ textContent }) => `small target ${textContent}`),
            ];
          }, name);
        let faults = await look();
        // A dialog is in the page before it is open.
        for (let looks = 1; faults.length > 0 && looks < 300; looks += 1) {
          await page.waitForTimeout(100);
          faults = await look();
        }
        // One task later, after the screen is painted.
        await page
          .waitForFunction(() => document.activeElement?.closest('h1, dialog, .screen-pin'), undefined, {
            timeout: 30_000,
          })
          .catch(() => faults.push('takes the focus to no heading'));
        wrong.push(...faults.map((fault) => `${language} ${name}: ${fault}`));
      }
    }
    expect(wrong).toEqual([]);
    await page.close();
  });
});
