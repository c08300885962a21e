import { type BrowserContextOptions, test as base } from '@playwright/test';
import { HOUR_MS } from '@svc/protocol';
import { DashboardPage } from '../dashboard/dashboard-page.ts';
import { type DashboardService, type Organiser, type Role, startDashboardService } from '../dashboard/service.ts';
import { guestsOf } from '../widget/guest.ts';
import { startWidgetService, type WidgetService } from '../widget/stage.ts';

export { expect } from '@playwright/test';

/** Services that the tests of a worker share: each test makes its own account, event or ticket. */
interface Services {
  readonly widget: WidgetService;
  readonly dashboard: DashboardService;
  readonly accounts: Accounts;
}

/** Accounts of the dashboard, with a week of life and without anything in it, and the paths of its pages. */
interface Accounts {
  readonly filled: Organiser;
  readonly empty: Organiser;
  /** For people who are not signed in. */
  readonly outside: readonly string[];
  readonly paths: readonly string[];
  readonly ids: Readonly<Record<'filled' | 'empty', Readonly<Record<string, string>>>>;
}

/** For the whole life of a worker, from the first test that needs it. */
function service<T extends { close(): Promise<void> }>(start: () => Promise<T>) {
  const fixture = async ({ browserName: _ }: { browserName: string }, use: (started: T) => Promise<void>) => {
    const started = await start();
    await use(started);
    await started.close();
  };
  return [fixture, { scope: 'worker', timeout: 120_000 }] as const;
}

interface People {
  readonly guests: ReturnType<typeof guestsOf>;
  /** A new account. */
  readonly account: Organiser;
  /** The dashboard in a browser in which a new person of the account is signed in. */
  readonly signedIn: (role: Role, options?: BrowserContextOptions) => Promise<DashboardPage>;
}

/** Tests in a browser, with the services that they need. */
export const test = base.extend<People, Services>({
  widget: [...service(startWidgetService)],
  dashboard: [...service(() => startDashboardService({ hosts: 'separate' }))],
  accounts: [
    async ({ browser, dashboard }, use) => {
      const filled = await dashboard.livedAccount(30);
      const empty = await dashboard.account();
      const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
      const { eventId } = await empty.client.createEvent({ name: 'First event', startsAt: at(24), endsAt: at(30) });
      await empty.client.createList({ name: 'Guests', eventId });
      const { listId } = await empty.client.createList({ name: 'Members', ongoing: true });
      const tab = await DashboardPage.in(await browser.newContext(), dashboard.origin);
      await tab.open('/sign-in');
      const outside = ['/sign-in', '/invitation', '/first-owner'];
      const paths = (await tab.paths()).filter((path) => !outside.includes(path));
      await tab.page.context().close();
      const { life } = filled;
      const ids = { filled: { eventId: life.eventId, listId: life.membersListId }, empty: { eventId, listId } };
      await use({ filled, empty, outside, paths, ids });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  async guests({ widget, browser }, use) {
    const guests = guestsOf(widget, browser);
    await use(guests);
    await guests.end();
  },
  account: ({ dashboard }, use) => dashboard.account().then(use),
  async signedIn({ account, browser, dashboard }, use) {
    const tabs: DashboardPage[] = [];
    await use(async (role, options) => {
      const tab = await DashboardPage.in(await account.signIn(browser, role, options), dashboard.origin);
      tabs.push(tab);
      return tab;
    });
    for (const { page } of tabs) await page.context().close();
  },
});
