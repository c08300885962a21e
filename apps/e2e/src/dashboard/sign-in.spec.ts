import { expect, test } from '../support/browser-test.ts';
import { addPasskeyProvider, DashboardPage } from './dashboard-page.ts';

test('by an invitation, with a new passkey, again with it; what needs a confirmation asks for it', async ({
  account,
  context,
  dashboard,
}) => {
  const link = await account.invite('owner');
  const tab = await DashboardPage.in(context, dashboard.origin);
  const { page } = tab;
  const passkeys = await addPasskeyProvider(page);
  await page.goto(link);
  await tab.settled();
  // The token is in no history.
  expect(page.url()).toBe(`${dashboard.origin}/dashboard/invitation`);
  await tab.press('Continue');
  await tab.press('Create passkey');
  await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
  expect(await passkeys()).toBe(1);

  // An unfinished import goes with the session, after a question.
  // Five seconds after it was opened a page has looked for overdue ones, and has made no database for it.
  await page.waitForTimeout(5_500);
  const databases = () => page.evaluate(() => indexedDB.databases());
  expect(await databases()).toEqual([]);
  await page.evaluate(async () => {
    const opened = indexedDB.open('svcd-imports', 1);
    const row = { listId: 'lst_1', userId: 'usr_1', discardAtMs: Number.MAX_SAFE_INTEGER };
    opened.onupgradeneeded = () => {
      opened.result.createObjectStore('imports', { keyPath: 'listId' }).put(row);
      opened.result.createObjectStore('rows');
    };
    await new Promise((resolve) => Object.assign(opened, { onsuccess: resolve }));
    opened.result.close();
  });
  const question = page.getByRole('alertdialog', { name: 'An import is not finished' });
  await tab.press('Sign out');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await tab.press('Sign out');
  await question.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await databases()).toEqual([]);
  // So does an ended session that is answered 429, because of what others at the address sent.
  const limited = { status: 429, headers: { 'Retry-After': '60' } };
  await page.route('**/v1/session', (route) => route.fulfill(limited), { times: 1 });
  await tab.open('/keys');
  expect(new URL(page.url()).pathname).toBe('/dashboard/sign-in');
  await tab.open('/keys');
  expect(new URL(page.url()).pathname).toBe('/dashboard/sign-in');
  await tab.press('Sign in with a passkey');
  // Back where the person was going.
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor();

  dashboard.clock.moveTo(dashboard.clock.now() + 11 * 60_000);
  await tab.press('New key');
  await page.getByLabel('Name').fill('Ticket shop');
  await page.getByLabel('People and guest links: Change').check();
  await tab.press('Create key');
  await tab.press('Confirm with passkey');
  const key = page.getByRole('textbox', { name: 'API key' });
  await key.waitFor();
  expect(await key.inputValue()).toMatch(/^svck_/);
  await tab.press('I have saved it');
  await page.getByRole('rowheader', { name: 'Ticket shop' }).waitFor();

  // The session ends, which the page says, and it leads back.
  const { body } = await account.customer.request<{ items: { userId: string }[] }>('GET', '/v1/users');
  for (const { userId } of body.items) await account.customer.request('DELETE', `/v1/users/${userId}/sessions`);
  // What the page asks for by itself may be refused before the press.
  const signedOut = page.getByText('You were signed out');
  await page.getByRole('link', { name: 'Team' }).or(signedOut).first().click();
  await signedOut.waitFor();
  await tab.press('Sign in with a passkey');
  await page.getByRole('heading', { name: /^(Team|API keys)$/, level: 1 }).waitFor();

  // The link has been used.
  await page.goto(link);
  await tab.press('Continue');
  await page.getByRole('alert').getByText('This link no longer works').waitFor();
  expect(tab.complaints).toEqual([]);
});
