import { HOUR_MS } from '@svc/protocol';
import { expect, test } from '../support/browser-test.ts';
import { readQrCode } from '../support/codes.ts';
import { enrolBody } from '../support/service.ts';

/** In the order in which staff look for them. */
const TICKETS = ['a-9', 'A-10', `T-${'x7'.repeat(30)}`, 'Zoë 7/§?'];

test('badges, a door sheet, notes, and marked guests', async ({ account, dashboard, signedIn }) => {
  const { client, customer } = account;
  const at = (hours: number) => new Date(dashboard.clock.now() + hours * HOUR_MS).toISOString();
  const { eventId } = await client.createEvent({ name: 'Summer concert', startsAt: at(24), endsAt: at(30) });
  const { listId } = await client.createList({ name: 'Guests', eventId });
  for (const ticket of TICKETS.toReversed())
    await customer.request('POST', `/v1/lists/${listId}/people`, enrolBody(ticket, 'a face', { givenAt: at(-1) }));
  const { deviceId = '' } = await client.addDevice(listId, { name: 'North gate', metadata: { hall: '2' } });
  const tab = await signedIn('owner', { deviceScaleFactor: 3 });
  const { page } = tab;
  /** @returns how many sheets of paper come out */
  const printed = async () => {
    await expect(page.getByRole('button', { name: 'Print', exact: true })).toBeEnabled();
    return (await page.pdf({ preferCSSPageSize: true })).toString('latin1').match(/\/Type ?\/Page\b/g)?.length;
  };

  await test.step('a badge holds what a door scans', async () => {
    await tab.open(`/events/${eventId}/guests`);
    await tab.press('Print badges');
    expect(await printed()).toBe(1);
    await page.emulateMedia({ media: 'print' });
    const badges = page.locator('.svcd-paper-badge');
    expect(await badges.locator('p').allInnerTexts()).toEqual(TICKETS);
    for (const [i, ticket] of TICKETS.entries())
      expect(await readQrCode(await badges.nth(i).screenshot())).toBe(ticket);
    await page.emulateMedia({ media: null });
    await tab.press('Cancel');
  });
  await test.step('marked guests alone are printed, and erased in one request', async () => {
    await page.getByRole('checkbox', { name: 'a-9' }).check();
    await page.getByRole('checkbox', { name: 'A-10' }).check();
    await page.locator('.svcd-marked').getByRole('button', { name: 'Print badges' }).click();
    await page.getByText(/^2 badges on 1 sheet/).waitFor();
    await tab.press('Cancel');
    const requests: string[] = [];
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await tab.press(/^Erase 2/);
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Erase 2/ })
      .click();
    await expect
      .poll(async () => (await client.listPeople(listId)).items.map(({ personId }) => personId).sort())
      .toEqual(TICKETS.slice(2));
    expect(requests.filter((each) => each.includes('/people'))).toEqual([`POST /v1/lists/${listId}/people/erase`]);
  });
  await test.step('the door sheet, with the IDs that are left', async () => {
    await tab.open(`/events/${eventId}/doors`);
    await tab.press('Door sheet');
    expect(await printed()).toBe(1);
    await page.getByRole('checkbox', { name: /^Add all IDs/ }).check();
    await expect(page.locator('.svcd-paper-boxes > p')).toHaveCount(2);
    expect(await printed()).toBe(2);
    expect(await page.locator('.svcd-paper').textContent()).toMatch(
      /^Summer concert.*Guests · North gate.*call __.*☐ T-x/,
    );
    await tab.press('Cancel');
  });
  await test.step('long IDs go on, on further sheets, and none is cut off', async () => {
    const [first] = (await client.listGuests(listId)).items;
    const items = Array.from({ length: 80 }, (_, n) => ({ ...first, ticketId: `${n}-${'x7'.repeat(40)}` }));
    await page.route('**/guests?**', (route) => route.fulfill({ json: { items, nextCursor: null } }));
    await tab.press('Door sheet');
    await page.getByRole('checkbox', { name: /^Add all IDs/ }).check();
    await expect(page.locator('.svcd-paper-boxes > p')).toHaveCount(80);
    expect(await printed()).toBeGreaterThan(2);
    await page.unroute('**/guests?**');
    await tab.press('Cancel');
  });
  await test.step('notes of a door, and the name of the account', async () => {
    await tab.press('Actions for North gate');
    await page.getByRole('menuitem', { name: 'Notes' }).click();
    await page.getByLabel('Key').first().fill('');
    await page.getByLabel('Key').last().fill('gate');
    await page.getByLabel('Value').nth(1).fill('N');
    await tab.press('Save');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await client.getDevice(listId, deviceId)).metadata).toEqual({ gate: 'N' });
    await tab.open('/usage');
    await page.getByLabel('Name').fill('Harbour Hall');
    await page.getByLabel('Country').selectOption('FR');
    await tab.press('Save');
    await page.getByText('Saved').waitFor();
    expect(await client.getAccount()).toMatchObject({ name: 'Harbour Hall', country: 'FR' });
  });
  expect(tab.complaints).toEqual([]);
});
