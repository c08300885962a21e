import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { bundleGallery, PAGE_POLICY } from '@svc/widget/build';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations, galleryNames, inTurn } from '../support/gallery.ts';
import { serveGallery, showStep, type WidgetGallery } from './gallery.ts';
import { runsAll } from './guest.ts';

if (!runsAll) console.log('every step in both themes, all languages and widths: only with SVC_TEST_WIDGET_ALL=1');
/** Yellow, black, white, a pale and a dark colour, each of which is hardly to be seen somewhere. */
const accents = ['ffe600', '000000', 'ffffff', 'f3e9dc', '1a1a80'];
/** Each accent in both themes, and none; with and without a logo; at top level and in an organiser's page. */
const looks = [
  ...accents.flatMap((accent) => [`theme=light&accent=${accent}&brand`, `theme=dark&accent=${accent}&host=frame`]),
  'theme=light&host=frame&preview',
  'theme=dark&brand&preview',
];
/** The narrowest width is the tightest for texts. */
const widths = runsAll ? [320, 480, 1280, 2560] : [320];
const texts = readdirSync(new URL('../../../widget/src/page/text/', import.meta.url));
const every = texts.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
const languages = runsAll ? every : ['de', 'pl'];

/** @param hex `rrggbb` */
const rgbOf = (hex: string) => `rgb(${[0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;

/** The parts of axe that calculate with colours. */
interface AxeColours {
  readonly axe: {
    readonly commons: {
      readonly color: {
        readonly Color: new () => { parseString(colour: string): unknown };
        getContrast(a: unknown, b: unknown): number;
      };
    };
  };
}

/** Roles that need a name (WAI-ARIA 1.2), in Chromium's terms. */
const NAMED =
  /^(button|link|checkbox|combobox|menuitem|option|textbox|heading|img|image|figure|Video|Canvas|navigation)$/i;

/** Steps that differ only in texts: a short run takes one of each kind. */
const alike = /^(hint|refused|file|ended)-/;

function shortOf(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const [kind] = alike.exec(name) ?? [];
    if (kind === undefined) return true;
    const isFirst = !seen.has(kind);
    seen.add(kind);
    return isFirst;
  });
}

describe.skipIf(chromiumPath === undefined)('every step of the widget', { timeout: 600_000 }, () => {
  let folder: string;
  let gallery: WidgetGallery;
  let browser: Browser;
  let names: readonly string[];

  async function open(query: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
    const page = await browser.newPage({ reducedMotion: 'reduce', ...options });
    await page.goto(`${gallery.url}?${query}`);
    return page;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-steps-'));
    gallery = await serveGallery(folder, await bundleGallery(folder), PAGE_POLICY);
    browser = await launchChromium();
    const page = await open('');
    names = await galleryNames(page);
    expect(names.length).toBeGreaterThan(50);
    if (!runsAll) names = shortOf(names);
    await page.close();
  }, 300_000);

  afterAll(async () => {
    await browser?.close();
    await gallery?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('has no violations by axe, in light and dark, in any colour', async () => {
    const found: string[] = [];
    for (const [look, shown] of inTurn(names, looks, runsAll)) {
      const page = await open(look);
      page.on('console', (message) => {
        if (message.type() === 'error') found.push(message.text());
      });
      for (const name of shown) {
        await showStep(page, name);
        for (const violation of await axeViolations(page)) found.push(`${look} ${name}: ${violation}`);
      }
      await page.close();
    }
    expect(found).toEqual([]);
  });

  it.each(looks)('keeps an accent as it is, with an edge that is seen: %s', async (look) => {
    const page = await open(look);
    const wanted = new URLSearchParams(look).get('accent');
    for (const [name, part] of [
      ['consent-ticked', '.svc-check-box:checked'],
      ['check', '.svc-button[data-kind="primary"]'],
    ] as const) {
      await showStep(page, name);
      expect(await axeViolations(page)).toEqual([]);
      const { fill, edge } = await page
        .locator(part)
        .first()
        .evaluate((element) => {
          const { backgroundColor, borderTopColor } = getComputedStyle(element);
          const ground = getComputedStyle(document.querySelector('#app') ?? element).backgroundColor;
          const { Color, getContrast } = (globalThis as unknown as AxeColours).axe.commons.color;
          const [a, b] = [borderTopColor, ground].map((text) => {
            const colour = new Color();
            colour.parseString(text);
            return colour;
          });
          return { fill: backgroundColor, edge: getContrast(a, b) };
        });
      if (wanted !== null) expect([part, fill]).toEqual([part, rgbOf(wanted)]);
      expect(edge, part).toBeGreaterThanOrEqual(3);
    }
    await page.close();
  });

  it.each(widths)('fits %i px with a logo, a heading and the notice of a preview', async (width) => {
    const page = await open('brand&preview', { viewport: { width, height: 640 } });
    for (const name of ['consent', 'camera-loading', 'done']) {
      await showStep(page, name);
      const { isWide, logo } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const image = document.querySelector<HTMLImageElement>('.logo');
        return { isWide: scrollWidth > clientWidth, logo: image?.naturalWidth };
      });
      expect([name, isWide, logo]).toEqual([name, false, 240]);
    }
    await page.close();
  });

  it.skipIf(!runsAll)('has a name for whatever a screen reader comes to, and a heading to begin with', async () => {
    const wrong: string[] = [];
    const page = await open('lang=en');
    const debuggerOf = await page.context().newCDPSession(page);
    await debuggerOf.send('Accessibility.enable');
    for (const name of names) {
      await showStep(page, name);
      const { nodes } = await debuggerOf.send('Accessibility.getFullAXTree');
      const found = nodes
        .filter(({ ignored }) => !ignored)
        .map((node) => ({ role: String(node.role?.value), name: String(node.name?.value ?? '').trim() }));
      for (const { role } of found.filter((node) => NAMED.test(node.role) && node.name === ''))
        wrong.push(`${name}: ${role} without a name`);
      for (const landmark of ['main', 'heading'])
        if (!found.some(({ role }) => role === landmark)) wrong.push(`${name}: no ${landmark}`);
      const [beginsWith] = await page
        .locator('main :is(h1, h2, p, button)')
        .evaluateAll((all) => all.map((e) => e.tagName));
      if (beginsWith !== 'H1') wrong.push(`${name}: begins with ${beginsWith}`);
    }
    expect(wrong).toEqual([]);
    await page.close();
  });

  it.each(widths)('fits %i px in the longest words, from the left and from the right', async (width) => {
    const wrong: string[] = [];
    for (const [language, shown] of inTurn(names, languages, runsAll)) {
      const page = await open(`lang=${language}`, { viewport: { width, height: 640 } });
      for (const [i, name] of shown.entries()) {
        await showStep(page, name);
        // Half of them as a right-to-left language.
        await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), i % 2 === 0 ? 'rtl' : 'ltr');
        const faults = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          const cut = [...document.querySelectorAll('button, p, h1, h2, label, a')].filter((element) => {
            const { left, right, width: wide } = element.getBoundingClientRect();
            return wide > 1 && (left < -1 || right > clientWidth + 1);
          });
          // Targets of 24 px: WCAG 2.2, 2.5.8. Links in sentences are exempt.
          const tiny = [...document.querySelectorAll('button, select, input:not([hidden])')].filter((control) => {
            const { width: wide, height } = control.getBoundingClientRect();
            return wide < 24 || height < 24;
          });
          return [
            ...(scrollWidth > clientWidth ? [`scrolls sideways`] : []),
            ...cut.map(({ textContent }) => `cut off: ${textContent}`),
            ...tiny.map(({ textContent }) => `small target: ${textContent}`),
          ];
        });
        wrong.push(...faults.map((fault) => `${language} ${name}: ${fault}`));
      }
      await page.close();
    }
    expect(wrong).toEqual([]);
  });

  it('fits with text at twice the size', async () => {
    const page = await open('lang=de', { viewport: { width: 640, height: 640 } });
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    const wrong: string[] = [];
    for (const name of ['consent-asked', 'camera-good', 'refused-blurred', 'check', 'done']) {
      await showStep(page, name);
      const isWide = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth > clientWidth;
      });
      if (isWide) wrong.push(name);
    }
    expect(wrong).toEqual([]);
    await page.close();
  });

  it('has no animation if reduced motion is set', async () => {
    const page = await open('');
    for (const name of ['loading', 'camera-good', 'sending', 'done']) {
      await showStep(page, name);
      const running = await page.evaluate(() => document.getAnimations().length);
      expect([name, running]).toEqual([name, 0]);
    }
    await page.close();
  });
});
