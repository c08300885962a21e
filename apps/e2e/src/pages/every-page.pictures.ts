/**
 * Pictures of everything that a page can show, below `screenshots` of the package, which git ignores:
 *
 *   npm run pictures -- --grep widget --update-snapshots    # or kiosk, dashboard: before a change
 *   npm run pictures -- --grep widget                       # after it: what differs is in test-results
 */
import { type BrowserContextOptions, expect, type Page } from '@playwright/test';
import { DashboardPage, pathOf } from '../dashboard/dashboard-page.ts';
import { failReads } from '../dashboard/service.ts';
import { test as ofDashboard } from '../support/browser-test.ts';
import {
  bundleKioskGallery,
  bundleWidgetGallery,
  galleryNames,
  galleryTest,
  kioskWindows,
  showScreen,
  showStep,
} from '../support/galleries.ts';

const themes = ['light', 'dark'] as const;
const languages = { en: 'en-GB', de: 'de-DE' } as const;
const inBoth = themes.flatMap((theme) => Object.keys(languages).map((lang) => `theme=${theme}&lang=${lang}`));
const plain = ['theme=light&lang=en'];

const take = (page: Page, name: string, fullPage = true) =>
  expect.soft(page).toHaveScreenshot(`${name}.png`, { fullPage });

function ofGallery(
  name: string,
  test: ReturnType<typeof galleryTest>,
  showName: (page: Page, name: string) => Promise<void>,
  windows: Readonly<Record<string, { readonly use: BrowserContextOptions; readonly queries: readonly string[] }>>,
): void {
  for (const [window, { use, queries }] of Object.entries(windows)) {
    test.describe(`${name} in ${window}`, () => {
      test.use({ ...use, timezoneId: 'Europe/Berlin' });
      for (const query of queries) {
        test(query, async ({ show }) => {
          const page = await show(query);
          for (const each of await galleryNames(page)) {
            await showName(page, each);
            await take(
              page,
              `${name}/${each}-${window}-${query.replaceAll(/\w+=/g, '').replace('&', '-')}`,
              name === 'widget',
            );
          }
        });
      }
    });
  }
}

// A phone upright, a phone in landscape or a page's column, a desktop.
ofGallery(
  'widget',
  galleryTest(bundleWidgetGallery),
  showStep,
  Object.fromEntries(
    [320, 640, 1280].map((width) => [width, { use: { viewport: { width, height: 900 } }, queries: inBoth }]),
  ),
);
ofGallery('kiosk', galleryTest(bundleKioskGallery), showScreen, {
  ...Object.fromEntries(
    kioskWindows.map((viewport) => [
      `${viewport.width}x${viewport.height}`,
      { use: { viewport }, queries: [...plain, 'theme=dark&lang=de', 'theme=light&lang=ar'] },
    ]),
  ),
  forced: {
    use: { viewport: { width: 820, height: 1180 }, contextOptions: { forcedColors: 'active' } },
    queries: plain,
  },
  // A window of 1280 × 800 at 200 %.
  zoomed: { use: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, queries: plain },
} as never);

/** Every page of an account with a week of life and of one without anything in it; some without the right, failing. */
for (const [lang, locale] of Object.entries(languages)) {
  for (const colorScheme of themes) {
    ofDashboard(`dashboard ${colorScheme} ${lang}`, async ({ accounts, browser, dashboard }) => {
      ofDashboard.setTimeout(1_800_000);
      const looks = { locale, colorScheme, timezoneId: 'Europe/Berlin' };
      const { filled, empty, ids, paths, outside } = accounts;
      const failing = await filled.signIn(browser, 'owner', looks);
      await failReads(failing);
      for (const [who, context, shown] of [
        ['nobody', await browser.newContext(looks), outside],
        ['owner', await filled.signIn(browser, 'owner', looks), paths],
        ['newcomer', await empty.signIn(browser, 'owner', looks), paths],
        ['door', await filled.signIn(browser, 'door', looks), ['/keys']],
        ['failing', failing, ['/', '/events/$eventId', '/me']],
      ] as const) {
        const tab = await DashboardPage.in(context, dashboard.origin);
        for (const path of shown) {
          await tab.open(pathOf(path, ids[who === 'newcomer' ? 'empty' : 'filled']));
          const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-').replaceAll('$', '');
          for (const width of [390, 820, 1440]) {
            await tab.page.setViewportSize({ width, height: 900 });
            await tab.settled();
            await take(tab.page, `dashboard/${who}-${name}-${width}-${colorScheme}-${lang}`);
          }
        }
        await context.close();
      }
    });
  }
}
