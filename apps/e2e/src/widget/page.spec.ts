import type { Page } from '@playwright/test';
import { createManualClock, createStage, createToken } from '@svc/api/testing';
import { axeViolations } from '../support/axe.ts';
import { expect, test } from '../support/browser-test.ts';
import { readQrCode } from '../support/codes.ts';
import {
  agree,
  choosePhoto,
  DECLINE,
  decline,
  enrolByFile,
  type Guests,
  type GuestTab,
  holdTimers,
  noisePhoto,
  phone,
  screenOf,
  sendPhoto,
} from './guest.ts';
import { EmbeddedPage, markup, newContext } from './stage.ts';

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

/** Waits for the heading, or the field, at which the keyboard goes on. */
const hasFocus = (page: Page, name: string) => expect.poll(() => focused(page)).toContain(name);
const tickedIn = (tab: GuestTab) =>
  tab.page.locator('input:checked').evaluateAll((all) => all.map((box) => (box as HTMLInputElement).name));

test.describe('the whole flow', () => {
  test('by touch on a phone, with nothing left in the browser', async ({ guests, widget }) => {
    const { token, tokenId, ticketId } = await widget.token();
    const tab = await guests.open(token, phone);
    const tap = (name: string) => tab.page.getByRole('button', { name }).tap();
    await tab.shows('consent');
    // As large as agreeing, and it looks the same.
    const [yes, no] = await tab.page.locator('.choices > button').evaluateAll((buttons) =>
      buttons.map((button) => {
        const { width, height } = button.getBoundingClientRect();
        const { color, backgroundColor, borderColor, fontSize, fontWeight } = getComputedStyle(button);
        return { width, height, color, backgroundColor, borderColor, fontSize, fontWeight };
      }),
    );
    expect(no).toEqual(yes);
    for (const box of ['explicitBiometricConsent', 'writtenRelease']) await tab.page.locator(`[name="${box}"]`).tap();
    await tap('I agree, continue');
    await tab.says('Look straight into the camera');
    expect(await tab.camera('lit')).toEqual(['front']);
    await tab.photograph();
    expect(await tab.camera('lit')).toEqual([]);
    await tap('Retake');
    await tab.photograph();
    await tap('Send photo');
    await tab.shows('done');
    await tab.says(/deleted on \d+ \w+ \d{4} at the latest/);
    expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'used' });
    expect(await widget.isEnrolled(ticketId)).toBe(true);
    await tab.leavesNothing();
  });

  test('by keyboard alone, with a guardian, a refused photo and another one', async ({ guests, widget }) => {
    guests.photosAre('blurred', 'enrolled');
    const { token, ticketId } = await widget.token();
    const { page } = await guests.open(token);
    await screenOf(page, 'consent').waitFor();
    expect(await page.locator('input:checked').count()).toBe(0);
    // If submitted too early, the focus moves to the missing box.
    await press(page, 'I agree, continue');
    await press(page, 'I explicitly consent', 'Space');
    await press(page, 'I confirm in writing', 'Space');
    await press(page, 'I am under 16', 'Space');
    await press(page, 'I agree, continue');
    await hasFocus(page, 'I am a parent or guardian');
    await page.keyboard.press('Space');
    await press(page, 'I agree, continue');
    await hasFocus(page, 'Take your photo');
    const chooser = page.waitForEvent('filechooser');
    await press(page, 'Choose a photo instead');
    await (await chooser).setFiles(await noisePhoto());
    await hasFocus(page, 'Is this photo good?');
    await press(page, 'Send photo');
    await hasFocus(page, 'The photo was blurred');
    await press(page, 'Take another photo');
    await hasFocus(page, 'Take your photo');
    await page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor();
    await press(page, 'Take photo', 'Space');
    await hasFocus(page, 'Is this photo good?');
    await press(page, 'Send photo');
    await hasFocus(page, 'You are enrolled');
    expect(await widget.isEnrolled(ticketId)).toBe(true);
  });

  test('in another language, whose text needs a new consent', async ({ guests }) => {
    const tab = await guests.atConsent({ locale: 'fr-CH' });
    const spoken = () => tab.page.evaluate(() => document.documentElement.lang);
    await expect.poll(spoken).toBe('fr');
    await tab.page.locator('[name="writtenRelease"]').check();
    await tab.page.locator('.language select').selectOption('de');
    await tab.page.getByRole('button', { name: 'Ich willige ein, weiter' }).waitFor();
    expect(await tickedIn(tab)).toEqual([]);
    await expect.poll(spoken).toBe('de');
  });

  test('after a reload, because the link keeps its token, with the guest’s own ticks', async ({ guests }) => {
    const tab = await guests.atConsent();
    await agree(tab.page);
    await tab.page.reload();
    await tab.shows('consent');
    expect(await tickedIn(tab)).toEqual(['explicitBiometricConsent', 'writtenRelease']);
  });

  test('with the browser’s Back: one step back, nothing is sent again, and Forward goes nowhere', async ({
    guests,
  }) => {
    const tab = await guests.atConsent();
    const { page } = tab;
    const sent = () => tab.requested.filter((each) => each.startsWith('POST')).length;
    await agree(page);
    await choosePhoto(page);
    await page.goBack();
    await tab.shows('camera');
    await page.goBack();
    await tab.shows('consent');
    expect(await tickedIn(tab)).toHaveLength(2);
    await page.goForward();
    await expect.poll(() => page.evaluate(() => (history.state as { svc: string }).svc)).toBe('consent');
    await tab.press('I agree, continue');
    await tab.shows('camera');
    await choosePhoto(page);
    expect(sent()).toBe(0);
    // Playwright's Chromium keeps no pages: this is the event by which a kept one begins again.
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await tab.shows('consent');
    expect(await tickedIn(tab)).toHaveLength(2);
    await tab.press('I agree, continue');
    await choosePhoto(page);
    await sendPhoto(page);
    await tab.shows('done');
    await page.goForward().catch(() => null);
    await tab.shows('done');
    expect(sent()).toBe(1);
  });

  test('accepts only camera photos if the list requires it', { tag: '@long' }, async ({ guests, widget }) => {
    const { eventId } = await createStage(widget.customer, createManualClock(), 72, { photoSource: 'camera' });
    const tab = await guests.open((await createToken(widget.customer, eventId)).token);
    await agree(tab.page);
    await tab.page.getByRole('button', { name: 'Take photo' }).waitFor();
    expect(await tab.page.getByRole('button', { name: 'Choose a photo instead' }).count()).toBe(0);
    await tab.photograph();
    await sendPhoto(tab.page);
    await tab.shows('done');
  });

  test('continues on a phone, by a code with the same link', { tag: '@long' }, async ({ guests }) => {
    const tab = await guests.atConsent();
    await tab.press('Continue on your phone');
    const code = tab.page.getByRole('img', { name: 'QR code with your personal link' });
    expect(await readQrCode(await code.screenshot())).toBe(tab.page.url());
    await tab.press('Hide the code');
    await code.waitFor({ state: 'detached' });
  });

  test('explains photos that cannot be used, each with advice, and counts down to the last', { tag: '@long' }, async ({
    guests,
    widget,
  }) => {
    guests.photosAre('no-face', 'several-faces', 'face-too-small', 'too-dark', 'broken');
    const said = ['No face was found', 'There was more than one face', 'Your face was too small', 'It was too dark'];
    const { token, tokenId } = await widget.token();
    const tab = await guests.open(token);
    await agree(tab.page);
    // Nobody is told of attempts before one was used.
    expect(await tab.page.getByText('attempts left').count()).toBe(0);
    for (const [i, text] of said.entries()) {
      await choosePhoto(tab.page);
      await sendPhoto(tab.page);
      await tab.shows('refused');
      await tab.says(text);
      await tab.says(i === 3 ? '1 attempt left' : `${4 - i} attempts left`);
      expect(await tab.camera('lit')).toEqual([]);
    }
    await tab.press('Take another photo');
    await tab.photograph();
    await sendPhoto(tab.page);
    await tab.says('No attempts left');
    expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'exhausted', attemptsLeft: 0 });
  });
});

test.describe('declining', () => {
  const ways: Readonly<Record<string, (tab: GuestTab, guests: Guests) => Promise<unknown>>> = {
    consent: (tab) => tab.shows('consent'),
    camera: (tab) => agree(tab.page),
    check: async (tab) => {
      await agree(tab.page);
      await choosePhoto(tab.page);
    },
    'refused photo': async (tab, guests) => {
      guests.photosAre('no-face');
      await agree(tab.page);
      await choosePhoto(tab.page);
      await sendPhoto(tab.page);
      await tab.shows('refused');
    },
  };
  for (const [step, go] of Object.entries(ways)) {
    test(`is one press at the step: ${step}`, async ({ guests, widget }) => {
      const { token, tokenId, ticketId } = await widget.token();
      const tab = await guests.open(token);
      await go(tab, guests);
      await press(tab.page, DECLINE);
      await hasFocus(tab.page, 'You chose the standard entrance');
      expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'declined' });
      expect(await widget.isEnrolled(ticketId)).toBe(false);
      expect(await tab.camera('lit')).toEqual([]);
    });
  }

  test('is undone as long as the page is open, and the consent asked for anew', async ({ browser, widget }) => {
    const { token, tokenId, ticketId } = await widget.token();
    const context = await newContext(browser);
    const embedded = await EmbeddedPage.open(context, widget, { body: markup(widget.widgetUrl, token) });
    const frame = embedded.inFrame;
    await decline(frame);
    await embedded.shows('declined');
    expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'declined' });
    await frame.getByRole('button', { name: 'Undo' }).click();
    await embedded.shows('consent');
    expect(await frame.locator('input:checked').count()).toBe(0);
    await enrolByFile(frame);
    await embedded.isTold('ready', 'declined', 'ready', 'enrolled');
    expect(await widget.isEnrolled(ticketId)).toBe(true);
    await context.close();
  });

  test('is not done by a double press on «I agree»', async ({ guests, widget }) => {
    const { token, tokenId } = await widget.token();
    const tab = await guests.open(token, phone);
    await tab.shows('consent');
    for (const box of ['explicitBiometricConsent', 'writtenRelease']) await tab.page.locator(`[name="${box}"]`).tap();
    // Wherever the next screen has its way out, the second press hits it.
    await tab.page.evaluate(async () => {
      const css = '.screen-camera .ways-out button { position: fixed; inset: 0; z-index: 9 }';
      document.adoptedStyleSheets.push(await new CSSStyleSheet().replace(css));
    });
    // A new screen ignores presses for half a second, which a slow machine may need for the press.
    const endPressGuard = await holdTimers(tab.page, 500);
    const button = tab.page.getByRole('button', { name: 'I agree, continue' });
    await button.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
    for (let presses = 0; presses < 2; presses += 1) await tab.page.mouse.click(x + width / 2, y + height / 2);
    await tab.shows('camera');
    // The second press would have declined by now.
    await endPressGuard();
    await tab.page.locator('#app:not([data-fresh])').waitFor();
    expect(await screenOf(tab.page, 'camera').count()).toBe(1);
    expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'valid' });
  });
});

test.describe('a missing camera', () => {
  test('is explained, can be tried again, and a photo can be chosen', async ({ guests }) => {
    const tab = await guests.atConsent({ camera: { fails: 'NotAllowedError' } });
    await agree(tab.page);
    await tab.says('The camera is blocked');
    expect(await axeViolations(tab.page)).toEqual([]);
    await tab.camera('fail', null);
    await tab.press('Start the camera');
    await tab.photograph();
    await tab.press('Retake');
    await tab.page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor();
    await tab.camera('unplug');
    await tab.says('No camera found');
    const buffer = Buffer.from('not a picture');
    await tab.page.locator('input[type="file"]').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer });
    await tab.says('That file is not a picture');
    await choosePhoto(tab.page);
    await sendPhoto(tab.page);
    await tab.shows('done');
  });

  test('is changed for the one at a phone’s back, which is no mirror', { tag: '@long' }, async ({ guests }) => {
    const devices = [
      { deviceId: 'front', facing: 'user' },
      { deviceId: 'back', facing: 'environment' },
    ] as const;
    const tab = await guests.atConsent({ ...phone, camera: { devices } });
    await agree(tab.page);
    await tab.page.locator('.stage[data-mirrored="true"]').waitFor();
    await tab.press('Switch camera');
    await tab.page.locator('.stage[data-mirrored="false"]').waitFor();
    expect(await tab.camera('lit')).toEqual(['back']);
    await tab.photograph();
    expect(await tab.page.locator('canvas').getAttribute('data-mirrored')).toBe('false');
  });
});

test.describe('what is fetched', () => {
  test('the session and the texts while the scripts are on their way, and each once', async ({ guests, widget }) => {
    const tab = await guests.open((await widget.token()).token, { locale: 'de-DE' });
    await tab.shows('consent');
    const [session, texts] = [/\/v1\/widget\/session/, /\/assets\/de-[\w-]+\.js$/];
    const before = tab.requested.length;
    const early = Promise.all([session, texts].map((address) => tab.page.waitForRequest(address)));
    await tab.page.route(/\/assets\/index-[\w-]+\.js$/, async (route) => {
      await early;
      await route.continue();
    });
    await tab.page.reload();
    await tab.shows('consent');
    for (const address of [session, texts])
      expect(tab.requested.slice(before).filter((path) => address.test(path))).toHaveLength(1);
  });

  test('the engine while the guest reads, unless data is to be saved', async ({ guests }) => {
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

test.describe('in an organiser’s page', () => {
  test('the keyboard goes into the frame, through all of it, and out on the other side', async ({
    browser,
    widget,
  }) => {
    const context = await newContext(browser);
    const { token } = await widget.token();
    const body = `<main><h1>Your ticket</h1><button>Before</button>${markup(widget.widgetUrl, token)}<button>Behind</button></main>`;
    const embedded = await EmbeddedPage.open(context, widget, { body });
    const { page } = embedded;
    await embedded.shows('consent');
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
    await embedded.shows('declined');
    await hasFocus(page, 'You chose the standard entrance');
    // The page, its frame's name, and the content of the frame.
    expect(await axeViolations(page)).toEqual([]);
    expect(await axeViolations(embedded.frame())).toEqual([]);
    await context.close();
  });

  test('it is told: ready, enrolled, declined, error', async ({ browser, guests, widget }) => {
    const context = await newContext(browser);
    const enrolling = await EmbeddedPage.open(context, widget);
    await enrolByFile(enrolling.inFrame);
    await enrolling.isTold('ready', 'enrolled');
    const declining = await EmbeddedPage.open(context, widget);
    await decline(declining.inFrame);
    await declining.isTold('ready', 'declined');
    guests.photosAre('covered');
    const exhausting = await EmbeddedPage.open(context, widget);
    await agree(exhausting.inFrame);
    for (let i = 0; i < 5; i += 1) {
      await choosePhoto(exhausting.inFrame);
      await sendPhoto(exhausting.inFrame);
      await exhausting.shows(i < 4 ? 'refused' : 'ended');
    }
    await exhausting.isTold('ready', 'error');
    expect((await exhausting.told()).at(-1)?.message).toBe('The enrolment token has no attempts left');
    await context.close();
  });
});
