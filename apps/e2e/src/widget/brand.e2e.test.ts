import { chromiumPath } from '@svc/benchmarks/inputs/browser';
import type { Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/gallery.ts';
import { EmbeddedPage, newContext, withId } from './embedding.ts';
import { agree, choosePhoto, decline, noisePhoto, sendPhoto } from './guest.ts';
import { GuestStage } from './guest-stage.ts';
import { PATIENCE_MS } from './harness.ts';

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

describe.skipIf(chromiumPath === undefined)('an organiser’s brand', { timeout: 4 * PATIENCE_MS }, () => {
  let guests: GuestStage;
  let logo: string;

  const post = async (path: string, change: unknown) => {
    const { customer, stage } = guests.harness;
    const body = { ...organiser, brand: change };
    return customer.request<{ token: string }>('POST', `/v1/events/${stage.eventId}/widget${path}`, body);
  };
  const setBrand = async (change: unknown) => expect((await post('', change)).status).toBe(200);

  beforeAll(async () => {
    guests = await GuestStage.start();
    const png = await sharp({ create: { width: 960, height: 200, channels: 4, background: '#c02060' } })
      .png()
      .toBuffer();
    logo = png.toString('base64');
  }, 4 * PATIENCE_MS);
  afterEach(async () => {
    await guests.endTest();
    await setBrand(null);
  });
  afterAll(() => guests?.close());

  it('is worn by the page behind a link: logo, colour, corners, font, theme, and a heading as plain text', async () => {
    await setBrand({ ...brand, logo: { imageBase64: logo } });
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

  it('is not changed by what an older link says of looks, which opens all the same', async () => {
    const plain = await guests.atConsent({ settings: '&accent=0000ff&radius=9&theme=dark&font=serif' });
    expect(await looksOf(plain.page)).toMatchObject({ theme: undefined, fill: '', radius: '8px' });
    await setBrand(brand);
    const { page } = await guests.atConsent({ settings: '&accent=0000ff&radius=9&theme=light&language=de' });
    await expect.poll(() => looksOf(page)).toEqual(branded);
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de');
  });

  it('is the default in an organiser’s page, whose own settings come first', async () => {
    await setBrand(brand);
    const context = await newContext(guests.browser);
    const { token } = await guests.harness.token();
    const body = `<div data-svc-token="${token}" data-svc-accent="#0000ff"></div>
      <script src="${guests.harness.widgetUrl}widget.js" async></script>`;
    const embedded = await EmbeddedPage.open(context, guests.harness, { body: withId(body) });
    await embedded.shows('consent');
    await expect
      .poll(() => looksOf(embedded.frame()))
      .toEqual({ ...branded, fill: expect.stringContaining('#0000ff') });
    // As dark as the page in it: a frame of another scheme is not transparent.
    await expect
      .poll(() => embedded.page.locator('iframe').evaluate((frame) => getComputedStyle(frame).colorScheme))
      .toBe('dark');
    await context.close();
  });

  it('is worn by a link that cannot be used any more', async () => {
    await setBrand({ ...brand, logo: { imageBase64: logo } });
    const { token } = await guests.harness.token();
    const first = await guests.open(token);
    await first.shows('consent');
    await decline(first.page);
    await first.shows('declined');
    const { page } = await guests.open(token);
    await page.locator('[data-screen="ended"]').waitFor();
    await page.getByRole('img', { name: organiser.organiserName }).waitFor();
    expect(await looksOf(page)).toMatchObject({ theme: 'dark', fill: expect.stringContaining('#ffe600') });
    expect(await axeViolations(page)).toEqual([]);
  });

  describe('in a preview', () => {
    const badge = (page: Page) => page.getByText('This is what guests will see').waitFor();

    it('is walked through to the end: every step says so, nothing is sent, nobody is enrolled', async () => {
      const { body } = await post('/preview', { ...brand, logo: { imageBase64: logo } });
      const tab = await guests.open(body.token);
      const asked: string[] = [];
      tab.page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith('/v1/')) asked.push(`${request.method()} ${pathname}`);
      });
      await tab.shows('consent');
      await expect.poll(() => looksOf(tab.page)).toEqual(branded);
      await badge(tab.page);
      await agree(tab.page);
      await badge(tab.page);
      await choosePhoto(tab.page, await noisePhoto());
      await badge(tab.page);
      expect(await axeViolations(tab.page)).toEqual([]);
      await sendPhoto(tab.page);
      await tab.shows('done');
      await badge(tab.page);
      expect(asked.filter((one) => one !== 'GET /v1/widget/session')).toEqual([]);
      expect(guests.inference.photos).toEqual([]);
      expect(await guests.harness.enrolled()).toEqual([]);
      expect(await looksOf((await guests.atConsent()).page)).toMatchObject({ theme: undefined, fill: '' });
    });

    it('declines for nobody, may be repeated, and tells the page around it nothing', async () => {
      const { token } = (await post('/preview', brand)).body;
      const context = await newContext(guests.browser);
      for (let i = 0; i < 2; i += 1) {
        const body = `<div data-svc-token="${token}"></div>
          <script src="${guests.harness.widgetUrl}widget.js" async></script>`;
        const embedded = await EmbeddedPage.open(context, guests.harness, { body: withId(body) });
        await embedded.shows('consent');
        await decline(embedded.frame());
        await embedded.shows('declined');
        await embedded.isTold('ready');
      }
      await context.close();
    });
  });
});
