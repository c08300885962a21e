import type { Frame, Page } from '@playwright/test';
import sharp from 'sharp';
import { axeViolations } from '../support/axe.ts';
import { test as base, expect } from '../support/browser-test.ts';
import { agree, choosePhoto, decline, sendPhoto } from './guest.ts';
import { EmbeddedPage } from './stage.ts';

const organiser = { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/face-check-in-privacy' };
const picture = sharp({ create: { width: 960, height: 200, channels: 4, background: '#c02060' } }).png();
const brand = {
  ...{ accent: '#ffe600', radius: 0, theme: 'dark', font: 'serif' },
  heading: { en: 'Walk in with a <b>smile</b>', de: 'Mit einem Lächeln hinein' },
  logo: { imageBase64: (await picture.toBuffer()).toString('base64') },
};

/** What of its looks a page shows. */
const looksOf = (view: Page | Frame) =>
  view.evaluate(() => {
    const { dataset, style } = document.documentElement;
    const box = getComputedStyle(document.querySelector('.svc-check-box') ?? document.body);
    const { fontFamily } = getComputedStyle(document.body);
    return { theme: dataset.theme, fill: style.getPropertyValue('--svc-fill'), radius: box.borderRadius, fontFamily };
  });
const branded = {
  ...{ theme: 'dark', fill: expect.stringContaining('#ffe600'), radius: '0px' },
  fontFamily: 'serif, system-ui, sans-serif',
};

/** An event with the brand, until the test's end; or without. */
const test = base.extend<{ readonly isBranded: boolean; readonly branding: undefined }>({
  isBranded: [true, { option: true }],
  branding: [
    async ({ isBranded, widget }, use) => {
      const set = async (change: object | null) => {
        const path = `/v1/events/${widget.stage.eventId}/widget`;
        const { status } = await widget.customer.request('POST', path, { ...organiser, brand: change });
        expect(status).toBe(200);
      };
      if (isBranded) await set(brand);
      await use(undefined);
      await set(null);
    },
    { auto: true },
  ],
});

test('is worn by the page behind a link, also by one that is used up, whatever an older link says of looks', async ({
  guests,
  widget,
}) => {
  const { token } = await widget.token();
  const first = await guests.open(token, { settings: '&accent=0000ff&radius=9&theme=light' });
  const { page } = first;
  await expect.poll(() => looksOf(page)).toEqual(branded);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(brand.heading.en);
  const logo = (view: Page) => view.getByRole('img', { name: organiser.organiserName });
  await expect.poll(() => logo(page).evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(480);
  expect(await page.locator('.organiser-name').textContent()).toBe(organiser.organiserName);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('combobox').selectOption('de');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(brand.heading.de);
  await page.getByRole('combobox').selectOption('en');
  await decline(page);
  await first.shows('declined');
  const used = await guests.open(token);
  await used.shows('ended');
  await logo(used.page).waitFor();
  expect(await looksOf(used.page)).toMatchObject({ theme: 'dark', fill: expect.stringContaining('#ffe600') });
  expect(await axeViolations(used.page)).toEqual([]);
});

test('is the default in an organiser’s page, whose own settings come first', async ({ context, widget }) => {
  const embedded = await EmbeddedPage.open(context, widget, { attributes: 'data-svc-accent="#0000ff"' });
  await embedded.shows('consent');
  const looks = () => looksOf(embedded.frame());
  await expect.poll(looks).toEqual({ ...branded, fill: expect.stringContaining('#0000ff') });
  // As dark as the page in it: a frame of another scheme is not transparent.
  const frame = embedded.page.locator('iframe');
  await expect.poll(() => frame.evaluate((element) => getComputedStyle(element).colorScheme)).toBe('dark');
});

test.describe('a preview', () => {
  test.use({ isBranded: false });
  test('says at every step that it is one, sends nothing, and changes nothing', async ({ guests, widget }) => {
    const path = `/v1/events/${widget.stage.eventId}/widget/preview`;
    const made = await widget.customer.request<{ token: string }>('POST', path, { ...organiser, brand });
    const photos = widget.inference.photos.length;
    const tab = await guests.open(made.body.token);
    const badge = () => tab.says('This is what guests will see');
    await tab.shows('consent');
    await expect.poll(() => looksOf(tab.page)).toEqual(branded);
    await badge();
    await agree(tab.page);
    await badge();
    await choosePhoto(tab.page);
    await badge();
    await sendPhoto(tab.page);
    await tab.shows('done');
    await badge();
    const asked = tab.requested.filter((each) => each.includes('/v1/') && each !== 'GET /v1/widget/session');
    expect(asked).toEqual([]);
    expect(widget.inference.photos.length).toBe(photos);
    expect(await looksOf((await guests.atConsent()).page)).toMatchObject({ theme: undefined, fill: '' });
  });
});
