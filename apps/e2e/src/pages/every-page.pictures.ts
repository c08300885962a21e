/**
 * Pictures of everything that a page can show, in the windows, themes and languages of playwright.config.ts, below
 * `screenshots` of the package, which git ignores:
 *
 *   npm run pictures -- --grep widget --update-snapshots    # or kiosk, dashboard: before a change
 *   npm run pictures -- --grep widget                       # after it: what differs is in test-results
 */
import { expect, type Page } from '@playwright/test';
import { DashboardPage, pathOf } from '../dashboard/dashboard-page.ts';
import { failReads } from '../dashboard/service.ts';
import { test as ofDashboard } from '../support/browser-test.ts';
import {
  bundleKioskGallery,
  bundleWidgetGallery,
  galleryNames,
  galleryTest,
  showScreen,
  showStep,
} from '../support/galleries.ts';

const take = (page: Page, name: string, fullPage = true) =>
  expect.soft(page).toHaveScreenshot(`${name}.png`, { fullPage });

galleryTest(bundleWidgetGallery)('widget', async ({ show, colorScheme, locale }) => {
  const page = await show(`theme=${colorScheme}&lang=${locale?.slice(0, 2)}`);
  for (const name of await galleryNames(page)) {
    await showStep(page, name);
    await take(page, `widget-${name}`);
  }
});

galleryTest(bundleKioskGallery)('kiosk', async ({ show, colorScheme, locale }) => {
  const page = await show(`theme=${colorScheme}&lang=${locale?.slice(0, 2)}`);
  for (const name of await galleryNames(page)) {
    await showScreen(page, name);
    // Nothing of a kiosk is out of the window.
    await take(page, `kiosk-${name}`, false);
  }
});

/** Every page of an account with a week of life and of one without anything in it; some without the right, failing. */
ofDashboard('dashboard', async ({ accounts, browser, colorScheme, dashboard, locale, timezoneId, viewport }) => {
  ofDashboard.setTimeout(1_800_000);
  const { filled, empty, ids, paths, outside } = accounts;
  const look = { colorScheme, locale, timezoneId, viewport } as never;
  const failing = await filled.signIn(browser, 'owner', look);
  await failReads(failing);
  for (const [who, context, shown] of [
    ['nobody', await browser.newContext(look), outside],
    ['owner', await filled.signIn(browser, 'owner', look), paths],
    ['newcomer', await empty.signIn(browser, 'owner', look), paths],
    ['door', await filled.signIn(browser, 'door', look), ['/keys']],
    ['failing', failing, ['/', '/events/$eventId', '/me']],
  ] as const) {
    const tab = await DashboardPage.in(context, dashboard.origin);
    for (const path of shown) {
      await tab.open(pathOf(path, ids[who === 'newcomer' ? 'empty' : 'filled']));
      const name = path === '/' ? 'home' : path.slice(1).replaceAll('/', '-').replaceAll('$', '');
      await take(tab.page, `dashboard-${who}-${name}`);
    }
    await context.close();
  }
});
