import { test as base, expect } from '../support/browser-test.ts';
import type { DashboardPage } from './dashboard-page.ts';

/** As early as the wording, which no service's clock is before. */
const consent = {
  consentVersion: 'eu-v2',
  givenAt: '2026-11-21T00:00:00Z',
  explicitBiometricConsent: true,
  writtenRelease: true,
} as const;

/** A list of three people on a manager's screen. */
interface ShownList {
  readonly listId: string;
  readonly tab: DashboardPage;
  enrol(list: string, personId: string): Promise<void>;
  names(): Promise<readonly string[]>;
}

const test = base.extend<{ readonly list: ShownList }>({
  async list({ account, signedIn }, use) {
    const { listId } = await account.client.createList({ name: 'Members', ongoing: true });
    const image = Buffer.from('a face');
    const enrol = async (list: string, personId: string) =>
      void (await account.client.enrolPerson(list, { personId, consent, image }));
    for (const personId of ['T-ada', 'T-ben', 'V-cem']) await enrol(listId, personId);
    const tab = await signedIn('manager');
    await tab.open(`/lists/${listId}/people`);
    await use({ listId, tab, enrol, names: () => tab.page.locator('.svcd-person-link').allTextContents() });
    expect(tab.complaints).toEqual([]);
  },
});

test('people are found by the beginning of their id, ordered, counted by state, and appear while they enrol', async ({
  list,
}) => {
  const { page } = list.tab;
  await expect.poll(list.names).toEqual(['V-cem', 'T-ben', 'T-ada']);
  await page.getByRole('searchbox', { name: 'Person ID begins with' }).fill('T-');
  await expect.poll(list.names).toEqual(['T-ben', 'T-ada']);
  await page.getByRole('combobox', { name: 'Order' }).selectOption('By person ID');
  await expect.poll(list.names).toEqual(['T-ada', 'T-ben']);
  await page.getByRole('button', { name: 'Enrolled 2' }).waitFor();
  await list.enrol(list.listId, 'T-dora');
  await expect.poll(list.names, { timeout: 60_000 }).toContain('T-dora');
  await page.getByRole('button', { name: /^Earlier model/ }).click();
  await page.getByText('Nobody fits').waitFor();
});

test('people are shown with what the ledger holds, which the browser recomputes', async ({ account, list }) => {
  const { page } = list.tab;
  const other = await account.client.createList({ name: 'Another list', ongoing: true });
  await list.enrol(other.listId, 'T-ada');
  await page.getByRole('button', { name: 'T-ada', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'T-ada' });
  const verify = dialog.getByRole('button', { name: 'Verify in this browser' });
  await dialog.getByRole('link', { name: 'Another list' }).waitFor();
  await verify.click();
  await dialog.getByText('This browser recomputed all 3 records of the list').waitFor();
  await dialog.getByText('From now on this browser remembers').waitFor();
  await verify.click();
  await dialog.getByText('nothing from before was changed since').waitFor();
  // A ledger that was altered is told apart.
  await page.route('**/v1/consents*', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replaceAll('"shownBy":"organiser"', '"shownBy":"service"');
    await route.fulfill({ response: answer, body });
  });
  await verify.click();
  await dialog.getByText('The ledger does not hold together').waitFor();
  await dialog.getByText('The record in line 3 was changed.').waitFor();
});

for (const [what, reason, said, records] of [
  ['who withdraw leave a record of it', 'The person withdrew their consent', 'The withdrawal is record 4', 4],
  ['who are erased for another reason leave none', 'Another reason', 'The ledger is as it was', 3],
] as const) {
  test(`people ${what}`, async ({ account, list }) => {
    const { page } = list.tab;
    await page.getByRole('button', { name: 'T-ada', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase…' }).click();
    const question = page.getByRole('alertdialog', { name: 'Erase T-ada?' });
    await question.getByText('Doors drop it at their next sync.').waitFor();
    await question.getByRole('radio', { name: reason }).check({ force: true });
    // Before the page can show that the first press is under way.
    await question.getByRole('button', { name: 'Erase', exact: true }).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    const done = page.getByRole('dialog', { name: 'T-ada was erased' });
    await done.getByText(said).waitFor();
    await list.tab.escape(done);
    await expect.poll(list.names).toEqual(['V-cem', 'T-ben']);
    const held = [];
    for await (const { kind } of account.client.listConsents({ listId: list.listId })) held.push(kind);
    expect(held).toHaveLength(records);
    expect(await account.client.listPeople(list.listId, { personId: 'T-ada' })).toMatchObject({ items: [] });
  });
}
