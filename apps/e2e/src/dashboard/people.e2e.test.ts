import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DashboardPage, PATIENCE_MS } from './dashboard-page.ts';
import { type DashboardHarness, type HarnessAccount, startDashboardHarness } from './harness.ts';

/** As early as the wording, which no service's clock is before. */
const consent = {
  consentVersion: 'eu-v2',
  givenAt: '2026-11-21T00:00:00Z',
  explicitBiometricConsent: true,
  writtenRelease: true,
} as const;

describe.skipIf(chromiumPath === undefined)('the people of a list', { timeout: 4 * PATIENCE_MS }, () => {
  let harness: DashboardHarness;
  let browser: Browser;
  let account: HarnessAccount;
  let listId: string;
  let shown: DashboardPage;
  let page: Page;

  beforeAll(async () => {
    harness = await startDashboardHarness(inject('postgres'));
    browser = await launchChromium();
  }, 4 * PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });
  beforeEach(async () => {
    account = await harness.account();
    ({ listId } = await account.client.createList({ name: 'Members', ongoing: true }));
    for (const personId of ['T-ada', 'T-ben', 'V-cem']) await enrol(listId, personId);
    shown = await DashboardPage.in(await account.signIn(browser, 'manager'), harness.origin);
    ({ page } = shown);
    await shown.open(`/lists/${listId}/people`);
  }, 4 * PATIENCE_MS);

  async function enrol(list: string, personId: string): Promise<void> {
    const body = { personId, consent, imageBase64: Buffer.from('a face').toString('base64') };
    const answer = await account.customer.request('POST', `/v1/lists/${list}/people`, body);
    expect(answer.status).toBe(201);
  }
  const names = () => page.locator('.svcd-person-link').allTextContents();

  it('are found by the beginning of their id, ordered, and counted by state', async () => {
    await expect.poll(names).toEqual(['V-cem', 'T-ben', 'T-ada']);
    await page.getByRole('searchbox', { name: 'Person ID begins with' }).fill('T-');
    await expect.poll(names).toEqual(['T-ben', 'T-ada']);
    await page.getByRole('combobox', { name: 'Order' }).selectOption('By person ID');
    await expect.poll(names).toEqual(['T-ada', 'T-ben']);
    await page.getByRole('button', { name: 'Enrolled 2' }).waitFor();
    await page.getByRole('button', { name: /^Earlier model/ }).click();
    await page.getByText('Nobody fits').waitFor();
    expect(shown.complaints).toEqual([]);
  });

  it('appear while they enrol', async () => {
    await enrol(listId, 'W-dora');
    await expect.poll(names, { timeout: 2 * PATIENCE_MS }).toContain('W-dora');
  });

  it('are shown with what the ledger holds, which the browser recomputes', async () => {
    const other = await account.client.createList({ name: 'Another list', ongoing: true });
    await enrol(other.listId, 'T-ada');
    await page.getByRole('button', { name: 'T-ada', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'T-ada' });
    await dialog.getByRole('link', { name: 'Another list' }).waitFor();
    await dialog.getByRole('button', { name: 'Verify in this browser' }).click();
    await dialog.getByText('This browser recomputed all 3 records of the list').waitFor();
    await dialog.getByText('From now on this browser remembers').waitFor();
    await dialog.getByRole('button', { name: 'Verify in this browser' }).click();
    await dialog.getByText('nothing from before was changed since').waitFor();
    expect(shown.complaints).toEqual([]);
  });

  it('whose ledger was altered are told apart', async () => {
    await page.route('**/v1/consents*', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replaceAll('"shownBy":"organiser"', '"shownBy":"service"');
      await route.fulfill({ response: answer, body });
    });
    await page.getByRole('button', { name: 'T-ada', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'T-ada' });
    await dialog.getByRole('button', { name: 'Verify in this browser' }).click();
    await dialog.getByText('The ledger does not hold together').waitFor();
    await dialog.getByText('The record in line 3 was changed.').waitFor();
  });

  it.each([
    ['who withdraw leave a record of it', 'The person withdrew their consent', 'The withdrawal is record 4', 4],
    ['who are erased for another reason leave none', 'Another reason', 'The ledger is as it was', 3],
  ])('%s', async (_what, reason, said, records) => {
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
    await shown.escape(done);
    await expect.poll(names).toEqual(['V-cem', 'T-ben']);
    const held = [];
    for await (const { kind } of account.client.listConsents({ listId })) held.push(kind);
    expect(held).toHaveLength(records);
    expect(await account.client.listPeople(listId, { personId: 'T-ada' })).toMatchObject({ items: [] });
    expect(shown.complaints).toEqual([]);
  });
});
