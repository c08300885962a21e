import { expect, test } from '@playwright/test';
import { startTestApi, type TestApi } from '@svc/api/testing';
import { axeViolations } from '../support/axe.ts';
import { complaintsOf } from '../support/complaints.ts';
import { postgresOfRun } from '../support/service.ts';

const phone = { width: 360, height: 640 };
let api: TestApi;
test.beforeAll(async () => {
  api = await startTestApi(postgresOfRun(), {}, { SVC_MANUAL_DIR: '' });
});
test.afterAll(() => api.close());

test('every page of the manual leads somewhere, on a phone', async ({ page }) => {
  const complaints = complaintsOf(page, api.url);
  await page.setViewportSize(phone);
  const addresses = new Set<string>();
  const links = new Set<string>();
  const pages = [`${api.url}/manual/index.html`];
  for (const url of pages) {
    const answer = await page.goto(url);
    expect(answer?.headers()['content-security-policy']).not.toContain('unsafe');
    const found = await page.evaluate(() => ({
      links: [...document.links].map(({ href }) => href),
      ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
      isTooWide: document.documentElement.scrollWidth > innerWidth,
    }));
    expect(found.isTooWide, url).toBe(false);
    for (const id of ['', ...found.ids]) addresses.add(id === '' ? url : `${url}#${id}`);
    const markdown = await (await fetch(url.replace(/html$/, 'md'))).text();
    for (const [, href = ''] of markdown.replace(/^```.*?^```$/gms, '').matchAll(/\](?:\(|: )([^()\s]+)/g))
      found.links.push(new URL(href, url).href.replace(/\.md(?=#|$)/, '.html'));
    for (const link of found.links) if (link.startsWith(api.url)) links.add(link);
    for (const [, target = ''] of [...links].join(' ').matchAll(/(\S+\/manual\/[^\s#]*\.html)/g))
      if (!pages.includes(target)) pages.push(target);
  }
  expect(pages.length).toBeGreaterThan(40);
  expect(pages.filter((url) => /reference\/(core|server-sdk|device-sdk-[a-z-]+)\.html$/.test(url))).toHaveLength(6);
  const dead = [...links].filter((link) => link.includes('.html') && !addresses.has(link));
  for (const link of links) if (!link.includes('.html') && !(await fetch(link)).ok) dead.push(link);
  expect([...dead, ...complaints]).toEqual([]);
});

test('the search finds a word, with the keyboard only', async ({ page }) => {
  const complaints = complaintsOf(page, api.url);
  await page.goto(`${api.url}/manual/`);
  await page.keyboard.press('/');
  await page.keyboard.type('template sealed once');
  await expect(page.getByRole('status')).toHaveText(/^[1-9]\d* found\.$/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Decisions');
  expect(complaints).toEqual([]);
});

for (const locale of ['en', 'de'])
  test(`a page shows its pictures and films in dark colours, to a reader of ${locale}`, async ({ browser }) => {
    const page = await browser.newPage({ locale, colorScheme: 'dark' });
    for (const name of ['dashboard', 'guests']) {
      await page.goto(`${api.url}/manual/guide/${name}.html`);
      for (const closed of await page.locator('summary').all()) await closed.click();
      for (const image of await page.locator('main img').all()) {
        await image.scrollIntoViewIfNeeded();
        const shown = () => image.evaluate((img: HTMLImageElement) => (img.naturalWidth > 0 ? img.currentSrc : ''));
        await expect.poll(shown).toContain(`-dark-${locale}.webp`);
      }
    }
  });

for (const colorScheme of ['light', 'dark'] as const)
  test(`a page is readable to all, ${colorScheme} and printed`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${api.url}/manual/reference/server-sdk.html`);
    await expect(page.locator('h3#createsvcclient + p')).toContainText('Creates a client for one account.');
    expect(await axeViolations(page)).toEqual([]);
    await page.goto(`${api.url}/manual/operate/operations.html`);
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize(phone);
    await page.getByRole('button', { name: 'Contents' }).click();
    await expect(page.getByRole('link', { name: 'Operating', exact: true })).toHaveAttribute('aria-current', 'page');
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByRole('banner')).toBeHidden();
    await expect(page.getByRole('navigation')).toBeHidden();
  });
