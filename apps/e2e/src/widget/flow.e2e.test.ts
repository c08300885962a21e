import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPage } from './embedding.ts';
import { installFakeCamera } from './fake-camera.ts';
import {
  agree,
  callGlobal,
  choosePhoto,
  decline,
  enrolByFile,
  firstOf,
  holdTimers,
  noisePhoto,
  screenOf,
  sendPhoto,
  windowSizes,
} from './guest.ts';
import { GuestStage } from './guest-stage.ts';
import { type GuestTab, phone } from './guest-tab.ts';
import { markup, PATIENCE_MS } from './harness.ts';

/** The share of an element that is in the outermost window, also from a frame. */
const shownShare = async (page: Page, element: Locator): Promise<number> => {
  const { x, y, width, height } = (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const view = page.viewportSize() ?? { width: 0, height: 0 };
  const within = (from: number, length: number, room: number) =>
    Math.max(0, Math.min(room, from + length) - Math.max(0, from));
  return (within(x, width, view.width) * within(y, height, view.height)) / (width * height);
};

/** As a script of the page may, despite its policy. */
const addStyle = (page: Page, text: string): Promise<void> =>
  page.evaluate(async (css) => {
    document.adoptedStyleSheets.push(await new CSSStyleSheet().replace(css));
  }, text);

/** Presses twice at one place, faster than anybody reads. */
async function doublePress(page: Page, button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const at = [x + width / 2, y + height / 2] as const;
  await page.mouse.click(...at);
  await page.mouse.click(...at);
}

/** A new screen ignores presses for half a second, which a slow machine may need for the press. */
const PRESS_GUARD_MS = 500;
const holdPressGuard = (page: Page) => holdTimers(page, PRESS_GUARD_MS);

/** An engine that finds no face in any photo, and tells so once `engine.review` was called. */
function installFakeEngine(): void {
  let review = (): void => undefined;
  const isAsked = new Promise<void>((resolve) => {
    review = resolve;
  });
  class FakeWorker {
    onmessage: ((event: { readonly data: unknown }) => void) | null = null;
    terminate = (): void => undefined;
    postMessage({ id, name }: { readonly id: number; readonly name: string }): void {
      const tell = (answer: unknown) => this.onmessage?.({ data: { id, answer } });
      if (name === 'review') void isAsked.then(() => tell({ flaw: 'no-face', faces: [] }));
      else setTimeout(tell, 0, name === 'start' ? null : { hint: 'no-face', face: null });
    }
  }
  Object.assign(globalThis, { Worker: FakeWorker, engine: { review } });
}

const hasFocusOn = (page: Page, tag: string) =>
  expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe(tag);

describe.skipIf(chromiumPath === undefined)('the flow of the widget', { timeout: 6 * PATIENCE_MS }, () => {
  let guests: GuestStage;

  beforeAll(async () => {
    guests = await GuestStage.start();
  }, 4 * PATIENCE_MS);
  afterEach(() => guests.endTest());
  afterAll(() => guests?.close());

  describe('the picture is in view when a photo is taken', () => {
    it.each(windowSizes)('by a guest link, %i × %i', async (width, height) => {
      const tab = await guests.atConsent({ viewport: { width, height } });
      await agree(tab.page);
      const picture = tab.page.locator('.live-picture');
      await tab.page.locator('.stage:not([data-stage="opening"])').waitFor();
      await hasFocusOn(tab.page, 'H1');
      await expect.poll(() => shownShare(tab.page, picture)).toBeGreaterThanOrEqual(0.9);
      // Also if the guest scrolled away to the shutter.
      await tab.page.getByRole('button', { name: 'Take photo' }).scrollIntoViewIfNeeded();
      await tab.page.evaluate(() => {
        const scope = globalThis as unknown as { seen: number[] };
        scope.seen = [];
        const draw = CanvasRenderingContext2D.prototype.drawImage;
        CanvasRenderingContext2D.prototype.drawImage = function (this: CanvasRenderingContext2D, ...args: never[]) {
          const video = args[0] as unknown;
          if (video instanceof HTMLVideoElement) {
            const { top, height: tall } = video.getBoundingClientRect();
            scope.seen.push((Math.min(innerHeight, top + tall) - Math.max(0, top)) / tall);
          }
          return Reflect.apply(draw, this, args) as undefined;
        } as typeof draw;
      });
      await tab.photograph();
      const seen = await tab.page.evaluate(() => (globalThis as unknown as { seen: number[] }).seen);
      expect(Math.min(...seen)).toBeGreaterThanOrEqual(0.9);
      await expect.poll(() => tab.page.evaluate(() => scrollY)).toBe(0);
    });

    it.each(windowSizes)('in an organiser’s page that scrolls, %i × %i', async (width, height) => {
      const context = await guests.browser.newContext({
        locale: 'en-GB',
        reducedMotion: 'reduce',
        viewport: { width, height },
      });
      await context.addInitScript(installFakeCamera, {});
      await context.route('**/assets/engine-*/**', (route) => route.abort());
      const filler = '<p style="block-size: 300px">The ticket</p>';
      const { token } = await guests.harness.token();
      const body = `${filler}${markup(guests.harness.widgetUrl, token)}${filler.repeat(4)}`;
      const embedded = await EmbeddedPage.open(context, guests.harness, { body });
      const frame = embedded.page.frameLocator('iframe');
      await agree(frame);
      await frame.locator('.stage:not([data-stage="opening"])').waitFor();
      const picture = frame.locator('.live-picture');
      await expect.poll(() => shownShare(embedded.page, picture)).toBeGreaterThanOrEqual(0.9);
      await context.close();
    });
  });

  describe('a double press', () => {
    it('on «I agree» opens the camera, and declines nothing', async () => {
      const { token, tokenId } = await guests.harness.token();
      const tab = await guests.open(token, phone);
      await tab.shows('consent');
      for (const box of ['explicitBiometricConsent', 'writtenRelease']) await tab.page.locator(`[name="${box}"]`).tap();
      // Wherever the next screen has its way out, the second press hits it.
      await addStyle(tab.page, '.screen-camera .ways-out button { position: fixed; inset: 0; z-index: 9 }');
      const endPressGuard = await holdPressGuard(tab.page);
      await doublePress(tab.page, tab.page.getByRole('button', { name: 'I agree, continue' }));
      await tab.shows('camera');
      // The second press would have declined by now.
      await endPressGuard();
      await tab.page.locator('#app:not([data-fresh])').waitFor();
      expect(await screenOf(tab.page, 'camera').count()).toBe(1);
      expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'valid' });
    });

    it('of a key is as harmless, and the button keeps its focus', async () => {
      const tab = await guests.atConsent();
      const endPressGuard = await holdPressGuard(tab.page);
      await agree(tab.page);
      // The heading takes the focus once it is painted.
      await hasFocusOn(tab.page, 'H1');
      const buttons = tab.page.locator('.ways-out button');
      await buttons.last().focus();
      await tab.page.keyboard.press('Enter');
      expect(await buttons.last().evaluate((button) => button === document.activeElement)).toBe(true);
      await endPressGuard();
      await tab.page.locator('#app:not([data-fresh])').waitFor();
      expect(await screenOf(tab.page, 'camera').count()).toBe(1);
      await tab.page.keyboard.press('Enter');
      await tab.shows('declined');
    });
  });

  it('a press on «Retake» sends nothing if the review puts «Send it anyway» in its place at that moment', async () => {
    const tab = await guests.atConsent();
    await tab.context.unroute('**/assets/engine-*/**');
    await tab.context.addInitScript(installFakeEngine);
    await tab.page.reload();
    await agree(tab.page);
    await choosePhoto(tab.page, await noisePhoto());
    await tab.says('Checking your photo');
    // The less advisable of the two, wherever it is.
    await addStyle(tab.page, '.screen-check [data-kind="secondary"] { position: fixed; inset: 0; z-index: 9 }');
    await tab.page.locator('#app:not([data-fresh])').waitFor();
    const endPressGuard = await holdPressGuard(tab.page);
    await callGlobal(tab.page, 'engine', 'review', []);
    await tab.page.locator('.review .svc-notice').waitFor();
    await tab.page.mouse.click(200, 200);
    expect(await screenOf(tab.page, 'check').count()).toBe(1);
    expect(tab.requested.filter((path) => path.endsWith('/enrolments'))).toEqual([]);
    await endPressGuard();
    await sendPhoto(tab.page);
    await tab.shows('done');
  });

  it('undoes declining as long as the page is open, and asks for the consent anew', async () => {
    const { token, tokenId, ticketId } = await guests.harness.token();
    const context = await guests.browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    const body = markup(guests.harness.widgetUrl, token);
    const embedded = await EmbeddedPage.open(context, guests.harness, { body });
    const frame = embedded.page.frameLocator('iframe');
    await decline(frame);
    await embedded.shows('declined');
    expect(await guests.harness.tokenState(tokenId)).toMatchObject({ state: 'declined' });
    await frame.getByRole('button', { name: 'Undo' }).click();
    await embedded.shows('consent');
    expect(await frame.locator('input:checked').count()).toBe(0);
    await enrolByFile(frame);
    await embedded.isTold('ready', 'declined', 'ready', 'enrolled');
    expect(await guests.harness.enrolled()).toContain(ticketId);
    await context.close();
  });

  describe('the browser’s Back', () => {
    it('goes one step back, sends nothing again, and Forward goes nowhere', async () => {
      const tab = await guests.atConsent();
      const { page } = tab;
      let sent = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST') sent += 1;
      });
      await agree(page);
      await choosePhoto(page, await noisePhoto());
      await page.goBack();
      await tab.shows('camera');
      await page.goBack();
      await tab.shows('consent');
      expect(await page.locator('input:checked').count()).toBe(2);
      await page.goForward();
      await expect.poll(() => page.evaluate(() => (history.state as { svc: string }).svc)).toBe('consent');
      await tab.shows('consent');
      await tab.press('I agree, continue');
      await tab.shows('camera');
      await choosePhoto(page, await noisePhoto());
      expect(sent).toBe(0);
      await sendPhoto(page);
      await tab.shows('done');
      await page.goForward().catch(() => null);
      await tab.shows('done');
      expect(sent).toBe(1);
      await expect.poll(() => page.evaluate(() => history.state as unknown)).toEqual({ svc: 'over', ticks: null });
    });

    it('to the page as the browser kept it shows the step anew, with the ticks and without the photo', async () => {
      const tab = await guests.atCheck((await guests.harness.token()).token);
      // Playwright's Chromium keeps no pages: this is the event by which a kept one begins again.
      await tab.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
      await tab.shows('consent');
      expect(await tab.page.locator('input:checked').count()).toBe(2);
    });

    it('from a photo under way stays there', async () => {
      const tab = await guests.atCheck((await guests.harness.token()).token);
      let release: () => void = () => undefined;
      guests.inference.hold = new Promise((resolve) => {
        release = resolve;
      });
      await sendPhoto(tab.page);
      await tab.shows('sending');
      await tab.page.evaluate(() => {
        const gone = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
        history.back();
        return gone.then(() => undefined);
      });
      await expect.poll(() => tab.page.evaluate(() => (history.state as { svc: string }).svc)).toBe('check');
      await tab.shows('sending');
      release();
      await tab.shows('done');
    });
  });

  describe('the consent', () => {
    it('is under one and a half screens of a phone until its text is unfolded, and its decision stays in view', async () => {
      for (const locale of firstOf(['en-GB', 'de-DE'], 2)) {
        const tab = await guests.atConsent({ ...phone, locale });
        const heights = () => tab.page.evaluate(() => [document.documentElement.scrollHeight, innerHeight] as const);
        const [folded, screen] = await heights();
        expect(folded).toBeLessThan(1.5 * screen);
        const buttons = tab.page.locator('.choices');
        await expect.poll(() => shownShare(tab.page, buttons)).toBe(1);
        await tab.page.locator('.full-text > summary').click();
        expect((await heights())[0]).toBeGreaterThan(folded + screen / 2);
        await expect.poll(() => shownShare(tab.page, buttons)).toBe(1);
      }
    });

    it.each([
      ['at twice the size', 640, 640, '200%'],
      ['on a screen of 320 × 256', 320, 256, '100%'],
    ] as const)('leaves room to read %s', async (_name, width, height, fontSize) => {
      const tab = await guests.atConsent({ viewport: { width, height } });
      await addStyle(tab.page, `html { font-size: ${fontSize} !important }`);
      const covered = () =>
        tab.page.evaluate(() => {
          const { sticky } = document.querySelector<HTMLElement>('.consent')?.dataset ?? {};
          const parts = sticky === 'whole' ? '.decision, .choices' : sticky === 'choices' ? '.choices' : 'none';
          const heights = [...document.querySelectorAll<HTMLElement>(parts)].map(({ offsetHeight }) => offsetHeight);
          return heights.reduce((sum, px) => sum + px, 0) / innerHeight;
        });
      await expect.poll(covered).toBeLessThanOrEqual(0.4);
      // The layout has settled: observers of sizes are told at the end of a frame, and may change it once more.
      const frame = () =>
        tab.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      await frame();
      await frame();
      // A screen that has just appeared lets pointers through, and so does `elementFromPoint`. Playwright's own calls
      // count as use of the page, so that whether the consent is such a screen depends on how fast it appears.
      await tab.page.locator('#app:not([data-fresh])').waitFor();
      // What has the focus is not covered.
      for (const name of ['explicitBiometricConsent', 'writtenRelease', 'under16']) {
        const box = tab.page.locator(`[name="${name}"]`);
        await tab.page.evaluate(() => scrollTo(0, 0));
        await box.focus();
        const isOnTop = await box.evaluate((element) => {
          const { x, y, width: wide, height: tall } = element.getBoundingClientRect();
          const onTop = document.elementFromPoint(x + wide / 2, y + tall / 2);
          return onTop === element || `${onTop?.className} at ${y + tall / 2} of ${innerHeight}`;
        });
        expect([name, isOnTop]).toEqual([name, true]);
      }
    });
  });

  it('fetches the engine while the guest reads, unless data is to be saved', async () => {
    const partsIn = (tab: GuestTab) => tab.requested.filter((path) => /engine|capture/.test(path));
    const reading = await guests.atConsent();
    await expect.poll(() => partsIn(reading).length).toBeGreaterThan(3);
    await expect.poll(() => partsIn(reading).some((path) => path.endsWith('litert.wasm'))).toBe(true);
    const saving = await guests.atConsent({ savesData: true });
    // The page would fetch in its first idle moment half a second after the consent, which is over at this one.
    await saving.page.evaluate(
      () => new Promise((resolve) => setTimeout(() => requestIdleCallback(() => setTimeout(resolve)), 600)),
    );
    expect(partsIn(saving)).toEqual([]);
  });
});
