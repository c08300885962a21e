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
/** What is waited for until the test lets it come. */
function signal(): { readonly came: Promise<void>; come(): void } {
  let come = () => {};
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { came, come: () => come() };
}
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
    const pressed = signal();
    await page.route('**/devices', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent += 1;
      await pressed.came;
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
    pressed.come();
    await page.getByRole('dialog').getByRole('img').waitFor();
    expect(sent).toBe(1);
  });

  it('an act that was refused is asked for again, while the same is done elsewhere', async () => {
    const { shown, page } = await owner();
    const { webhookId } = await account.client.createWebhook({ url: 'https://tickets.example/check-in' });
    const delivery = (deliveryId: string) => ({
      ...{
        deliveryId,
        eventType: 'person.enrolled',
        state: 'dead',
        attempts: 1,
        createdAt: '2026-11-21T00:00:00.000Z',
      },
      ...{ lastAttemptAt: null, lastStatus: 500, lastFailure: 'status', nextAttemptAt: null },
    });
    await page.route('**/deliveries?*', (route) =>
      route.fulfill({ json: { items: [delivery('dlv_1'), delivery('dlv_2')], nextCursor: null } }),
    );
    const asked: string[] = [];
    const answers = { first: signal(), second: signal() };
    await page.route('**/deliveries/*/replay', async (route) => {
      const which = route.request().url().includes('dlv_1') ? 'first' : 'second';
      asked.push(which);
      await answers[which].came;
      return route.fulfill(refusal(403, 'insufficient-scope'));
    });
    await shown.open(`/webhooks?webhook=${webhookId}`);
    const again = page.getByRole('button', { name: /^Send again/ });
    await again.nth(0).click();
    await again.nth(1).click();
    await expect.poll(() => asked).toEqual(['first', 'second']);
    answers.first.come();
    await expect
      .poll(async () => {
        await again.nth(0).click();
        return asked.slice(2);
      })
      .toContain('first');
    answers.second.come();
  });

  it('another link that is opened while the first is being used is used by the same press', async () => {
    const [first, other] = [await account.invite('door'), await account.invite('door')];
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
    const { page } = await DashboardPage.in(context, harness.origin);
    let sent = 0;
    await page.route('**/v1/sign-in/link', (route) => {
      sent += 1;
      // The first never gets an answer.
      return sent === 1 ? undefined : route.continue();
    });
    await page.goto(first);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('button[data-pending]').waitFor();
    await page.evaluate((hash) => {
      location.hash = hash;
    }, new URL(other).hash);
    await page.locator('button[data-pending]').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Later' }).waitFor();
    expect(sent).toBe(2);
    await context.close();
  });

  it('an account with a list alone is at no time told that it has nothing', async () => {
    const only = await harness.account();
    await only.client.createList({ name: 'Members', ongoing: true });
    const context = await only.signIn(browser, 'owner');
    await context.addInitScript(() => {
      const look = () => {
        if (document.body?.textContent?.includes('Create your first event'))
          Object.assign(globalThis, { wasTold: true });
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
    });
    const shown = await DashboardPage.in(context, harness.origin);
    const { page } = shown;
    const events = ['running', 'upcoming', 'over'].map((state) => page.waitForResponse(new RegExp(`state=${state}`)));
    const lists = signal();
    await page.route('**/v1/lists?*', async (route) => {
      await lists.came;
      await route.continue();
    });
    await page.goto(`${harness.origin}/dashboard/`);
    for (const event of events) await (await event).finished();
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    lists.come();
    await page.getByRole('link', { name: 'Members' }).waitFor();
    expect(await page.evaluate(() => 'wasTold' in globalThis)).toBe(false);
    await context.close();
  });
});
