import { randomFillSync } from 'node:crypto';
import type { Frame, FrameLocator, Page } from 'playwright-core';
import sharp from 'sharp';

/** Whether to run every case, or one of each kind. */
export const runsAll = process.env.SVC_TEST_WIDGET_ALL === '1';

/** All cases, or the first few in a short run. */
export const firstOf = <T>(cases: readonly T[], inShortRun: number): readonly T[] =>
  runsAll ? cases : cases.slice(0, inShortRun);

/** The widget's page, in a frame or at top level, in English. */
export type GuestView = Page | Frame | FrameLocator;

/** A unique picture of noise as a file, for tests that set the result of a photo. */
export async function noisePhoto(
  width = 640,
  height = 480,
): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const pixels = randomFillSync(Buffer.alloc((width / 8) * (height / 8) * 3));
  const buffer = await sharp(pixels, { raw: { width: width / 8, height: height / 8, channels: 3 } })
    .resize(width, height, { kernel: 'nearest' })
    .jpeg({ quality: 95 })
    .toBuffer();
  return { name: 'selfie.jpg', mimeType: 'image/jpeg', buffer };
}

export const screenOf = (view: GuestView, name: string) => view.locator(`[data-screen="${name}"]`);

/** Ticks the required boxes and continues to the camera. */
export async function agree(view: GuestView): Promise<void> {
  await view.locator('[name="explicitBiometricConsent"]').check();
  await view.locator('[name="writtenRelease"]').check();
  await view.getByRole('button', { name: 'I agree, continue' }).click();
  await screenOf(view, 'camera').waitFor();
}

/** Chooses a file instead of taking a photo, up to the check. */
export async function choosePhoto(view: GuestView, file: Awaited<ReturnType<typeof noisePhoto>>): Promise<void> {
  await view.locator('input[type="file"]').setInputFiles(file);
  await screenOf(view, 'check').waitFor();
}

/** Sends the photo, whatever the page thinks of it. */
export const sendPhoto = (view: GuestView): Promise<void> =>
  view.getByRole('button', { name: /^(Send photo|Send it anyway)$/ }).click();

/** The whole flow, with a photo from a file. */
export async function enrolByFile(view: GuestView): Promise<void> {
  await agree(view);
  await choosePhoto(view, await noisePhoto());
  await sendPhoto(view);
  await screenOf(view, 'done').waitFor();
}

/** Declines by the wording's own button. */
export const decline = (view: GuestView): Promise<void> =>
  view.getByRole('button', { name: 'No thanks, I will use the standard entrance' }).click();

/** Calls a function that one of our scripts put into a page, by its global's name. */
export function callGlobal(page: Page, owner: string, name: string, args: readonly unknown[]): Promise<unknown> {
  return page.evaluate(
    ([held, called, given]) => {
      const scope = globalThis as unknown as Record<string, Record<string, (...all: unknown[]) => unknown>>;
      return scope[held]?.[called]?.(...given);
    },
    [owner, name, args] as const,
  );
}

/**
 * A test's next step may take longer on a slow machine than a time of the page, such as a screen's half second without
 * presses or the wait before a retry: the page's timers of this length begin when the result is called, not before.
 */
export async function holdTimers(page: Page, lengthMs: number): Promise<() => Promise<void>> {
  await page.evaluate((held) => {
    const waiting: (() => void)[] = [];
    const own = window.setTimeout;
    const setTimeout = (action: () => void, ms?: number, ...given: unknown[]) =>
      ms === held ? -waiting.push(action) : own(action, ms, ...given);
    const beginTimers = () => {
      for (const action of waiting.splice(0)) own(action, held);
    };
    Object.assign(window, { setTimeout, beginTimers });
  }, lengthMs);
  return () => page.evaluate(() => (globalThis as unknown as { beginTimers(): void }).beginTimers());
}

/** Phones upright and turned, a tablet, computers, and a screen on a stand, in CSS pixels; the tightest of each kind first. */
export const windowSizes = firstOf(
  [
    [640, 400],
    [320, 568],
    [667, 375],
    [1280, 800],
    [360, 640],
    [390, 844],
    [820, 1180],
    [1920, 1080],
    [1080, 1920],
  ] as const,
  4,
);
