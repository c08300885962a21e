import { type BrowserContextOptions, test as base } from '@playwright/test';
import { DashboardPage } from '../dashboard/dashboard-page.ts';
import { type DashboardService, type Organiser, type Role, startDashboardService } from '../dashboard/service.ts';
import { Guests } from '../widget/guest.ts';
import { startWidgetService, type WidgetService } from '../widget/stage.ts';

export { expect } from '@playwright/test';

/** Services that the tests of a worker share: each test makes its own account, event or ticket. */
interface Services {
  /** A test sets the results of photos. */
  readonly widget: WidgetService;
  /** The service's own engine. */
  readonly enrolling: WidgetService;
  readonly dashboard: DashboardService;
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
  readonly guests: Guests;
  /** A new account. */
  readonly account: Organiser;
  /** The dashboard in a browser in which a new person of the account is signed in. */
  readonly signedIn: (role: Role, options?: BrowserContextOptions) => Promise<DashboardPage>;
}

/** Tests in a browser, with the services that they need. */
export const test = base.extend<People, Services>({
  widget: [...service(() => startWidgetService())],
  enrolling: [...service(() => startWidgetService({ inference: 'models' }))],
  dashboard: [...service(() => startDashboardService())],
  async guests({ widget, browser }, use) {
    const guests = new Guests(widget, browser);
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
