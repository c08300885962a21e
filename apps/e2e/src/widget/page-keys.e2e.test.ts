import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/gallery.ts';
import { EmbeddedPage, newContext, withId } from './embedding.ts';
import { agree, choosePhoto, noisePhoto, screenOf } from './guest.ts';
import { GuestStage } from './guest-stage.ts';
import { markup, PATIENCE_MS } from './harness.ts';

const DECLINE = 'No thanks, I will use the standard entrance';

/** The focused element's accessible name, in the innermost frame that has the focus. */
async function focused(page: Page): Promise<string> {
  for (const frame of page.frames().toReversed()) {
    const name = await frame.evaluate(() => {
      const element = document.activeElement;
      if (!document.hasFocus() || element === null || element instanceof HTMLIFrameElement) return null;
      if (element instanceof HTMLInputElement) return element.labels?.[0]?.textContent ?? '';
      return element === document.body ? null : (element.textContent ?? '');
    });
    if (name !== null) return name.trim();
  }
  return '';
}

/** Presses Tab until something has the focus, and presses a key there. */
async function press(page: Page, name: string, key = 'Enter', tab = 'Tab'): Promise<void> {
  // A step's controls do not act in its first half second, and its heading takes the focus in it.
  for (const frame of page.frames()) await frame.locator('[data-fresh]').waitFor({ state: 'detached' });
  for (let i = 0; i < 40; i += 1) {
    if ((await focused(page)).includes(name)) return page.keyboard.press(key);
    await page.keyboard.press(tab);
  }
  throw new Error(`${name} cannot be reached by ${tab}`);
}

/** By default the keyboard continues from the new heading. */
async function hasFocus(page: Page, name: string): Promise<void> {
  await expect.poll(() => focused(page)).toBe(name);
}

describe.skipIf(chromiumPath === undefined)('the widget by keys alone', { timeout: 4 * PATIENCE_MS }, () => {
  let guests: GuestStage;

  beforeAll(async () => {
    guests = await GuestStage.start();
  }, 4 * PATIENCE_MS);
  afterEach(() => guests.endTest());
  afterAll(() => guests?.close());

  /** @returns the page, with the focus as after following a link */
  async function open(token: string): Promise<Page> {
    const tab = await guests.open(token);
    await tab.shows('consent');
    return tab.page;
  }

  it('another language, the code for a phone, and back', async () => {
    const { page } = await guests.atConsent();
    await press(page, 'Continue on your phone');
    const code = page.getByRole('img', { name: 'QR code with your personal link' });
    await code.waitFor();
    // The button stayed in place and kept the focus.
    await press(page, 'Hide the code', 'Space');
    await code.waitFor({ state: 'detached' });
    for (let i = 0; i < 40 && (await page.locator('select:focus').count()) === 0; i += 1)
      await page.keyboard.press('Shift+Tab');
    // By its first letter another language comes first; the choice keeps the focus for the next key.
    await page.keyboard.press('d');
    await page.getByRole('heading', { name: 'du vælger selv' }).waitFor();
    await page.locator('select:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Ich willige ein, weiter' }).waitFor();
    await page.locator('select:focus').waitFor();
  });

  it('a refused photo, another one, and the standard entrance after all', async () => {
    guests.photosAre('blurred');
    const { token, tokenId } = await guests.harness.token();
    const page = await open(token);
    await press(page, 'I explicitly consent', 'Space');
    await press(page, 'I confirm in writing', 'Space');
    await press(page, 'I am under 16', 'Space');
    await press(page, 'I agree, continue');
    await expect.poll(() => focused(page)).toContain('I am a parent or guardian');
    await page.keyboard.press('Space');
    await press(page, 'I agree, continue');
    await hasFocus(page, 'Take your photo');
    await page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor();
    await press(page, 'Take photo', 'Space');
    await hasFocus(page, 'Is this photo good?');
    await press(page, 'Send photo');
    await hasFocus(page, 'The photo was blurred');
    await press(page, 'Take another photo');
    await hasFocus(page, 'Take your photo');
    await press(page, 'Back to consent');
    await hasFocus(page, 'Face check-in: your choice');
    await press(page, DECLINE);
    await hasFocus(page, 'You chose the standard entrance');
    expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'declined', attemptsLeft: 4 });
  });

  it.each(['camera', 'check', 'refused'])('declining at the step: %s', async (step) => {
    guests.photosAre('no-face');
    const { token, tokenId } = await guests.harness.token();
    const page = await open(token);
    await agree(page);
    if (step !== 'camera') await choosePhoto(page, await noisePhoto());
    if (step === 'refused') await press(page, 'Send photo');
    await screenOf(page, step).waitFor();
    await press(page, DECLINE);
    await hasFocus(page, 'You chose the standard entrance');
    expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'declined' });
  });

  it('into the frame of an organiser’s page, through all of it, and out on the other side', async () => {
    const context = await newContext(guests.browser);
    const widget = withId(markup(guests.harness.widgetUrl, (await guests.harness.token()).token));
    const body = `<main><h1>Your ticket</h1><button>Before</button>${widget}<button>Behind</button></main>`;
    const { page } = await EmbeddedPage.open(context, guests.harness, { body });
    await page.frameLocator('iframe').locator('[data-screen="consent"]').waitFor();
    // The frame does not take the focus before the guest moves it there.
    expect(await focused(page)).toBe('');
    await page.keyboard.press('Tab');
    await hasFocus(page, 'Before');
    const seen: string[] = [];
    for (let i = 0; i < 40 && seen.at(-1) !== 'Behind'; i += 1) {
      await page.keyboard.press('Tab');
      // Between the page and its frame the focus takes a moment.
      await expect.poll(() => focused(page)).not.toBe('');
      seen.push(await focused(page));
    }
    for (const name of ['I explicitly consent', 'I confirm in writing', 'I am under 16', 'I agree, continue', DECLINE])
      expect(seen.findIndex((text) => text.includes(name))).toBeGreaterThanOrEqual(0);
    expect(seen.at(-1)).toBe('Behind');
    await press(page, DECLINE, 'Enter', 'Shift+Tab');
    await page.frameLocator('iframe').locator('[data-screen="declined"]').waitFor();
    await hasFocus(page, 'You chose the standard entrance');
    // The page, its frame's name, and the content of the frame.
    expect(await axeViolations(page)).toEqual([]);
    const inside = page.frames().at(-1);
    expect(inside === undefined ? null : await axeViolations(inside)).toEqual([]);
    await context.close();
  });
});
