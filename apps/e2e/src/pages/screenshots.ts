import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import sharp from 'sharp';
import { DashboardPage, pathOf } from '../dashboard/dashboard-page.ts';
import { failReads } from '../dashboard/service.ts';
import {
  galleryNames,
  kioskWindows,
  type ServedGallery,
  serveKioskGallery,
  serveWidgetGallery,
  showScreen,
  showStep,
} from '../support/galleries.ts';
import { withDashboard } from './dashboard.ts';
import { newContext } from './measurement.ts';

/** Takes a picture of what a page shows, under a name. */
type Take = (page: Page, name: string, fullPage: boolean) => Promise<void>;

/** Shows everything whose name begins with `only`. */
type Scenario = (browser: Browser, take: Take, only: string) => Promise<void>;

/** A window, with the queries that are shown in it, by name. */
interface Window {
  readonly name: string;
  readonly context: BrowserContextOptions;
  readonly queries: Readonly<Record<string, string>>;
}

/** Time zone and motion are fixed. */
const steady = { reducedMotion: 'reduce', timezoneId: 'Europe/Berlin', deviceScaleFactor: 1 } as const;

const ofGallery =
  (
    serve: () => Promise<ServedGallery>,
    show: (page: Page, name: string) => Promise<void>,
    windows: readonly Window[],
    fullPage: boolean,
  ): Scenario =>
  async (browser, take, only) => {
    const gallery = await serve();
    for (const window of windows) {
      const context = await newContext(browser, { ...steady, ...window.context });
      const page = await context.newPage();
      for (const [queryName, query] of Object.entries(window.queries)) {
        await page.goto(`${gallery.url}?${query}`);
        for (const name of (await galleryNames(page)).filter((each) => each.startsWith(only))) {
          await show(page, name);
          await take(page, `${name}-${window.name}-${queryName}`, fullPage);
        }
      }
      await context.close();
    }
    await gallery.close();
  };

const themes = ['light', 'dark'] as const;
const languages = { en: 'en-GB', de: 'de-DE' } as const;
const inBoth = Object.fromEntries(
  themes.flatMap((theme) => Object.keys(languages).map((lang) => [`${theme}-${lang}`, `theme=${theme}&lang=${lang}`])),
);
const plain = { 'light-en': 'theme=light&lang=en' };

type Who = 'owner' | 'newcomer' | 'door' | 'nobody' | 'failing';
const nameOf = (path: string) => (path === '/' ? 'home' : path.slice(1).replaceAll('/', '-').replaceAll('$', ''));

/** Every page of an account with a week of life, of one without anything in it, without the right, and failing. */
function dashboardPages(paths: readonly string[]): readonly { name: string; path: string; who: Who }[] {
  const outside = ['/sign-in', '/invitation'];
  const inside = paths.filter((path) => !outside.includes(path));
  const failing = ['/', '/events/$eventId', '/events/$eventId/people', '/me'];
  const of = (who: Who, shown: readonly string[], prefix = '') =>
    shown.map((path) => ({ name: prefix + nameOf(path), path, who }));
  return [
    ...of('nobody', outside),
    ...of('owner', inside),
    ...of('newcomer', inside, 'empty-'),
    ...of('door', ['/keys'], 'no-right-'),
    ...of('failing', failing, 'failing-'),
  ];
}

const ofDashboard: Scenario = (browser, take, only) =>
  withDashboard(async (service) => {
    const lived = await service.livedAccount(60);
    const empty = await service.account();
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const { eventId } = await empty.client.createEvent({ name: 'First event', startsAt: at(24), endsAt: at(30) });
    await empty.client.createList({ name: 'Guests', eventId });
    const { listId } = await empty.client.createList({ name: 'Members', ongoing: true });
    const { life } = lived;
    for (const [language, locale] of Object.entries(languages)) {
      for (const colorScheme of themes) {
        const looks = { ...steady, locale, colorScheme };
        const contexts: Readonly<Record<Who, BrowserContext>> = {
          owner: await lived.signIn(browser, 'owner', looks),
          newcomer: await empty.signIn(browser, 'owner', looks),
          door: await lived.signIn(browser, 'door', looks),
          failing: await lived.signIn(browser, 'owner', looks),
          nobody: await browser.newContext(looks),
        };
        for (const context of Object.values(contexts))
          await context.addInitScript('globalThis.__name = (value) => value');
        await failReads(contexts.failing);
        const first = await DashboardPage.in(contexts.nobody, service.origin);
        await first.open('/sign-in');
        for (const { name, path, who } of dashboardPages(await first.paths())) {
          if (!name.startsWith(only)) continue;
          const tab = await DashboardPage.in(contexts[who], service.origin);
          await tab.open(
            pathOf(
              path,
              who === 'newcomer' ? { eventId, listId } : { eventId: life.eventId, listId: life.membersListId },
            ),
          );
          for (const width of [390, 820, 1440]) {
            await tab.page.setViewportSize({ width, height: 900 });
            await tab.settled();
            await take(tab.page, `${name}-${width}-${colorScheme}-${language}`, true);
          }
          for (const complaint of tab.complaints) console.log(`${name}: ${complaint}`);
          await tab.page.close();
        }
        for (const context of Object.values(contexts)) await context.close();
      }
    }
  });

export const scenarios: Readonly<Record<string, Scenario>> = {
  // A phone upright, a phone in landscape or a page's column, a desktop.
  widget: ofGallery(
    serveWidgetGallery,
    showStep,
    [320, 640, 1280].map((width) => ({
      name: String(width),
      context: { viewport: { width, height: 900 } },
      queries: inBoth,
    })),
    true,
  ),
  kiosk: ofGallery(
    serveKioskGallery,
    showScreen,
    [
      ...kioskWindows.map((viewport) => ({
        name: `${viewport.width}x${viewport.height}`,
        context: { viewport },
        queries: { ...plain, 'dark-de': 'theme=dark&lang=de', 'light-ar': 'theme=light&lang=ar' },
      })),
      { name: 'forced', context: { viewport: { width: 820, height: 1180 }, forcedColors: 'active' }, queries: plain },
      // A window of 1280 × 800 at 200 %.
      { name: 'zoomed', context: { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }, queries: plain },
    ],
    false,
  ),
  dashboard: ofDashboard,
};

/** Difference of a channel that is not yet visible, of 255. */
const TOLERANCE = 8;

/** The differences of two pictures, white on black; null if there are none. */
async function differenceOf(before: Uint8Array, now: Uint8Array): Promise<Buffer | null> {
  const [a, b] = await Promise.all([sharp(before).metadata(), sharp(now).metadata()]);
  if (a.width !== b.width || a.height !== b.height) return Buffer.from(now);
  const seen = sharp(before)
    .removeAlpha()
    .composite([{ input: Buffer.from(now), blend: 'difference' }])
    .removeAlpha();
  const difference = sharp(await seen.png().toBuffer()).threshold(TOLERANCE, { greyscale: false });
  const { channels } = await sharp(await difference.png().toBuffer()).stats();
  return channels.every(({ max }) => max === 0) ? null : difference.png().toBuffer();
}

/**
 * Pictures of a scenario in `out`, and in `out/differences` how they differ from those in `against`.
 * @returns whether none differs
 */
export async function takePictures(
  browser: Browser,
  scenario: Scenario,
  { out, only, against }: { readonly out: string; readonly only: string; readonly against: string | null },
): Promise<boolean> {
  await rm(out, { recursive: true, force: true });
  await mkdir(join(out, 'differences'), { recursive: true });
  const taken = new Set<string>();
  let different = 0;
  const earlier = against === null ? [] : (await readdir(against)).filter((name) => name.endsWith('.png'));
  await scenario(
    browser,
    async (page, name, fullPage) => {
      // The current content is painted in the next frame.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const file = `${name}.png`;
      const now = await page.screenshot({ path: join(out, file), fullPage, caret: 'hide' });
      taken.add(file);
      if (against === null) return;
      const isNew = !earlier.includes(file);
      const difference = isNew ? now : await differenceOf(await readFile(join(against, file)), now);
      if (difference === null) return;
      await writeFile(join(out, 'differences', file), difference);
      console.log(`${name}: ${isNew ? 'only now' : 'differs'}`);
      different += 1;
    },
    only,
  );
  const gone = earlier.filter((file) => file.startsWith(only) && !taken.has(file));
  for (const file of gone) console.log(`${file}: only before`);
  console.log(`${taken.size} pictures in ${out}${against === null ? '' : `, ${different + gone.length} differ`}`);
  return different + gone.length === 0;
}
