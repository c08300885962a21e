import type { Page } from '@playwright/test';
import type { EventResource, ListResource } from '@svc/protocol';
import { test as base, expect } from '../support/browser-test.ts';
import { signal } from '../support/signal.ts';
import { addPasskeyProvider, type DashboardPage } from './dashboard-page.ts';

interface Items<T> {
  readonly items: readonly T[];
}

/** The flow of a new event on an owner's screen. */
interface Flow {
  readonly tab: DashboardPage;
  readonly page: Page;
  events(): Promise<readonly EventResource[]>;
  lists(): Promise<readonly ListResource[]>;
  goOn(): Promise<void>;
  step(name: string): Promise<void>;
  nameIt(): Promise<void>;
  /** The service does what is asked first; the page, loaded again meanwhile, never learns of it. */
  loseAnswer(path: string): Promise<void>;
}

const test = base.extend<{ readonly flow: Flow }>({
  async flow({ account, signedIn }, use) {
    const tab = await signedIn('owner', { timezoneId: 'Europe/Berlin' });
    const { page } = tab;
    const all = async <T>(path: string) => (await account.customer.request<Items<T>>('GET', path)).body.items;
    await use({
      tab,
      page,
      events: () => all('/v1/events'),
      lists: () => all('/v1/lists'),
      goOn: () => page.getByRole('button', { name: 'Save and go on' }).click(),
      step: (name) => page.getByRole('heading', { level: 2, name }).waitFor(),
      nameIt: () => page.getByRole('textbox', { name: 'Name', exact: true }).fill('Summer concert'),
      async loseAnswer(path) {
        let isLost = false;
        await page.route(`**${path}`, async (route) => {
          if (isLost || route.request().method() !== 'POST') return route.continue();
          isLost = true;
          await route.fetch();
          // The rest of the page's load is the next step's to wait for.
          await page.reload({ waitUntil: 'commit' });
        });
      },
    });
  },
});

test('goes from a name to a link for a test guest, and each step is saved', async ({ flow }) => {
  const { page, tab } = flow;
  await tab.open('/events/new');
  await flow.goOn();
  await page.locator('[aria-invalid="true"]:focus').waitFor();
  await flow.nameIt();
  await flow.goOn();
  await flow.step('How long faces are kept');
  await page.getByLabel('Delete faces').selectOption('2');
  const deadline = (await page.locator('.svcd-deadline').textContent()) ?? '';
  // Enter sends a form of one text field also while its button waits.
  let sent = 0;
  const answer = signal();
  await page.route('**/v1/lists', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    sent += 1;
    await answer.came;
    return route.continue();
  });
  const listName = page.getByRole('textbox', { name: 'Name of the list' });
  await listName.press('Enter');
  await expect.poll(() => sent).toBe(1);
  await listName.press('Enter');
  answer.come();
  await flow.step('Who asks');
  expect(sent).toBe(1);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByLabel('Link to your privacy notice').fill('http://example.org');
  await flow.goOn();
  await page.getByText('begins with https://.', { exact: false }).last().waitFor();
  await page.getByLabel('Link to your privacy notice').fill('https://example.org/privacy');
  await flow.goOn();
  await flow.step('How guests see it');
  await page.frameLocator('iframe').getByText('This is what guests will see').waitFor();
  await page.getByRole('button', { name: 'Go on without' }).click();
  await flow.step('In your ticket page');
  await page.getByRole('button', { name: 'Go on', exact: true }).click();
  await flow.step('Try it yourself');
  await page.getByRole('button', { name: 'Make a test link' }).click();
  await page.getByRole('img', { name: 'QR code of the test link' }).waitFor();

  const [event] = await flow.events();
  const [list] = await flow.lists();
  expect(event).toMatchObject({ name: 'Summer concert', timeZone: 'Europe/Berlin', country: 'DE' });
  expect(list).toMatchObject({ name: 'Summer concert', eventId: event?.eventId, retainDays: 2 });
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Europe/Berlin' });
  expect(deadline).toContain(day.format(new Date(list?.retentionDeadline ?? '')));
  await page.getByRole('button', { name: 'To the overview' }).click();
  await page.getByRole('heading', { level: 1, name: 'Summer concert' }).waitFor();
  expect(tab.complaints).toEqual([]);
});

test('is made once, though the answer was lost and the page was loaded again', async ({ flow }) => {
  const { tab } = flow;
  await tab.open('/events/new');
  await flow.nameIt();
  await flow.loseAnswer('/v1/events');
  await flow.goOn().catch(() => undefined);
  await flow.step('How long faces are kept');
  expect(await flow.events()).toHaveLength(1);
  await flow.loseAnswer('/v1/lists');
  await flow.goOn().catch(() => undefined);
  await flow.step('Who asks');
  expect(await flow.lists()).toHaveLength(1);
  await tab.open('/events/new');
  await flow.step('Who asks');
});

test('is there on the first page to go on with, and its list is deleted by its name', async ({ flow }) => {
  const { page, tab } = flow;
  await addPasskeyProvider(page);
  await tab.open('/events/new');
  await flow.nameIt();
  await flow.goOn();
  await flow.step('How long faces are kept');
  await flow.goOn();
  await flow.step('Who asks');
  await tab.open('/');
  await page.getByText('«Summer concert» is not done yet').waitFor();
  const [event] = await flow.events();
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
  expect(await flow.lists()).toEqual([]);
});
