import type { BrowserContext, Page } from '@playwright/test';
import { axeViolations } from '../support/axe.ts';
import { expect, test } from '../support/browser-test.ts';
import { runs } from '../support/galleries.ts';
import { DashboardPage, pathOf } from './dashboard-page.ts';
import { failReads } from './service.ts';

/** What makes the page scroll sideways on a phone upright, and in a window of 1280 × 800 at 200 %. */
async function sidewaysScroll(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const width of [390, 640]) {
    await page.setViewportSize({ width, height: 640 });
    const wide = () =>
      page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const causes = [...document.querySelectorAll('body *')].filter(
          (element) => element.getBoundingClientRect().right > clientWidth + 1,
        );
        const names = causes.slice(-3).map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
        return scrollWidth > clientWidth ? `scrolls sideways at ${clientWidth}: ${names.join(', ')}` : '';
      });
    // What measures itself, such as a chart, is drawn again some frames later.
    const isRight = () => expect.poll(wide, { timeout: 5_000 }).toBe('');
    await isRight().catch(async () => found.push(await wide()));
  }
  return found;
}

/** What is for screen readers alone, and larger than its clip: Firefox shows the caption of such a table. */
const unclipped = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.svc-visually-hidden')]
      .filter((element) => element.getBoundingClientRect().width > 2)
      .map((element) => `larger than its clip: ${element.outerHTML.slice(0, 80)}`),
  );

/** Controls on which the focus is not to be seen, by keyboard. */
async function hiddenFocus(page: Page): Promise<readonly string[]> {
  // From here on the browser shows the focus.
  await page.keyboard.press('Tab');
  return page.evaluate(() => {
    // The indicator may be drawn around what holds the element, such as the label of a hidden box, or over a whole row.
    const looksOf = (element: Element): string => {
      const looks: string[] = [];
      const note = ({ outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor }: CSSStyleDeclaration) =>
        looks.push(outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor, boxShadow, borderColor);
      for (const part of ['::before', '::after']) note(getComputedStyle(element, part));
      let place: Element | null = element;
      for (let steps = 0; place !== null && steps < 4; steps += 1, place = place.parentElement)
        note(getComputedStyle(place));
      return looks.join();
    };
    const selector = ':is(a[href], button, input, select, textarea, summary, [tabindex]):not([tabindex="-1"])';
    return [...document.querySelectorAll<HTMLElement>(selector)].flatMap((element) => {
      (document.activeElement as HTMLElement | null)?.blur();
      const before = looksOf(element);
      element.focus();
      const isHidden = document.activeElement === element && looksOf(element) === before;
      return isHidden ? [`no visible focus on ${element.outerHTML.slice(0, 80)}`] : [];
    });
  });
}

test('the first page and the page of a running event tell of the same doors', async ({
  accounts,
  browser,
  dashboard,
}) => {
  const context = await accounts.filled.signIn(browser, 'door');
  const tab = await DashboardPage.in(context, dashboard.origin);
  await tab.open('/');
  const { page } = tab;
  const attention = page.getByRole('region', { name: 'Needs your attention' });
  await attention.getByText('2 of 3 doors need attention: North gate, Artists’ entrance.').waitFor();
  await page.getByRole('link', { name: 'Harbour Lights Festival' }).click();
  const alert = page.getByRole('status').filter({ hasText: '2 of 3 doors need attention' });
  for (const door of ['North gate', 'Artists’ entrance']) await alert.getByText(door).waitFor();
  // What stands first depends on when it is.
  for (const [event, first] of [
    ['Winter Ball', 'One step left'],
    ['Opening reception', 'All faces are deleted on'],
  ] as const) {
    await tab.open('/');
    await page.getByRole('link', { name: event }).click();
    await expect(page.locator('nav.svcd-tabs + *')).toContainText(first);
    await expect(page.getByText('data-svc-token')).toHaveCount(0);
  }
  await context.close();
});

/** A state of the pages: who looks at which of them, and how the service answers. */
interface State {
  /** Null: somebody who is not signed in. */
  readonly account: 'filled' | 'empty' | null;
  readonly role?: 'owner' | 'door';
  readonly prepare?: (context: BrowserContext) => Promise<unknown>;
  /** In a short run: one page of so many. */
  readonly oneOf: number;
}

const states: Readonly<Record<string, State>> = {
  'filled pages': { account: 'filled', oneOf: 4 },
  'pages before anybody has signed in': { account: null, oneOf: 1 },
  'pages of an account without anything in it': { account: 'empty', oneOf: 8 },
  'pages for somebody without the right': { account: 'filled', role: 'door', oneOf: 8 },
  'pages where the service fails': { account: 'filled', prepare: failReads, oneOf: 8 },
};

for (const [name, { account, role = 'owner', prepare, oneOf }] of Object.entries(states)) {
  for (const { run, details, spread } of runs) {
    test(
      `${name} break no rule of axe, do not scroll sideways and show the focus, in French and Arabic: ${run}`,
      details,
      async ({ accounts, browser, dashboard }) => {
        expect(accounts.paths.length).toBeGreaterThan(15);
        const all = account === null ? accounts.outside : accounts.paths;
        const some = details.tag === undefined ? all.filter((_, i) => i % oneOf === oneOf - 1) : all;
        const faults: string[] = [];
        for (const [colorScheme, paths] of spread(some, ['light', 'dark'] as const)) {
          // Long words, and another direction.
          const locale = { light: 'fr-FR', dark: 'ar' }[colorScheme];
          const options = { colorScheme, locale, viewport: { width: 1280, height: 900 } };
          const context = await (account === null
            ? browser.newContext(options)
            : accounts[account].signIn(browser, role, options));
          await prepare?.(context);
          const tab = await DashboardPage.in(context, dashboard.origin);
          for (const path of paths) {
            await tab.page.setViewportSize(options.viewport);
            await tab.open(pathOf(path, account === null ? {} : accounts.ids[account]));
            const found = [...(await axeViolations(tab.page)), ...(await hiddenFocus(tab.page))];
            found.push(
              ...(await unclipped(tab.page)),
              ...(await sidewaysScroll(tab.page)),
              ...tab.complaints.splice(0),
            );
            faults.push(...found.map((fault) => `${path} (${colorScheme}): ${fault}`));
          }
          await context.close();
        }
        expect(faults).toEqual([]);
      },
    );
  }
}
