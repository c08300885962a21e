import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { EventResource, ListResource } from '@svc/protocol';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { addPasskeyProvider, DashboardPage, PATIENCE_MS } from './dashboard-page.ts';
import { type DashboardHarness, type HarnessAccount, startDashboardHarness } from './harness.ts';

interface Items<T> {
  readonly items: readonly T[];
}

describe.skipIf(chromiumPath === undefined)('a new event, step by step', { timeout: 6 * PATIENCE_MS }, () => {
  let harness: DashboardHarness;
  let browser: Browser;
  let account: HarnessAccount;
  let context: BrowserContext;
  let tab: DashboardPage;
  let page: Page;

  beforeAll(async () => {
    harness = await startDashboardHarness(inject('postgres'));
    browser = await launchChromium();
  }, 6 * PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });
  beforeEach(async () => {
    account = await harness.account();
    context = await account.signIn(browser, 'owner', { timezoneId: 'Europe/Berlin' });
    tab = await DashboardPage.in(context, harness.origin);
    page = tab.page;
  });
  afterEach(() => context.close());

  const events = async () => (await account.customer.request<Items<EventResource>>('GET', '/v1/events')).body.items;
  const lists = async () => (await account.customer.request<Items<ListResource>>('GET', '/v1/lists')).body.items;
  const goOn = () => page.getByRole('button', { name: 'Save and go on' }).click();
  const step = (name: string) => page.getByRole('heading', { level: 2, name }).waitFor();
  const nameIt = () => page.getByRole('textbox', { name: 'Name', exact: true }).fill('Summer concert');

  /** The service does what is asked first, and the page never learns of it. */
  async function loseAnswer(path: string, then: () => Promise<unknown>): Promise<void> {
    let isLost = false;
    await page.route(`**${path}`, async (route) => {
      if (isLost || route.request().method() !== 'POST') return route.continue();
      isLost = true;
      await route.fetch();
      await then();
    });
  }

  // The rest of the page's load is the next step's to wait for.
  const reload = () => page.reload({ waitUntil: 'commit' });

  it('goes from a name to a link for a test guest, and each step is saved', async () => {
    await tab.open('/events/new');
    await goOn();
    await page.locator('[aria-invalid="true"]:focus').waitFor();
    await nameIt();
    await goOn();
    await step('How long faces are kept');
    await page.getByLabel('Delete faces').selectOption('2');
    const deadline = (await page.locator('.svcd-deadline').textContent()) ?? '';
    // Enter sends a form of one text field also while its button waits.
    let sent = 0;
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/v1/lists', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent += 1;
      await isAnswered;
      return route.continue();
    });
    const listName = page.getByRole('textbox', { name: 'Name of the list' });
    await listName.press('Enter');
    await expect.poll(() => sent).toBe(1);
    await listName.press('Enter');
    answer();
    await step('Who asks');
    expect(sent).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Link to your privacy notice').fill('http://example.org');
    await goOn();
    await page.getByText('begins with https://.', { exact: false }).last().waitFor();
    await page.getByLabel('Link to your privacy notice').fill('https://example.org/privacy');
    await goOn();
    await step('How guests see it');
    await page.frameLocator('iframe').getByText('This is what guests will see').waitFor();
    await page.getByRole('button', { name: 'Go on without' }).click();
    await step('In your ticket page');
    await page.getByRole('button', { name: 'Go on', exact: true }).click();
    await step('Try it yourself');
    await page.getByRole('button', { name: 'Make a test link' }).click();
    await page.getByRole('img', { name: 'QR code of the test link' }).waitFor();

    const [event] = await events();
    const [list] = await lists();
    expect(event).toMatchObject({ name: 'Summer concert', timeZone: 'Europe/Berlin', country: 'DE' });
    expect(list).toMatchObject({ name: 'Summer concert', eventId: event?.eventId, retainDays: 2 });
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/Berlin' });
    expect(deadline).toContain(day.format(new Date(list?.retentionDeadline ?? '')));
    await page.getByRole('button', { name: 'To the overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Summer concert' }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('is made once, though the answer was lost and the page was loaded again', async () => {
    await tab.open('/events/new');
    await nameIt();
    await loseAnswer('/v1/events', reload);
    await goOn().catch(() => undefined);
    await step('How long faces are kept');
    expect(await events()).toHaveLength(1);
    await loseAnswer('/v1/lists', reload);
    await goOn().catch(() => undefined);
    await step('Who asks');
    expect(await lists()).toHaveLength(1);
    await tab.open('/events/new');
    await step('Who asks');
  });

  it('is there on the first page to go on with, and its list is deleted by its name', async () => {
    await addPasskeyProvider(page);
    await tab.open('/events/new');
    await nameIt();
    await goOn();
    await step('How long faces are kept');
    await goOn();
    await step('Who asks');
    await tab.open('/');
    await page.getByText('«Summer concert» is not done yet').waitFor();
    const [event] = await events();
    await tab.open(`/events/${event?.eventId}/settings`);
    await page.getByRole('button', { name: 'Delete list' }).click();
    const dialog = page.getByRole('alertdialog', { name: /Delete «Summer concert»/ });
    await dialog.getByText('Nobody is enrolled, so no faces are deleted.').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Delete list' });
    await dialog.getByRole('textbox').fill('summer');
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Summer concert');
    await confirm.click();
    await page.getByRole('button', { name: 'Make the list' }).waitFor();
    expect(await lists()).toEqual([]);
  });
});
