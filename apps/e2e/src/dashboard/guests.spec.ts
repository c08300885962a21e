import { readFile } from 'node:fs/promises';
import { type FakeSmtp, requestJson, startFakeSmtp } from '@svc/api/testing';
import { createSvcClient, type SvcClient } from '@svc/server-sdk';
import { test as base, expect } from '../support/browser-test.ts';
import { signInWithLink } from './account-life.ts';
import { DashboardPage } from './dashboard-page.ts';
import { addSession, type DashboardService, startDashboardService } from './service.ts';

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
const linkIn = (text: string) => /#(svce_\w+)/.exec(text)?.[1] ?? '';

/** An owner about to invite the guests of an event. */
interface Inviting {
  readonly client: SvcClient;
  readonly eventId: string;
  /** A number of its own, for addresses. */
  readonly nth: number;
  readonly tab: DashboardPage;
  /** Pastes a table. */
  bring(table: string): Promise<void>;
  download(): Promise<string>;
  /** The status of a guest's session by a link's token. */
  statusOf(token: string): Promise<number>;
}

let nth = 0;
/** With a service that sends mail. */
const test = base.extend<
  { readonly inviting: Inviting },
  { readonly mailing: { readonly smtp: FakeSmtp; readonly service: DashboardService } }
>({
  mailing: [
    async ({ browserName: _ }, use) => {
      const smtp = await startFakeSmtp();
      const mail = { SVC_SMTP_URL: smtp.url, SVC_MAIL_FROM: 'no-reply@riverside.example' };
      const environment = { ...mail, SVC_JOBS: 'on', SVC_MAILS_PER_MINUTE: '100000' };
      const service = await startDashboardService({ begin: 'now', environment });
      await use({ smtp, service });
      await service.close();
      await smtp.close();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  async inviting({ context, mailing: { smtp, service } }, use) {
    const { api, origin } = service;
    const customer = await api.customer({ country: 'DE', plan: 'pilot' });
    const client = createSvcClient({ baseUrl: api.url, apiKey: customer.apiKey });
    nth += 1;
    const email = `robin-${nth}@riverside.example`;
    await client.inviteUser({ name: 'Robin', email, role: 'owner' });
    const invitation = /http\S+#\S+/.exec((await smtp.mailTo(email)).text)?.[0] ?? '';
    await addSession(context, (await signInWithLink(invitation)).cookie);
    const { eventId } = await client.createEvent({ name: 'Summer concert', startsAt: hours(24), endsAt: hours(30) });
    await client.createList({ name: 'Guests', eventId });
    const privacyNoticeUrl = 'https://example.org/privacy';
    await client.setWidgetSettings(eventId, { organiserName: 'Riverside Hall', privacyNoticeUrl });
    const tab = await DashboardPage.in(context, origin);
    await tab.open(`/events/${eventId}/guests`);
    await tab.press('Invite guests');
    await use({
      ...{ client, eventId, nth, tab },
      async bring(table) {
        await tab.page.getByLabel('Paste lines').fill(table);
        await tab.press('Continue');
      },
      async download() {
        const [file] = await Promise.all([tab.page.waitForEvent('download'), tab.press('Download CSV')]);
        return readFile(await file.path(), 'utf8');
      },
      async statusOf(token) {
        const headers = { Authorization: `Bearer ${token}` };
        return (await requestJson(`${api.url}/v1/widget/session`, { headers })).status;
      },
    });
    expect(tab.complaints).toEqual([]);
  },
});

test('guests are mailed in their languages, counted, and reminded; a refusal is shown with its row', async ({
  inviting,
  mailing: { smtp },
}) => {
  const { nth, tab } = inviting;
  smtp.refuse(`gone-${nth}@example.org`, '550 5.1.1 no such user');
  await inviting.bring(
    [
      'Ticket;E-Mail;Sprache',
      `A-1;ada-${nth}@example.org;de`,
      `A-2;bob-${nth}@example.org;`,
      `A-3;gone-${nth}@example.org;fr`,
      'A-4;not an address;',
    ].join('\r\n'),
  );
  await tab.page.getByText('1 row is left out').waitFor();
  await tab.press('Send 3 mails');
  await tab.page.getByRole('alertdialog').getByRole('button', { name: 'Send', exact: true }).click();
  const toAda = await smtp.mailTo(`ada-${nth}@example.org`);
  expect(toAda.headers).toMatchObject({ subject: 'Ihr Ticket für Summer concert: mit dem Gesicht einchecken' });
  expect(toAda.headers['reply-to']).toBe(`robin-${nth}@riverside.example`);
  expect(await inviting.statusOf(linkIn(toAda.text))).toBe(200);
  expect((await smtp.mailTo(`bob-${nth}@example.org`)).text).toMatch(/^Hello,/);
  await tab.page.getByText('Bounced 1').waitFor();
  await tab.press('Recipients');
  const dialog = tab.page.getByRole('dialog');
  await dialog.getByText('The mail server answered 550 5.1.1').waitFor();
  expect(await dialog.getByText('A-3').count()).toBe(1);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await tab.press('Remind');
  await tab.page.getByRole('dialog').getByRole('button', { name: 'Remind' }).click();
  const again = await smtp.mailTo(`ada-${nth}@example.org`, { count: 2 });
  expect(again.headers.subject).toBe('Zur Erinnerung: mit dem Gesicht einchecken bei Summer concert');
  expect(linkIn(again.text)).not.toBe(linkIn(toAda.text));
  expect(smtp.received.filter(({ to }) => to.includes(`gone-${nth}@example.org`))).toEqual([]);
});

test('guests get links as a file, which this tab keeps until it is downloaded', async ({ inviting }) => {
  const { tab } = inviting;
  await inviting.bring('Ticket,Name\nA-1,Ada\nA-2,"=HYPERLINK(""https://evil"")"\nA-1,Twice');
  await tab.page.getByText('2 guests are ready').waitFor();
  await tab.page.getByText('Download them and send them yourself').click();
  await tab.press('Make 2 links');
  await tab.page.getByText('2 links made').waitFor();
  // Another page of the dashboard and back: nothing is lost.
  await tab.page.getByRole('link', { name: 'Events' }).first().click();
  await tab.page.goBack();
  await tab.page.getByText('2 links made').waitFor();
  const asked: string[] = [];
  tab.page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  const rows = (await inviting.download()).trimEnd().split('\r\n');
  expect(rows[0]).toBe('\uFEFFTicket,Name,Link,Valid until');
  expect(rows[2]).toContain(`"'=HYPERLINK(""https://evil"")"`);
  expect(await inviting.statusOf(linkIn(rows[1] ?? ''))).toBe(200);
  await tab.page.reload();
  await tab.settled();
  expect([asked, await tab.page.getByText('2 links made').count()]).toEqual([[], 0]);
});

test('guests whose links were lost with their answer get others, and the lost ones end', async ({ inviting }) => {
  const { tab } = inviting;
  let lost = '';
  let isCut = true;
  await tab.page.route('**/enrolment-tokens/batch', async (route) => {
    if (!isCut) return route.fallback();
    isCut = false;
    // The service has carried it out; the answer does not arrive.
    lost = linkIn(await (await route.fetch()).text());
    return route.abort('connectionreset');
  });
  await inviting.bring('A-1');
  await tab.press('Make 1 link');
  await tab.page.getByText('The links were made, but the answer got lost on the way').waitFor();
  await tab.press('Make new links');
  await tab.page.getByText('1 link made').waitFor();
  const made = linkIn(await inviting.download());
  expect(made).not.toBe(lost);
  expect([await inviting.statusOf(lost), await inviting.statusOf(made)]).toEqual([401, 200]);
  const { tokens } = await inviting.client.getEnrolmentTokenSummary(inviting.eventId);
  expect(tokens).toMatchObject({ valid: 1, revoked: 1 });
});
