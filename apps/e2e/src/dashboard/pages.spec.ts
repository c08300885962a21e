import type { BrowserContext } from '@playwright/test';
import { axeViolations } from '../support/axe.ts';
import { test as base, expect } from '../support/browser-test.ts';
import { inTurn } from '../support/galleries.ts';
import { DashboardPage, pathOf } from './dashboard-page.ts';
import { dialogFaults, keyboardFaults, sidewaysScroll } from './page-checks.ts';
import { failReads, type Organiser } from './service.ts';

type Theme = 'light' | 'dark';
type Look = (tab: DashboardPage) => Promise<readonly string[]>;

/** Pages for people who are not signed in. */
const OUTSIDE = ['/sign-in', '/invitation'];

/** Two accounts and their pages by path. */
interface Accounts {
  readonly filled: Organiser;
  readonly empty: Organiser;
  readonly paths: readonly string[];
  readonly ids: Readonly<Record<'filled' | 'empty', Readonly<Record<string, string>>>>;
}

const test = base.extend<object, { readonly accounts: Accounts }>({
  accounts: [
    async ({ browser, dashboard }, use) => {
      const filled = await dashboard.livedAccount(30);
      const empty = await dashboard.account();
      const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
      const { eventId } = await empty.client.createEvent({ name: 'First event', startsAt: at(24), endsAt: at(30) });
      await empty.client.createList({ name: 'Guests', eventId });
      const { listId } = await empty.client.createList({ name: 'Members', ongoing: true });
      const tab = await DashboardPage.in(await browser.newContext(), dashboard.origin);
      await tab.open('/sign-in');
      const paths = (await tab.paths()).filter((path) => !OUTSIDE.includes(path));
      await tab.page.context().close();
      const { life } = filled;
      const ids = { filled: { eventId: life.eventId, listId: life.membersListId }, empty: { eventId, listId } };
      await use({ filled, empty, paths, ids });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

const wholeLook: Look = async ({ page }) => [...(await axeViolations(page)), ...(await sidewaysScroll(page))];
const byKeyboard: Look = ({ page }) => keyboardFaults(page);
const byDialogs: Look = (tab) => {
  const at = new URL(tab.page.url()).pathname.replace('/dashboard', '');
  return dialogFaults(tab.page, () => tab.open(at === '' ? '/' : at));
};

/** A state of the pages: who looks at which of them, and how the service answers. */
interface State {
  readonly name: string;
  /** Null: somebody who is not signed in. */
  readonly account: 'filled' | 'empty' | null;
  readonly role?: 'owner' | 'door';
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
  readonly look: Look;
  /** In a short run: every page of this remainder. Null: all. */
  readonly part: readonly [remainder: number, of: number] | null;
}

const states: readonly State[] = [
  {
    name: 'filled: no violations by axe, no sideways scroll, no complaint',
    account: 'filled',
    look: wholeLook,
    part: [0, 2],
  },
  { name: 'the same before anybody has signed in', account: null, look: wholeLook, part: null },
  { name: 'the same in an account without anything in it', account: 'empty', look: wholeLook, part: [0, 8] },
  { name: 'the same for somebody without the right', account: 'filled', role: 'door', look: wholeLook, part: [1, 8] },
  { name: 'the same where the service fails', account: 'filled', prepare: failReads, look: wholeLook, part: [2, 8] },
  { name: 'used by keyboard alone, with the focus to be seen', account: 'filled', look: byKeyboard, part: [3, 8] },
  {
    name: 'dialogs keep the focus, close by Escape and give the focus back',
    account: 'filled',
    // Nothing is changed by what is pressed.
    prepare: (context) =>
      context.route('**/v1/**', (route) =>
        route.request().method() === 'GET' ? route.fallback() : route.abort('blockedbyclient'),
      ),
    look: byDialogs,
    // Each button is pressed: the slowest look.
    part: [0, 16],
  },
];

for (const { name, account, role = 'owner', prepare, look, part } of states) {
  for (const run of ['short', 'light', 'dark'] as const) {
    const title = run === 'short' ? name : `${name}: every page, ${run}`;
    test(title, run === 'short' ? {} : { tag: '@long' }, async ({ accounts, browser, dashboard }) => {
      expect(accounts.paths.length).toBeGreaterThan(15);
      const all = account === null ? OUTSIDE : accounts.paths;
      const some = part === null ? all : all.filter((_, i) => i % part[1] === part[0]);
      const chosen = run === 'short' ? inTurn(some, ['light', 'dark'] as const) : [[run, all] as const];
      const faults: string[] = [];
      for (const [theme, paths] of chosen as readonly (readonly [Theme, readonly string[]])[]) {
        const options = { colorScheme: theme, viewport: { width: 1280, height: 900 } };
        const context = await (account === null
          ? browser.newContext(options)
          : accounts[account].signIn(browser, role, options));
        await prepare?.(context);
        const tab = await DashboardPage.in(context, dashboard.origin);
        for (const path of paths) {
          await tab.open(pathOf(path, account === null ? {} : accounts.ids[account]));
          const found = [...(await look(tab)), ...tab.complaints.splice(0)];
          faults.push(...found.map((fault) => `${path} (${theme}): ${fault}`));
        }
        await context.close();
      }
      expect(faults).toEqual([]);
    });
  }
}
