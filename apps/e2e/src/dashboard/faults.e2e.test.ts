import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DashboardPage, PATIENCE_MS } from './dashboard-page.ts';
import { type DashboardHarness, type HarnessAccount, startDashboardHarness } from './harness.ts';

/** As the service refuses. */
const refusal = (status: number, code: string) => ({
  status,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: `urn:svc:${code}`, title: code, status, code, requestId: 'req_1' }),
});
/** In which a page that asked again would have done so often. */
const WHILE_MS = 1_000;

describe.skipIf(chromiumPath === undefined)('what goes wrong in the dashboard', { timeout: 4 * PATIENCE_MS }, () => {
  let harness: DashboardHarness;
  let browser: Browser;
  let account: HarnessAccount;

  beforeAll(async () => {
    harness = await startDashboardHarness(inject('postgres'));
    browser = await launchChromium();
    account = await harness.account();
  }, 4 * PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await harness?.close();
  });

  async function owner(): Promise<{ readonly shown: DashboardPage; readonly page: Page }> {
    const shown = await DashboardPage.in(await account.signIn(browser, 'owner'), harness.origin);
    return { shown, page: shown.page };
  }

  it('an act of a menu that is refused says so', async () => {
    const { shown, page } = await owner();
    await page.route('**/v1/users/*/sessions', (route) => route.fulfill(refusal(403, 'insufficient-scope')));
    await shown.open('/users');
    const menu = page.getByRole('button', { name: /^Actions for/ }).first();
    await menu.click();
    await page.getByRole('menuitem', { name: /sign out/i }).click();
    await page.locator('.svcd-toast[data-tone="bad"]').waitFor();
    await expect.poll(() => menu.evaluate((button) => button === document.activeElement)).toBe(true);
  });

  it('a further page of a table that is refused is asked for once, and again by its button', async () => {
    const { shown, page } = await owner();
    let asked = 0;
    await page.route('**/v1/users?*', (route) => {
      asked += 1;
      return route.fulfill(refusal(403, 'insufficient-scope'));
    });
    await page.route(/\/v1\/users$/, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), nextCursor: 'next' } });
    });
    await shown.open('/users');
    await page.getByRole('alert').waitFor();
    await page.waitForTimeout(WHILE_MS);
    expect(asked).toBe(1);
    await shown.press('Try again');
    await expect.poll(() => asked).toBe(2);
  });

  it('Enter pressed twice adds one door', async () => {
    const { shown, page } = await owner();
    const { listId } = await account.client.createList({ name: 'Members', ongoing: true });
    let sent = 0;
    await page.route('**/devices', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent += 1;
      await new Promise((resolve) => setTimeout(resolve, WHILE_MS));
      return route.continue();
    });
    await shown.open(`/lists/${listId}/doors`);
    await shown.press('Add a door');
    const name = page.getByRole('dialog').getByRole('textbox');
    // Before the page can show that the first is under way, and after.
    await name.evaluate((field: HTMLInputElement) => {
      field.form?.requestSubmit();
      field.form?.requestSubmit();
    });
    await expect.poll(() => sent).toBe(1);
    await name.press('Enter');
    await page.getByRole('dialog').getByRole('img').waitFor();
    expect(sent).toBe(1);
  });
});
