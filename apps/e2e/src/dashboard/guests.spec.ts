import { startFakeSmtp } from '@svc/api/testing';
import { createSvcClient } from '@svc/server-sdk';
import { expect, test } from '../support/browser-test.ts';
import { DashboardPage } from './dashboard-page.ts';
import { refusal, signInTo, startDashboardService } from './service.ts';

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
const linkIn = (text: string) => /#(svce_\w+)/.exec(text)?.[1] ?? '';

test('guests are mailed in their languages, counted, and reminded; a refusal is shown with its row', async ({
  context,
}) => {
  const smtp = await startFakeSmtp();
  const mail = { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: 'no-reply@riverside.example' };
  const environment = { ...mail, SVC_JOBS: 'on', SVC_MAILS_PER_MINUTE: '100000' };
  const { api, origin, close } = await startDashboardService({ begin: 'now', environment });
  const { apiKey } = await api.customer({ country: 'DE', plan: 'pilot' });
  const client = createSvcClient({ baseUrl: api.url, apiKey });
  const email = 'robin@riverside.example';
  await client.inviteUser({ name: 'Robin', email, role: 'owner' });
  await signInTo(context, origin, /http\S+#\S+/.exec((await smtp.mailTo(email)).text)?.[0] ?? '');
  const { eventId } = await client.createEvent({ name: 'Summer concert', startsAt: hours(24), endsAt: hours(30) });
  await client.createList({ name: 'Guests', eventId });
  const privacyNoticeUrl = 'https://example.org/privacy';
  await client.setWidgetSettings(eventId, { organiserName: 'Riverside Hall', privacyNoticeUrl });
  const tab = await DashboardPage.in(context, origin);
  await tab.open(`/events/${eventId}/guests`);
  await tab.press('Invite guests');
  smtp.refuse('gone@example.org', '550 5.1.1 no such user');
  await tab.page
    .getByLabel('Paste lines')
    .fill(
      [
        'Ticket;E-Mail;Sprache',
        'A-1;ada@example.org;de',
        'A-2;bob@example.org;',
        'A-3;gone@example.org;fr',
        'A-4;not an address;',
      ].join('\r\n'),
    );
  await tab.press('Continue');
  await tab.page.getByText('1 row is left out').waitFor();
  await tab.press('Send 3 emails');
  await tab.page.getByRole('alertdialog').getByRole('button', { name: 'Send', exact: true }).click();
  const toAda = await smtp.mailTo('ada@example.org');
  expect(toAda.headers).toMatchObject({ subject: 'Ihr Ticket für Summer concert: mit dem Gesicht einchecken' });
  expect(toAda.headers['reply-to']).toBe(email);
  expect((await smtp.mailTo('bob@example.org')).text).toMatch(/^Hello,/);
  await tab.page.getByText('Bounced 1').waitFor();
  await tab.press('Recipients');
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByText('The mail server answered 550 5.1.1').waitFor();
  expect(await dialog.getByText('A-3').count()).toBe(1);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await tab.press('Remind');
  await tab.page.getByRole('dialog').getByRole('button', { name: 'Remind' }).click();
  const again = await smtp.mailTo('ada@example.org', { count: 2 });
  expect(again.headers.subject).toBe('Zur Erinnerung: mit dem Gesicht einchecken bei Summer concert');
  expect(linkIn(again.text)).not.toBe(linkIn(toAda.text));
  expect(smtp.received.filter(({ to }) => to.includes('gone@example.org'))).toEqual([]);
  expect(tab.complaints).toEqual([]);
  await close();
  await smtp.close();
});

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

test('a list without an event begins as one that nobody watches, and is gone once deleted', async ({ signedIn }) => {
  const dashboard = await signedIn('owner');
  await dashboard.open('/lists/new');
  await dashboard.page.getByRole('textbox', { name: 'Name' }).fill('Members');
  await dashboard.page.getByRole('radio', { name: /^No one/ }).check();
  await dashboard.press('Create the list');
  await dashboard.page.getByRole('link', { name: 'Settings' }).click();
  const { page } = dashboard;
  await expect(page.getByRole('radio', { name: /^No one/ })).toBeChecked();
  await expect(page.getByRole('button', { name: 'Use the recommended recognition' })).toHaveCount(0);
  const confirm = (name: string) => page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();
  await dashboard.press('End list');
  await confirm('End list');
  await expect(page.getByText('You can end it sooner.')).toHaveCount(0);
  const missing: string[] = [];
  page.on('response', (response) => response.status() === 404 && missing.push(response.url()));
  await dashboard.press('Delete list');
  await page.getByRole('alertdialog').getByRole('textbox').fill('Members');
  await confirm('Delete list');
  await page.waitForURL(/\/lists$/);
  await dashboard.settled();
  expect(missing).toEqual([]);
});

test('an address without a page keeps the navigation, and that of all events leads to them', async ({ signedIn }) => {
  const dashboard = await signedIn('owner');
  await dashboard.open('/nothing');
  await expect(dashboard.page.locator('.svcd-frame')).toContainText('Page not found');
  await dashboard.open('/events');
  await dashboard.page.waitForURL(/\/dashboard\/$/);
});
