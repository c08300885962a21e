import type { Page } from '@playwright/test';
import { axeViolations } from '../support/axe.ts';
import { expect, test } from '../support/browser-test.ts';
import { readQrCode } from '../support/codes.ts';
import { DECLINE, decline, noisePhoto, phone, screenOf } from './guest.ts';
import { EmbeddedPage, markup } from './stage.ts';

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
    expect(await tab.page.getByText('Continue on your phone').count()).toBe(0);
    const engineRequests = () => tab.requested.filter((path) => /\/(engine|capture)-/.test(path)).length;
    expect(engineRequests()).toBe(0);
    for (const box of ['explicitBiometricConsent', 'writtenRelease']) await tab.page.locator(`[name="${box}"]`).tap();
    await expect.poll(engineRequests).toBeGreaterThan(1);
    await tap('I agree, continue');
    await tab.says('The photo guide could not be loaded');
    const tried = engineRequests();
    await tap('Try again now');
    await expect.poll(engineRequests).toBeGreaterThan(tried);
    await tab.says('Look straight into the camera');
    expect(await tab.camera('lit')).toEqual(['front']);
    await tab.photograph();
    expect(await tab.camera('lit')).toEqual([]);
    await tap('Retake');
    await tab.photograph();
    await tap('Send photo');
    await tab.shows('done');
    await tab.says(/deleted no later than \d+ \w+ \d{4}/);
    expect(await widget.tokenState(tokenId)).toMatchObject({ state: 'used' });
    expect(await widget.isEnrolled(ticketId)).toBe(true);
    await tab.leavesNothing();
    await tab.page.reload();
    await screenOf(tab.page, 'ended').getByText('Your face code will be deleted no later than').waitFor();
    // A link that was cut off, of which the service is not asked.
    const asked = () => tab.requested.filter((path) => path.includes('/v1/')).length;
    const before = asked();
    await tab.page.goto(`${widget.widgetUrl}#${token.slice(0, -1)}`);
    await tab.says('This link is incomplete');
    await tab.page.reload();
    await tab.says('This link is incomplete');
    expect(asked()).toBe(before);
  });

  test('by keyboard alone, with a guardian, a refused photo and another one', async ({ guests, widget }) => {
    widget.inference.outcomes = ['blurred', 'enrolled'];
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
    await page.getByText('A parent or guardian must tick this box.').waitFor();
    await page.getByRole('navigation', { name: 'Steps' }).waitFor();
    await page.keyboard.press('Space');
    await press(page, 'I agree, continue');
    await hasFocus(page, 'Take your photo');
    const chooser = page.waitForEvent('filechooser');
    await press(page, 'Choose a photo instead');
    await (await chooser).setFiles(await noisePhoto());
    await hasFocus(page, 'Is this photo good?');
    await press(page, 'Send photo');
    await hasFocus(page, 'The photo was blurred');
    await press(page, 'Retake');
    await hasFocus(page, 'Take your photo');
    await page.getByRole('button', { name: 'Take photo', disabled: false }).waitFor();
    await page.getByLabel('Camera preview').waitFor();
    await press(page, 'Take photo', 'Space');
    await hasFocus(page, 'Is this photo good?');
    await press(page, 'Send photo');
    await hasFocus(page, 'You are enrolled');
    expect(await widget.isEnrolled(ticketId)).toBe(true);
  });

  test('continues on a phone, by a code with the same link', { tag: '@long' }, async ({ guests, widget }) => {
    const { token } = await widget.token();
    const tab = await guests.open(token);
    await tab.press('Continue on your phone');
    const code = tab.page.getByRole('img', { name: 'QR code with your personal link' });
    expect(await readQrCode(await code.screenshot())).toBe(widget.guestLink(token));
    await tab.press('Continue on your phone');
    await code.waitFor({ state: 'detached' });
  });
});

test('declining is undone as long as the page is open, and the consent asked for anew; the organiser is told', async ({
  context,
  widget,
}) => {
  const embedded = await EmbeddedPage.open(context, widget);
  const frame = embedded.inFrame;
  await decline(frame);
  await embedded.shows('declined');
  expect(await widget.tokenState(embedded.made.tokenId)).toMatchObject({ state: 'declined' });
  await frame.getByRole('button', { name: 'Undo' }).click();
  await embedded.shows('consent');
  expect(await frame.locator('input:checked').count()).toBe(0);
  await embedded.isTold('ready', 'declined', 'ready');
});

test('the session and the texts are fetched while the scripts are on their way, and each once', async ({
  guests,
  widget,
}) => {
  const tab = await guests.open((await widget.token()).token, { locale: 'de-DE' });
  await tab.shows('consent');
  const [session, texts] = [/\/v1\/widget\/session/, /\/assets\/de-[\w-]+\.js$/];
  // Neither the address nor the history shows the token; a reload goes on all the same.
  expect(await tab.page.evaluate('navigation.entries().map(({ url }) => url)')).toEqual([widget.widgetUrl]);
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

test('a network that is cut before the page’s own texts: they are in English, around the guest’s wording', {
  tag: '@long',
}, async ({ guests }) => {
  const { page } = await guests.atConsent({ locale: 'de-DE' });
  await page.route('**/assets/de-*', (route) => route.abort('connectionreset'));
  await page.reload();
  await page.getByRole('button', { name: 'I agree, continue' }).waitFor();
  await page.getByRole('button', { name: 'Nein danke, ich nehme den normalen Eingang' }).waitFor();
  expect(await page.locator('.wording').getAttribute('lang')).toBe('de');
});

test('in an organiser’s page the keyboard goes into the frame, through all of it, and out on the other side', async ({
  context,
  widget,
}) => {
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
});
