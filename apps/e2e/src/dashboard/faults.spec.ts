import { expect, test } from '../support/browser-test.ts';
import { signal } from '../support/signal.ts';
import { DashboardPage } from './dashboard-page.ts';
import { refusal } from './service.ts';

/** In which a page that asked again would have done so often. */
const WHILE_MS = 1_000;

test('an act of a menu that is refused says so', async ({ signedIn }) => {
  const shown = await signedIn('owner');
  const { page } = shown;
  await page.route('**/v1/users/*/sessions', (route) => route.fulfill(refusal(403, 'insufficient-scope')));
  await shown.open('/users');
  const menu = page.getByRole('button', { name: /^Actions for/ }).first();
  await menu.click();
  await page.getByRole('menuitem', { name: /sign out/i }).click();
  await page.locator('.svcd-toast[data-tone="bad"]').waitFor();
  await expect.poll(() => menu.evaluate((button) => button === document.activeElement)).toBe(true);
});

test('a further page of a table that is refused is asked for once, and again by its button', async ({ signedIn }) => {
  const shown = await signedIn('owner');
  const { page } = shown;
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

test('Enter pressed twice adds one door', async ({ account, signedIn }) => {
  const shown = await signedIn('owner');
  const { page } = shown;
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

test('an act that was refused is asked for again, while the same is done elsewhere', async ({ account, signedIn }) => {
  const shown = await signedIn('owner');
  const { page } = shown;
  const { webhookId } = await account.client.createWebhook({ url: 'https://tickets.example/check-in' });
  const delivery = (deliveryId: string) => ({
    ...{ deliveryId, eventType: 'person.enrolled', state: 'dead', attempts: 1, createdAt: '2026-11-21T00:00:00.000Z' },
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

test('an account with a list alone is at no time told that it has nothing', async ({ account, browser, dashboard }) => {
  await account.client.createList({ name: 'Members', ongoing: true });
  const context = await account.signIn(browser, 'owner');
  await context.addInitScript(() => {
    const look = () => {
      if (document.body?.textContent?.includes('Create your first event')) Object.assign(globalThis, { wasTold: true });
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
  });
  const shown = await DashboardPage.in(context, dashboard.origin);
  const { page } = shown;
  const events = ['running', 'upcoming', 'over'].map((state) => page.waitForResponse(new RegExp(`state=${state}`)));
  const lists = signal();
  await page.route('**/v1/lists?*', async (route) => {
    await lists.came;
    await route.continue();
  });
  await page.goto(`${dashboard.origin}/dashboard/`);
  for (const event of events) await (await event).finished();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  lists.come();
  await page.getByRole('link', { name: 'Members' }).waitFor();
  expect(await page.evaluate(() => 'wasTold' in globalThis)).toBe(false);
  await context.close();
});
