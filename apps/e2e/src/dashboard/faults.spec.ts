import { expect, test } from '../support/browser-test.ts';
import { signal } from '../support/service.ts';
import { refusal } from './service.ts';

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
