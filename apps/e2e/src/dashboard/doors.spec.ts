import { axeViolations } from '../support/axe.ts';
import { expect, test } from '../support/browser-test.ts';
import { TestDevice } from '../sync/device.ts';

test('a door is paired by the code on the screen, watched, and revoked', async ({ account, dashboard, signedIn }) => {
  const { listId } = await account.client.createList({ name: 'Members', ongoing: true });
  const tab = await signedIn('door');
  const { page } = tab;
  const row = (name: string) => page.getByRole('row').filter({ hasText: name });
  const sync = (token: string) => {
    const { signingKey, keyId } = dashboard.api.admin.region();
    return new TestDevice({ url: dashboard.api.url, signingKey, keyId }, token).sync();
  };

  await tab.open(`/lists/${listId}/doors`);
  await page.getByText('No doors yet').waitFor();
  await tab.press('Add a door');
  const name = page.getByRole('textbox', { name: 'Name of the door' });
  expect(await name.inputValue()).toBe('Door 1');
  await name.fill('North');
  await name.press('Enter');
  await page.getByRole('img', { name: 'Pairing code of North' }).waitFor();
  expect(await axeViolations(page)).toEqual([]);
  // A press outside must not lose a code that is shown once.
  await page.mouse.click(5, 5);
  await page.getByText('The device cannot scan it').click();
  const link = await page.getByRole('textbox', { name: 'Pairing link' }).inputValue();
  const token = new URL(link).hash.slice(1);
  expect(await page.getByRole('textbox', { name: 'Device token' }).inputValue()).toBe(token);
  await sync(token);
  await tab.escape(page.getByRole('dialog', { name: '«North» is ready' }));
  await row('North').getByText('Up to date').waitFor();
  expect(await page.content()).not.toContain(token);

  // What another person does, and a first sync, appear without a reload.
  const south = await account.client.addDevice(listId, { name: 'South' });
  await row('South').getByText('Not paired yet').waitFor();
  // Among what needs somebody, as people may come to an ongoing list at any time.
  await page.getByRole('status').getByText('1 of 2 doors needs you').waitFor();
  await sync(south.token);
  await row('South').getByText('Up to date').waitFor();
  await page.getByText('doors needs you').waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Actions for South' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Revoke «South»?' });
  await dialog.getByText('it deletes its copy of the list').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await row('South').waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: 'Show revoked doors' }).check();
  await page.getByRole('table', { name: 'Revoked doors' }).getByText('South').waitFor();
  expect(tab.complaints).toEqual([]);
});
