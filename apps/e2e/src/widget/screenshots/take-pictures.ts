import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { showStep, stepNames } from '../gallery.ts';

/** A phone held upright, a phone held aslant or a column of a page, a desktop; CSS pixels. */
export const widths = [320, 640, 1280] as const;
export const themes = ['light', 'dark'] as const;
export const languages = ['en', 'de'] as const;

/**
 * A picture of every step in every width, theme and language, as `STEP-WIDTH-THEME-LANGUAGE.png`. Time, zone and motion stand still.
 * @param only steps whose name begins with it; all when left out
 * @returns the names of the pictures, without `.png`
 */
export async function takePictures(
  browser: Browser,
  url: string,
  folder: string,
  only = '',
): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const taken: string[] = [];
  for (const width of widths) {
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      deviceScaleFactor: 1,
    });
    const page = await context.newPage();
    for (const theme of themes) {
      for (const language of languages) {
        await page.goto(`${url}?theme=${theme}&lang=${language}`);
        for (const step of (await stepNames(page)).filter((name) => name.startsWith(only))) {
          const name = `${step}-${width}-${theme}-${language}`;
          await showStep(page, step);
          // What is there now is painted in the frame that follows.
          await page.evaluate(
            () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
          );
          await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true, caret: 'hide' });
          taken.push(name);
        }
      }
    }
    await context.close();
  }
  return taken;
}
