import type { Page } from 'playwright-core';

/** Phones upright and lying, a tablet, a laptop, a wide screen, a screen on a stand; CSS pixels. */
export const sizes = [
  { width: 320, height: 640 },
  { width: 390, height: 844 },
  { width: 667, height: 375 },
  { width: 820, height: 1180 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
  { width: 1080, height: 1920 },
] as const;

/** A slow machine plays the first picture late. */
const SHAPED_MS = 30_000;

/** Changes the screen of an open gallery, and waits until the camera's picture, if any, has its shape. */
export async function showScreen(page: Page, name: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next;
  }, name);
  await page.locator(`#app[data-shown="${name}"] main h1`).waitFor();
  const hasShape = () => document.querySelector<HTMLElement>('.live-picture')?.style.getPropertyValue('--ratio') !== '';
  // Pages of older commits have none.
  await page.waitForFunction(hasShape, undefined, { timeout: SHAPED_MS }).catch(() => undefined);
}
