/**
 * Pictures of every page of the dashboard in three widths, light and dark, in English and German: of an account with a
 * week of life, of one without anything in it, of somebody without the right, and where the service fails.
 *
 *   npm run screenshots:dashboard -- [--out DIR] [--only NAME]
 *
 * The default folder is `screenshots/dashboard/` of the package, which git ignores. `--only` takes the beginning of a
 * picture's name, such as `events-event`. A picture `sheet-….png` shows a page in all widths, light and dark.
 */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestPostgres } from '@svc/api/testing';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext } from 'playwright-core';
import sharp from 'sharp';
import { DashboardPage, pathOf } from './dashboard-page.ts';
import { type DashboardHarness, failReads, startDashboardHarness } from './harness.ts';

const widths = [390, 820, 1440] as const;
const themes = ['light', 'dark'] as const;
const languages = { en: 'en-GB', de: 'de-DE' } as const;
const HEIGHT = 900;
/** Of a sheet's pictures; longer pages are cut. */
const SHEET_HEIGHT = 1_800;

/** A page to take pictures of, under the name of its pictures. */
interface Shown {
  readonly name: string;
  readonly path: string;
  readonly who: 'owner' | 'newcomer' | 'door' | 'nobody' | 'failing';
}

const nameOf = (path: string) => (path === '/' ? 'home' : path.slice(1).replaceAll('/', '-').replaceAll('$', ''));

async function shownPages(paths: readonly string[]): Promise<readonly Shown[]> {
  const outside = ['/sign-in', '/invitation'];
  const inside = paths.filter((path) => !outside.includes(path));
  return [
    ...outside.map((path) => ({ name: nameOf(path), path, who: 'nobody' as const })),
    ...inside.map((path) => ({ name: nameOf(path), path, who: 'owner' as const })),
    ...inside.map((path) => ({ name: `empty-${nameOf(path)}`, path, who: 'newcomer' as const })),
    { name: 'no-right-keys', path: '/keys', who: 'door' },
    ...['/', '/events/$eventId', '/events/$eventId/people', '/me'].map((path) => ({
      name: `failing-${nameOf(path)}`,
      path,
      who: 'failing' as const,
    })),
  ];
}

/** All widths of a page beside each other, light above dark. */
async function writeSheet(folder: string, name: string, language: string): Promise<void> {
  const gap = 24;
  const pictures = await Promise.all(
    themes.flatMap((theme) =>
      widths.map(async (width) => {
        const picture = sharp(join(folder, `${name}-${width}-${theme}-${language}.png`));
        const { height = 0 } = await picture.metadata();
        const cut = Math.min(height, SHEET_HEIGHT);
        return { cut, input: await picture.extract({ left: 0, top: 0, width, height: cut }).toBuffer() };
      }),
    ),
  );
  const rowHeights = themes.map((_theme, row) =>
    Math.max(...pictures.slice(row * widths.length, (row + 1) * widths.length).map(({ cut }) => cut)),
  );
  const left = (column: number) => widths.slice(0, column).reduce((sum, width) => sum + width + gap, 0);
  const top = (row: number) => rowHeights.slice(0, row).reduce((sum, height) => sum + height + gap, 0);
  const sheet = await sharp({
    create: { width: left(widths.length), height: top(themes.length), channels: 3, background: '#808080' },
  })
    .composite(
      pictures.map(({ input }, i) => ({
        input,
        left: left(i % widths.length),
        top: top(Math.floor(i / widths.length)),
      })),
    )
    .png()
    .toBuffer();
  await sharp(sheet)
    .resize({ width: 1_600 })
    .toFile(join(folder, `sheet-${name}-${language}.png`));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(2).filter((argument) => argument !== '--'),
    options: { out: { type: 'string' }, only: { type: 'string', default: '' } },
  });
  if (chromiumPath === undefined) return console.log('skipped: no Chromium');
  const out =
    values.out === undefined
      ? join(import.meta.dirname, '../../screenshots/dashboard')
      : resolve(process.env.INIT_CWD ?? '.', values.out);
  await mkdir(out, { recursive: true });
  const postgres = await startTestPostgres();
  let harness: DashboardHarness | null = null;
  let browser: Browser | null = null;
  try {
    harness = await startDashboardHarness(postgres.target);
    browser = await launchChromium();
    await takePictures(harness, browser, out, values.only);
  } finally {
    await browser?.close();
    await harness?.close();
    await postgres.stop();
  }
}

async function takePictures(harness: DashboardHarness, browser: Browser, out: string, only: string): Promise<void> {
  const lived = await harness.livedAccount(60);
  const empty = await harness.account();
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const { eventId } = await empty.client.createEvent({ name: 'First event', startsAt: at(24), endsAt: at(30) });
  await empty.client.createList({ name: 'Guests', eventId });
  const { listId } = await empty.client.createList({ name: 'Members', ongoing: true });
  const ids = {
    owner: { eventId: lived.life.eventId, listId: lived.life.membersListId },
    newcomer: { eventId, listId },
  };
  let pages: readonly Shown[] | null = null;
  const taken = new Set<string>();
  for (const [language, locale] of Object.entries(languages)) {
    for (const colorScheme of themes) {
      const looks = { locale, colorScheme, timezoneId: 'Europe/Berlin', viewport: { width: 1440, height: HEIGHT } };
      const contexts: Record<Shown['who'], BrowserContext> = {
        owner: await lived.signIn(browser, 'owner', looks),
        newcomer: await empty.signIn(browser, 'owner', looks),
        door: await lived.signIn(browser, 'door', looks),
        failing: await lived.signIn(browser, 'owner', looks),
        nobody: await browser.newContext({ reducedMotion: 'reduce', ...looks }),
      };
      await failReads(contexts.failing);
      const tabs = new Map<Shown['who'], DashboardPage>();
      for (const who of ['owner', 'newcomer', 'door', 'nobody', 'failing'] as const)
        tabs.set(who, await DashboardPage.in(contexts[who], harness.origin));
      if (pages === null) {
        const tab = tabs.get('nobody');
        await tab?.open('/sign-in');
        pages = await shownPages((await tab?.paths()) ?? []);
      }
      for (const { name, path, who } of pages.filter((one) => one.name.startsWith(only))) {
        const tab = tabs.get(who);
        if (tab === undefined) continue;
        await tab.open(pathOf(path, who === 'newcomer' ? ids.newcomer : ids.owner));
        for (const width of widths) {
          await tab.page.setViewportSize({ width, height: HEIGHT });
          await tab.settled();
          const file = `${name}-${width}-${colorScheme}-${language}.png`;
          await tab.page.screenshot({ path: join(out, file), fullPage: true, caret: 'hide' });
        }
        taken.add(name);
        for (const complaint of tab.complaints.splice(0)) console.log(`${name}: ${complaint}`);
      }
      for (const context of Object.values(contexts)) await context.close();
    }
    for (const name of taken) await writeSheet(out, name, language);
  }
  console.log(`${taken.size} pages in ${out}`);
}

await main();
