import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { bundleGallery, PAGE_POLICY } from '@svc/widget/build';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveGallery, showStep, type WidgetGallery } from './gallery.ts';
import { windowSizes } from './guest.ts';

describe.skipIf(chromiumPath === undefined)('without scrolling', { timeout: 300_000 }, () => {
  let folder: string;
  let gallery: WidgetGallery;
  let browser: Browser;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-sizes-'));
    gallery = await serveGallery(folder, await bundleGallery(folder), PAGE_POLICY);
    browser = await launchChromium();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await gallery?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(windowSizes)('%i × %i shows the picture, the oval, the hint and the main button', async (width, height) => {
    const faults: string[] = [];
    for (const host of ['link', 'frame']) {
      const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
      await page.goto(`${gallery.url}?lang=de&host=${host}`);
      for (const step of [
        'camera-loading',
        'camera-good',
        'hint-several-faces',
        'camera-again',
        'check',
        'check-flawed',
        'sending',
      ]) {
        await showStep(page, step);
        const seen = await page.evaluate(() => {
          /** The share of an element that the window shows. */
          const visible = (selector: string): number | null => {
            const box = document.querySelector(selector)?.getBoundingClientRect();
            if (box === undefined) return null;
            const across = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
            const down = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
            return (Math.max(0, across) * Math.max(0, down)) / (box.width * box.height);
          };
          const picture = document.querySelector('.picture')?.getBoundingClientRect();
          return {
            picture: visible('.picture'),
            oval: visible('.oval-ring'),
            hint: visible('.hint'),
            button: visible('[data-kind="primary"]'),
            shorter: Math.min(picture?.width ?? 0, picture?.height ?? 0),
          };
        });
        const where = `${host} ${step}`;
        if ((seen.picture ?? 0) < 0.9) faults.push(`${where}: ${seen.picture} of the picture`);
        for (const part of ['oval', 'hint', 'button'] as const)
          if ((seen[part] ?? 1) < 0.999) faults.push(`${where}: ${seen[part]} of the ${part}`);
        // Large enough to see oneself.
        if (seen.shorter < Math.min(0.6 * Math.min(width, height), 440)) faults.push(`${where}: ${seen.shorter} px`);
      }
      await page.close();
    }
    expect(faults).toEqual([]);
  });
});
