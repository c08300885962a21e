import { readFile } from 'node:fs/promises';
import {
  createFakeInference,
  type FakeSmtp,
  freePort,
  requestJson,
  startFakeSmtp,
  startTestApi,
  type TestApi,
} from '@svc/api/testing';
import { chromiumPath, launchChromium } from '@svc/benchmarks/inputs/browser';
import { createSvcClient, type SvcClient } from '@svc/server-sdk';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DashboardPage, PATIENCE_MS } from './dashboard-page.ts';
import { signInWithLink } from './link-session.ts';

const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString();
const linkIn = (text: string) => /#(svce_\w+)/.exec(text)?.[1] ?? '';

describe.skipIf(chromiumPath === undefined)('guests in bulk', { timeout: 4 * PATIENCE_MS }, () => {
  let smtp: FakeSmtp;
  let api: TestApi;
  let origin: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: DashboardPage;
  let client: SvcClient;
  let eventId: string;
  let nth = 0;

  beforeAll(async () => {
    smtp = await startFakeSmtp();
    const port = await freePort();
    origin = `http://localhost:${port}`;
    const environment = { PORT: String(port), SVC_TEST_NODES: '1', SVC_JOBS: 'on', SVC_SMTP_URL: smtp.url };
    api = await startTestApi(
      inject('postgres'),
      { createInference: createFakeInference },
      { ...environment, SVC_MAIL_FROM: 'no-reply@riverside.example', SVC_MAILS_PER_MINUTE: '100000' },
    );
    browser = await launchChromium();
  }, 2 * PATIENCE_MS);
  afterAll(async () => {
    await browser?.close();
    await api?.close();
    await smtp?.close();
  });

  beforeEach(async () => {
    const customer = await api.customer({ country: 'DE', plan: 'pilot' });
    client = createSvcClient({ baseUrl: api.url, apiKey: customer.apiKey });
    nth += 1;
    const email = `robin-${nth}@riverside.example`;
    await client.inviteUser({ name: 'Robin', email, role: 'owner' });
    const invitation = /http\S+#\S+/.exec((await smtp.mailTo(email)).text)?.[0] ?? '';
    const { cookie } = await signInWithLink(invitation);
    ({ eventId } = await client.createEvent({ name: 'Summer concert', startsAt: hours(24), endsAt: hours(30) }));
    await client.createList({ name: 'Guests', eventId });
    const privacyNoticeUrl = 'https://example.org/privacy';
    await client.setWidgetSettings(eventId, { organiserName: 'Riverside Hall', privacyNoticeUrl });
    context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', acceptDownloads: true });
    await context.addCookies([
      { ...cookie, domain: 'localhost', path: '/', secure: true, httpOnly: true, sameSite: 'Lax' },
    ]);
    page = await DashboardPage.in(context, origin);
    await page.open(`/events/${eventId}/guests`);
    await page.press('Invite guests');
  });
  afterEach(async () => {
    expect(page.complaints).toEqual([]);
    await context.close();
  });

  async function bring(table: string): Promise<void> {
    await page.page.getByLabel('Paste lines').fill(table);
    await page.press('Continue');
  }

  async function download(): Promise<string> {
    const [file] = await Promise.all([page.page.waitForEvent('download'), page.press('Download CSV')]);
    return readFile(await file.path(), 'utf8');
  }

  const sessionOf = (token: string) =>
    requestJson(`${api.url}/v1/widget/session`, { headers: { Authorization: `Bearer ${token}` } });

  it('are mailed in their languages, counted, and reminded; a refusal is shown with its row', async () => {
    smtp.refuse(`gone-${nth}@example.org`, '550 5.1.1 no such user');
    await bring(
      [
        'Ticket;E-Mail;Sprache',
        `A-1;ada-${nth}@example.org;de`,
        `A-2;bob-${nth}@example.org;`,
        `A-3;gone-${nth}@example.org;fr`,
        'A-4;not an address;',
      ].join('\r\n'),
    );
    await page.page.getByText('1 row is left out').waitFor();
    await page.press('Send 3 mails');
    await page.page.getByRole('alertdialog').getByRole('button', { name: 'Send', exact: true }).click();
    const toAda = await smtp.mailTo(`ada-${nth}@example.org`);
    expect(toAda.headers).toMatchObject({ subject: 'Ihr Ticket für Summer concert: mit dem Gesicht einchecken' });
    expect(toAda.headers['reply-to']).toBe(`robin-${nth}@riverside.example`);
    expect((await sessionOf(linkIn(toAda.text))).status).toBe(200);
    expect((await smtp.mailTo(`bob-${nth}@example.org`)).text).toMatch(/^Hello,/);
    await page.page.getByText('Bounced 1').waitFor();
    await page.press('Recipients');
    const dialog = page.page.getByRole('dialog');
    await dialog.getByText('The mail server answered 550 5.1.1').waitFor();
    expect(await dialog.getByText('A-3').count()).toBe(1);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.press('Remind');
    await page.page.getByRole('dialog').getByRole('button', { name: 'Remind' }).click();
    const again = await smtp.mailTo(`ada-${nth}@example.org`, { count: 2 });
    expect(again.headers.subject).toBe('Zur Erinnerung: mit dem Gesicht einchecken bei Summer concert');
    expect(linkIn(again.text)).not.toBe(linkIn(toAda.text));
    expect(smtp.received.filter(({ to }) => to.includes(`gone-${nth}@example.org`))).toEqual([]);
  });

  it('get links as a file, which this tab keeps until it is downloaded', async () => {
    await bring('Ticket,Name\nA-1,Ada\nA-2,"=HYPERLINK(""https://evil"")"\nA-1,Twice');
    await page.page.getByText('2 guests are ready').waitFor();
    await page.page.getByText('Download them and send them yourself').click();
    await page.press('Make 2 links');
    await page.page.getByText('2 links made').waitFor();
    // Another page of the dashboard and back: nothing is lost.
    await page.page.getByRole('link', { name: 'Events' }).first().click();
    await page.page.goBack();
    await page.page.getByText('2 links made').waitFor();
    const asked: string[] = [];
    page.page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    const rows = (await download()).trimEnd().split('\r\n');
    expect(rows[0]).toBe('\uFEFFTicket,Name,Link,Valid until');
    expect(rows[2]).toContain(`"'=HYPERLINK(""https://evil"")"`);
    expect((await sessionOf(linkIn(rows[1] ?? ''))).status).toBe(200);
    await page.page.reload();
    await page.settled();
    expect([asked, await page.page.getByText('2 links made').count()]).toEqual([[], 0]);
  });

  it('whose links were lost with their answer get others, and the lost ones end', async () => {
    let lost = '';
    let isCut = true;
    await page.page.route('**/enrolment-tokens/batch', async (route) => {
      if (!isCut) return route.fallback();
      isCut = false;
      // The service has carried it out; the answer does not arrive.
      lost = linkIn(await (await route.fetch()).text());
      return route.abort('connectionreset');
    });
    await bring('A-1');
    await page.press('Make 1 link');
    await page.page.getByText('The links were made, but the answer got lost on the way').waitFor();
    await page.press('Make new links');
    await page.page.getByText('1 link made').waitFor();
    const made = linkIn(await download());
    expect(made).not.toBe(lost);
    expect([(await sessionOf(lost)).status, (await sessionOf(made)).status]).toEqual([401, 200]);
    const { tokens } = await client.getEnrolmentTokenSummary(eventId);
    expect(tokens).toMatchObject({ valid: 1, revoked: 1 });
  });
});
