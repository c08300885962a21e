import type { Frame, Page } from '@playwright/test';
import sharp from 'sharp';
import { axeViolations } from '../support/axe.ts';
import { test as base, expect } from '../support/browser-test.ts';
import { agree, choosePhoto, decline, sendPhoto } from './guest.ts';
import { EmbeddedPage, markup } from './stage.ts';

const organiser = { organiserName: 'Riverside Hall', privacyNoticeUrl: 'https://example.org/face-check-in-privacy' };
const brand = {
  accent: '#ffe600',
  radius: 0,
  theme: 'dark',
  font: 'serif',
  heading: { en: 'Walk in with a <b>smile</b>', de: 'Mit einem Lächeln hinein' },
};

/** What of its looks a page shows. */
const looksOf = (view: Page | Frame) =>
  view.evaluate(() => {
    const { dataset, style } = document.documentElement;
    const box = getComputedStyle(document.querySelector('.svc-check-box') ?? document.body);
    return {
      theme: dataset.theme,
      fill: style.getPropertyValue('--svc-fill'),
      radius: box.borderRadius,
      font: getComputedStyle(document.body).fontFamily,
    };
  });
const branded = {
  theme: 'dark',
  fill: expect.stringContaining('#ffe600'),
  radius: '0px',
  font: 'serif, system-ui, sans-serif',
};

/** Sets the event's brand until the test's end. */
const test = base.extend<{
  readonly setBrand: (change: object) => Promise<void>;
  readonly preview: (change: object) => Promise<string>;
  readonly logo: { readonly imageBase64: string };
}>({
  async setBrand({ widget }, use) {
    const set = async (change: object | null) => {
      const body = { ...organiser, brand: change };
      const path = `/v1/events/${widget.stage.eventId}/widget`;
      expect((await widget.customer.request('POST', path, body)).status).toBe(200);
    };
    await use(set);
    await set(null);
  },
  async preview({ widget }, use) {
    const path = `/v1/events/${widget.stage.eventId}/widget/preview`;
    await use(async (change) => {
      const body = { ...organiser, brand: change };
      return (await widget.customer.request<{ token: string }>('POST', path, body)).body.token;
    });
  },
  async logo({ browserName: _ }, use) {
    const picture = sharp({ create: { width: 960, height: 200, channels: 4, background: '#c02060' } }).png();
    await use({ imageBase64: (await picture.toBuffer()).toString('base64') });
  },
});

test('is worn by the page behind a link: logo, colour, corners, font, theme, and a heading as plain text', async ({
  guests,
  logo,
  setBrand,
}) => {
  await setBrand({ ...brand, logo });
  const { page } = await guests.atConsent();
  await expect.poll(() => looksOf(page)).toEqual(branded);
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(brand.heading.en);
  expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toMatch(/face check-in/i);
  const image = page.getByRole('img', { name: organiser.organiserName });
  await expect.poll(() => image.evaluate((element) => (element as HTMLImageElement).naturalWidth)).toBe(480);
  expect(await page.locator('.organiser-name').textContent()).toBe(organiser.organiserName);
  expect(await page.locator('.monogram').count()).toBe(0);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('combobox').selectOption('de');
  await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(brand.heading.de);
  await page.getByRole('combobox').selectOption('fr');
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('fr');
  expect(await page.locator('.wording-title').count()).toBe(0);
});

test('is not changed by what an older link says of looks, which opens all the same', async ({ guests, setBrand }) => {
  const plain = await guests.atConsent({ settings: '&accent=0000ff&radius=9&theme=dark&font=serif' });
  expect(await looksOf(plain.page)).toMatchObject({ theme: undefined, fill: '', radius: '8px' });
  await setBrand(brand);
  const { page } = await guests.atConsent({ settings: '&accent=0000ff&radius=9&theme=light&language=de' });
  await expect.poll(() => looksOf(page)).toEqual(branded);
  await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
});

test('is the default in an organiser’s page, whose own settings come first', async ({ context, setBrand, widget }) => {
  await setBrand(brand);
  const body = markup(widget.widgetUrl, (await widget.token()).token, 'data-svc-accent="#0000ff"');
  const embedded = await EmbeddedPage.open(context, widget, { body });
  await embedded.shows('consent');
  const looks = () => looksOf(embedded.frame());
  await expect.poll(looks).toEqual({ ...branded, fill: expect.stringContaining('#0000ff') });
  // As dark as the page in it: a frame of another scheme is not transparent.
  const frame = embedded.page.locator('iframe');
  await expect.poll(() => frame.evaluate((element) => getComputedStyle(element).colorScheme)).toBe('dark');
});

test('is worn by a link that cannot be used any more', async ({ guests, logo, setBrand, widget }) => {
  await setBrand({ ...brand, logo });
  const { token } = await widget.token();
  const first = await guests.open(token);
  await decline(first.page);
  await first.shows('declined');
  const { page } = await guests.open(token);
  await page.locator('[data-screen="ended"]').waitFor();
  await page.getByRole('img', { name: organiser.organiserName }).waitFor();
  expect(await looksOf(page)).toMatchObject({ theme: 'dark', fill: expect.stringContaining('#ffe600') });
  expect(await axeViolations(page)).toEqual([]);
});

test('is previewed to the end: every step says so, nothing is sent, nobody is enrolled', async ({
  guests,
  logo,
  preview,
  widget,
}) => {
  const photos = widget.inference.photos.length;
  const tab = await guests.open(await preview({ ...brand, logo }));
  const badge = () => tab.says('This is what guests will see');
  await tab.shows('consent');
  await expect.poll(() => looksOf(tab.page)).toEqual(branded);
  await badge();
  await agree(tab.page);
  await badge();
  await choosePhoto(tab.page);
  await badge();
  expect(await axeViolations(tab.page)).toEqual([]);
  await sendPhoto(tab.page);
  await tab.shows('done');
  await badge();
  const asked = tab.requested.filter((path) => path.includes('/v1/'));
  expect(asked.filter((path) => path !== 'GET /v1/widget/session')).toEqual([]);
  expect(widget.inference.photos.length).toBe(photos);
  expect(await looksOf((await guests.atConsent()).page)).toMatchObject({ theme: undefined, fill: '' });
});

test('is previewed by somebody who declines: for nobody, repeatedly, and the page around is told nothing', async ({
  context,
  preview,
  widget,
}) => {
  const token = await preview(brand);
  for (let i = 0; i < 2; i += 1) {
    const embedded = await EmbeddedPage.open(context, widget, { body: markup(widget.widgetUrl, token) });
    await decline(embedded.inFrame);
    await embedded.shows('declined');
    await embedded.isTold('ready');
  }
});
