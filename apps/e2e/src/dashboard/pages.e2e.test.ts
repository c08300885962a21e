import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { axeViolations, inTurn } from '../support/gallery.ts';
import type { LivedAccount } from './account-life.ts';
import { DashboardPage, PATIENCE_MS, pathOf } from './dashboard-page.ts';
import { type DashboardHarness, failReads, type HarnessAccount, startDashboardHarness } from './harness.ts';
import { dialogFaults, keyboardFaults, sidewaysScroll } from './page-checks.ts';

const runsAll = process.env.SVC_TEST_DASHBOARD_ALL === '1';
if (!runsAll) console.log('every page in every state and theme: only with SVC_TEST_DASHBOARD_ALL=1');

const themes = ['light', 'dark'] as const;
const ALL_PAGES_MS = 20 * PATIENCE_MS;

/** Pages for people who are not signed in. */
const OUTSIDE = ['/sign-in', '/invitation'];

describe.skipIf(chromiumPath === undefined)('every page of the dashboard', { timeout: ALL_PAGES_MS }, () => {
  let harness: DashboardHarness;
  let browser: Browser;
  let filled: HarnessAccount & { readonly life: LivedAccount };
  let paths: readonly string[];
  let context: BrowserContext | null = null;

  beforeAll(async () => {
    harness = await startDashboardHarness(inject('postgres'));
    filled = await harness.livedAccount(30);
    browser = await launchChromium();
    const page = await DashboardPage.in(await browser.newContext(), harness.origin);
    await page.open('/sign-in');
    paths = (await page.paths()).filter((path) => !OUTSIDE.includes(path));
    await page.page.context().close();
  }, ALL_PAGES_MS);

  afterEach(async () => {
    await context?.close();
    context = null;
  });
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });

  /** Opens each page in one of the themes, or in both, and looks. @returns what is wrong, by page */
  async function lookAt(
    o: {
      readonly open: (theme: (typeof themes)[number]) => Promise<BrowserContext>;
      readonly pages: readonly string[];
      readonly ids: Readonly<Record<string, string>>;
      /** In a short run every fourth page, from this one on. */
      readonly from?: number;
    },
    look: (page: DashboardPage) => Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const faults: string[] = [];
    for (const [theme, shown] of inTurn(o.pages, themes, runsAll)) {
      context = await o.open(theme);
      const page = await DashboardPage.in(context, harness.origin);
      for (const [i, path] of shown.entries()) {
        if (o.from !== undefined && !runsAll && i % 4 !== o.from) continue;
        await page.open(pathOf(path, o.ids));
        const found = [...(await look(page)), ...page.complaints.splice(0)];
        faults.push(...found.map((fault) => `${path} (${theme}): ${fault}`));
      }
      await context.close();
      context = null;
    }
    return faults;
  }

  const signedIn =
    (account: HarnessAccount, role: Parameters<HarnessAccount['signIn']>[1]) => (colorScheme: 'light' | 'dark') =>
      account.signIn(browser, role, { colorScheme, viewport: { width: 1280, height: 900 } });
  const idsOf = (life: Pick<LivedAccount, 'eventId' | 'membersListId'>) => ({
    eventId: life.eventId,
    listId: life.membersListId,
  });
  const wholeLook = async ({ page }: DashboardPage) => [
    ...(await axeViolations(page)),
    ...(await sidewaysScroll(page)),
  ];

  it('knows its pages', () => {
    expect(paths.length).toBeGreaterThan(15);
  });

  it('has no violations by axe, no sideways scroll and no complaint, filled', async () => {
    const pages = { open: signedIn(filled, 'owner'), pages: paths, ids: idsOf(filled.life) };
    expect(await lookAt(pages, wholeLook)).toEqual([]);
  });

  it('the same before anybody has signed in', async () => {
    const open = (colorScheme: 'light' | 'dark') => browser.newContext({ colorScheme, reducedMotion: 'reduce' });
    expect(await lookAt({ open, pages: OUTSIDE, ids: {} }, wholeLook)).toEqual([]);
  });

  it('the same in an account without anything in it', async () => {
    const empty = await harness.account();
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
    const { eventId } = await empty.client.createEvent({ name: 'First event', startsAt: at(24), endsAt: at(30) });
    await empty.client.createList({ name: 'Guests', eventId });
    const { listId } = await empty.client.createList({ name: 'Members', ongoing: true });
    const pages = { open: signedIn(empty, 'owner'), pages: paths, ids: { eventId, listId }, from: 0 };
    expect(await lookAt(pages, wholeLook)).toEqual([]);
  });

  it('the same for somebody without the right, who is told so', async () => {
    const pages = { open: signedIn(filled, 'door'), pages: paths, ids: idsOf(filled.life), from: 1 };
    expect(await lookAt(pages, wholeLook)).toEqual([]);
  });

  it('the same where the service fails, with words and a way on', async () => {
    const open = async (theme: 'light' | 'dark') => {
      const failing = await signedIn(filled, 'owner')(theme);
      await failReads(failing);
      return failing;
    };
    expect(await lookAt({ open, pages: paths, ids: idsOf(filled.life), from: 2 }, wholeLook)).toEqual([]);
  });

  it('is used by keyboard alone, with the focus to be seen', async () => {
    const pages = { open: signedIn(filled, 'owner'), pages: paths, ids: idsOf(filled.life), from: 3 };
    expect(await lookAt(pages, ({ page }) => keyboardFaults(page))).toEqual([]);
  });

  it('has dialogs that keep the focus, close by Escape and give the focus back', async () => {
    const open = async (theme: 'light' | 'dark') => {
      const reading = await signedIn(filled, 'owner')(theme);
      // Nothing is changed by what is pressed.
      await reading.route('**/v1/**', (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.abort('blockedbyclient'),
      );
      return reading;
    };
    // Each button is pressed: the slowest look.
    const half = runsAll ? paths : paths.filter((_, i) => i % 2 === 0);
    const pages = { open, pages: half, ids: idsOf(filled.life), from: 0 };
    const look = (page: DashboardPage) => {
      const at = new URL(page.page.url()).pathname.replace('/dashboard', '');
      return dialogFaults(page.page, () => page.open(at === '' ? '/' : at));
    };
    expect(await lookAt(pages, look)).toEqual([]);
  });
});
