import {
  type CreatedMailing,
  DAY_MS,
  HOUR_MS,
  MAX_MAILINGS,
  MAX_RECIPIENTS_AT_ONCE,
  type MailingRecipientResource,
  type MailingResource,
  MINUTE_MS,
} from '@svc/protocol';
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { enrolBody, enrolPerson, inDatabase } from '../../testing/enrolment-fixture.ts';
import {
  createFakeInference,
  createLogSink,
  createManualClock,
  createStage,
  startTestApi,
  type WidgetStage,
} from '../../testing/index.ts';
import { useApi, useServices } from '../../testing/use-api.ts';
import { createGuestPage } from '../../testing/widget-fixture.ts';
import { createMailingSender, type MailingSender, type MailTransport } from './sender.ts';

type Mail = Parameters<MailTransport['send']>[0];

const log = createLogSink();
const { api, clock, customer } = useApi({
  logDestination: log,
  environment: { SVC_WIDGET_URL: 'https://widget.example.org/face' },
  customer: { country: 'DE', plan: 'unlimited' },
});
let stage: WidgetStage;
let outbox: Mail[];
/** What the mail server does with the next mails. */
let receive: (mail: Mail) => Promise<void>;
const services = useServices(api, { clock });

beforeEach(async () => {
  await inDatabase(api, 'DELETE FROM mailings', []);
  stage = await createStage(customer, clock, 400);
  outbox = [];
  receive = () => Promise.resolve();
});

const settings = { validForHours: 24 };
const pathOf = (eventId = stage.eventId) => `/v1/events/${eventId}/mailings`;
const guests = (...names: string[]) => names.map((name) => ({ ticketId: name, email: `${name}@example.org` }));
const ask = (recipients: readonly unknown[], more: object = {}) =>
  customer.request<CreatedMailing & { code: string }>('POST', pathOf(), { recipients, ...settings, ...more });
const read = async (mailingId: string) =>
  (await customer.request<MailingResource>('GET', `${pathOf()}/${mailingId}`)).body;
const recipientsOf = async (mailingId: string, query = '') => {
  const path = `${pathOf()}/${mailingId}/recipients?limit=200${query}`;
  return (await customer.request<{ items: MailingRecipientResource[] }>('GET', path)).body.items;
};
const remind = (mailingId: string) =>
  customer.request<MailingResource>('POST', `${pathOf()}/${mailingId}/reminder`, settings);

function createSender(mailsPerMinute = 100_000): MailingSender {
  return createMailingSender({
    ...services,
    store: services.mailingStore,
    transport: {
      async send(mail) {
        await receive(mail);
        outbox.push(mail);
      },
    },
    metrics: { mailFinished: () => undefined },
    clock,
    mailsPerMinute,
    domain: 'widget.example.org',
  });
}
const send = () => createSender().run();
const linkIn = (mail: Mail | undefined) =>
  /https:\/\/widget\.example\.org\/face#(\S+)/.exec(mail?.text ?? '')?.[1] ?? '';
const mailTo = (name: string) => outbox.findLast(({ to }) => to === `${name}@example.org`);
const refusal = (responseCode: number, response = `${responseCode} 5.1.1 no`) =>
  Object.assign(new Error('refused'), { code: 'EENVELOPE', command: 'RCPT TO', responseCode, response });
const keptOf = () =>
  inDatabase<{ ticket: boolean; address: boolean; state: string }>(
    api,
    `SELECT ticket_id_sealed IS NOT NULL AS ticket, address_sealed IS NOT NULL AS address, state
     FROM mailing_recipients WHERE account_id = $1 ORDER BY mailing_id, position`,
    [customer.accountId],
  );

describe('a mailing', () => {
  it('sends each guest a link of his own, in his language, and the link enrols him', async () => {
    const { status, body, headers } = await ask(
      [
        { ticketId: 'ada', email: 'ada@example.org', language: 'de-AT' },
        { ticketId: 'bob', email: 'bob@example.org' },
        { ticketId: 'eve', email: 'eve@example.org', language: 'tlh' },
      ],
      { defaultLanguage: 'fr', timeZone: 'Europe/Berlin', replyTo: 'tickets@example.org' },
    );
    expect([status, body.state, body.recipients.waiting, body.omitted]).toEqual([201, 'sending', 3, []]);
    expect(headers.get('location')).toBe(`${pathOf()}/${body.mailingId}`);
    await send();
    expect(outbox.map(({ to }) => to).toSorted()).toEqual(['ada@example.org', 'bob@example.org', 'eve@example.org']);
    expect(mailTo('ada')?.subject).toBe('Ihr Ticket für Concert: mit dem Gesicht einchecken');
    expect(mailTo('ada')?.text).toMatch(/gilt bis .*(MESZ|MEZ)\./);
    expect(mailTo('ada')?.headers).toMatchObject({
      'Message-ID': `<${body.mailingId}.0@widget.example.org>`,
      'Reply-To': 'tickets@example.org',
      'Content-Language': 'de',
    });
    expect([mailTo('bob'), mailTo('eve')].map((mail) => mail?.headers?.['Content-Language'])).toEqual(['fr', 'fr']);
    expect((await createGuestPage(api, linkIn(mailTo('bob'))).enrol()).status).toBe(201);
    const people = await inDatabase(api, 'SELECT person_id FROM people WHERE account_id = $1', [customer.accountId]);
    expect(people).toEqual([{ person_id: 'bob' }]);
    expect(await read(body.mailingId)).toMatchObject({ state: 'done', recipients: { waiting: 0, sent: 3 } });
  });

  it('has the organiser’s own texts where there are some', async () => {
    const text = 'Komm mit {link}\nDatenschutz: {privacy}';
    await ask([{ ...guests('ada')[0], language: 'de' }, ...guests('bob')], {
      texts: [{ language: 'de', subject: 'Hallo {event}', text }],
    });
    await send();
    expect(mailTo('ada')?.subject).toBe('Hallo Concert');
    expect(mailTo('ada')?.text).toMatch(/^Komm mit https:\/\/widget\S+\nDatenschutz: https:\/\/example\.org\/face/);
    expect(mailTo('bob')?.subject).toMatch(/^Your ticket/);
  });

  it('names rows that cannot be sent to, and guests who have decided', async () => {
    await ask(guests('enrols', 'declines'));
    await send();
    expect((await createGuestPage(api, linkIn(mailTo('enrols'))).enrol()).status).toBe(201);
    expect((await createGuestPage(api, linkIn(mailTo('declines'))).decline()).status).toBe(204);
    const { body } = await ask([
      ...guests('enrols', 'declines', 'ada', 'ada'),
      { ticketId: '', email: 'x@example.org' },
      { ticketId: 'x', email: 'x@' },
      { ticketId: 'y', email: 'y@example.org', language: 'not a tag' },
      { ticketId: 'z', email: ' z@example.org ', language: '' },
    ]);
    expect(body.recipients.waiting).toBe(2);
    expect(body.omitted).toEqual([
      { index: 0, reason: 'enrolled' },
      { index: 1, reason: 'declined' },
      { index: 3, reason: 'repeated' },
      { index: 4, reason: 'invalid-ticket' },
      { index: 5, reason: 'invalid-email' },
      { index: 6, reason: 'invalid-language' },
    ]);
  });

  it.each([
    ['no recipients', { recipients: [] }],
    ['a zone that does not exist', { timeZone: 'Mars/Base' }],
    ['a text without the link', { texts: [{ language: 'en', subject: 'Hi', text: 'Hello' }] }],
    ['two addresses for answers', { replyTo: 'a@example.org,b@example.org' }],
  ])('with %s is refused', async (_name, more) => {
    expect((await ask(guests('ada'), more)).status).toBe(400);
    expect(await keptOf()).toEqual([]);
  });

  it('may be to thousands of guests, but not to more than ten thousand', async () => {
    const many = guests(...Array.from({ length: MAX_RECIPIENTS_AT_ONCE + 1 }, (_, nth) => `guest-${nth}`));
    expect((await ask(many)).status).toBe(400);
    expect((await ask(many.slice(0, 2_000))).body.recipients.waiting).toBe(2_000);
  });

  it('is one of a limited number', async () => {
    await inDatabase(
      api,
      `INSERT INTO mailings (account_id, list_id, mailing_id, texts, default_language, time_zone, valid_for_hours, created_at)
       SELECT $1, $2, 'mlg_' || n, '{}', 'en', 'UTC', 1, now() FROM generate_series(1, $3) n`,
      [customer.accountId, stage.listId, MAX_MAILINGS],
    );
    expect((await ask(guests('ada'))).body.code).toBe('mailing-limit-reached');
  });

  it('is of its own event, with a list that is open', async () => {
    const { body } = await ask(guests('ada'));
    const other = await createStage(customer, clock);
    expect((await customer.request('GET', `${pathOf(other.eventId)}/${body.mailingId}`)).status).toBe(404);
    const ofOther = `${pathOf(other.eventId)}/${body.mailingId}/reminder`;
    expect((await customer.request('POST', ofOther, settings)).status).toBe(404);
    await customer.request('POST', `/v1/lists/${stage.listId}/close-enrollment`);
    expect((await ask(guests('bob'))).body.code).toBe('enrolment-closed');
    await send();
    expect(outbox).toEqual([]);
    expect(await recipientsOf(body.mailingId)).toMatchObject([{ state: 'skipped', reason: 'enrolment-closed' }]);
  });

  it('can be cancelled, once', async () => {
    const { body } = await ask(guests('ada', 'bob'));
    const at = `${pathOf()}/${body.mailingId}/cancel`;
    const cancelled = await customer.request<MailingResource>('POST', at);
    expect(cancelled.body).toMatchObject({ state: 'cancelled', recipients: { waiting: 0, cancelled: 2 } });
    expect((await customer.request<MailingResource>('POST', at)).body).toEqual(cancelled.body);
    await send();
    expect(outbox).toEqual([]);
    const kept = { ticket: true, address: false, state: 'cancelled' };
    expect(await keptOf()).toEqual([kept, kept]);
    const { body: log } = await customer.request<{ items: { action: string }[] }>('GET', '/v1/audit-log');
    expect(log.items.filter(({ action }) => action === 'mailing.cancel')).toHaveLength(1);
  });

  it('of a suspended account waits', async () => {
    await ask(guests('ada'));
    await api.admin.accounts.suspend(customer.accountId);
    await send();
    expect(outbox).toEqual([]);
    await api.admin.accounts.resume(customer.accountId);
    await send();
    expect(outbox).toHaveLength(1);
  });

  it('of a test account is refused', async () => {
    const tests = await api.customer({ mode: 'test' });
    const { eventId } = await createStage(tests, clock);
    const refused = await tests.request('POST', pathOf(eventId), { recipients: guests('ada'), ...settings });
    expect([refused.status, refused.body.code]).toEqual([409, 'mail-not-configured']);
  });

  it('without a mail server is refused', async () => {
    const without = await startTestApi(inject('postgres'), { createInference: createFakeInference, mail: null });
    onTestFinished(() => without.close());
    const other = await without.customer({ plan: 'pilot' });
    const { eventId } = await createStage(other, createManualClock());
    const refused = await other.request('POST', pathOf(eventId), { recipients: guests('ada'), ...settings });
    expect([refused.status, refused.body.code]).toEqual([409, 'mail-not-configured']);
    expect((await other.request('GET', pathOf(eventId))).body).toEqual({ items: [], nextCursor: null });
  });
});

describe('the mail server', () => {
  it('that refuses a recipient makes a bounce: no second attempt, no address kept, no link that works', async () => {
    let lost = '';
    receive = (mail) => {
      if (mail.to !== 'bob@example.org') return Promise.resolve();
      lost = linkIn(mail);
      return Promise.reject(refusal(550));
    };
    const { body } = await ask(guests('ada', 'bob'));
    await send();
    clock.advance(DAY_MS);
    await send();
    expect(outbox).toHaveLength(1);
    expect(await recipientsOf(body.mailingId, '&state=bounced')).toEqual([
      { index: 1, ticketId: 'bob', state: 'bounced', attempts: 1, reason: null, smtpStatus: '550 5.1.1', sentAt: null },
    ]);
    expect((await keptOf()).map(({ address }) => address)).toEqual([true, false]);
    expect((await createGuestPage(api, lost).session()).status).toBe(401);
  });

  it('that puts off a mail is asked again, under the same Message-ID, until it is given up', async () => {
    const tried: string[] = [];
    receive = (mail) => {
      tried.push(mail.headers?.['Message-ID'] ?? '');
      return Promise.reject(refusal(450, '450 4.2.0 greylisted'));
    };
    const { body } = await ask(guests('ada'));
    for (let day = 0; day < 8; day += 1) {
      await send();
      clock.advance(8 * HOUR_MS);
    }
    expect([tried.length, new Set(tried).size]).toEqual([6, 1]);
    expect(await recipientsOf(body.mailingId)).toMatchObject([
      { state: 'failed', smtpStatus: '450 4.2.0', attempts: 6 },
    ]);
  });

  it('that is away costs nobody an attempt, and nobody else is tried meanwhile', async () => {
    let tries = 0;
    receive = () => {
      tries += 1;
      return Promise.reject(Object.assign(new Error('ada@example.org'), { code: 'ECONNECTION' }));
    };
    const { body } = await ask(guests(...Array.from({ length: 12 }, (_, nth) => `guest-${nth}`)));
    const sender = createSender();
    await expect(sender.run()).rejects.toMatchObject({ code: 'ECONNECTION' });
    await sender.run();
    expect(tries).toBe(1);
    expect((await recipientsOf(body.mailingId)).every(({ attempts }) => attempts === 0)).toBe(true);
    receive = () => Promise.resolve();
    clock.advance(MINUTE_MS - 1);
    await sender.run();
    expect(outbox).toEqual([]);
    clock.advance(1);
    await sender.run();
    expect(outbox).toHaveLength(12);
  });

  it('is not asked faster than its rate allows', async () => {
    await ask(guests('ada', 'bob', 'eve'));
    const startedAt = performance.now();
    await createSender(600).run();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
    expect(outbox).toHaveLength(3);
  });

  it('gets each mail once, however many send, and a killed node’s when its lease is over', async () => {
    await ask(guests(...Array.from({ length: 23 }, (_, nth) => `guest-${nth}`)));
    const lost = await services.mailingStore.claim(new Date(clock.now()), new Date(clock.now() + 5 * MINUTE_MS), 4);
    await Promise.all([send(), send(), send()]);
    expect([outbox.length, new Set(outbox.map(({ to }) => to)).size]).toEqual([19, 19]);
    clock.advance(5 * MINUTE_MS);
    await send();
    expect([outbox.length, new Set(outbox.map(({ to }) => to)).size]).toEqual([23, 23]);
    // The dead node's last words change nothing.
    for (const claimed of lost) await services.mailingStore.end(claimed, { state: 'bounced', smtpStatus: '550' });
    expect((await keptOf()).every(({ state }) => state === 'sent')).toBe(true);
  });

  it('is stopped between two mails, and what was claimed is due at once', async () => {
    await ask(guests('ada', 'bob', 'eve'));
    const sender = createSender();
    receive = () => {
      sender.stop();
      return Promise.resolve();
    };
    await sender.run();
    expect(outbox).toHaveLength(1);
    await send();
    expect(outbox).toHaveLength(3);
  });

  it('serves accounts in turn', async () => {
    await ask(guests(...Array.from({ length: 12 }, (_, nth) => `many-${nth}`)));
    const other = await api.customer({ plan: 'pilot' });
    const { eventId } = await createStage(other, clock);
    await other.request('POST', pathOf(eventId), { recipients: guests('few'), ...settings });
    await send();
    expect(outbox.findIndex(({ to }) => to === 'few@example.org')).toBeLessThan(5);
  });
});

describe('a reminder', () => {
  it('goes to those who have not decided; both links work, and enrolling uses up both', async () => {
    const { body } = await ask(guests('enrols', 'declines', 'waits', 'bounces'), { defaultLanguage: 'it' });
    receive = (mail) => (mail.to === 'bounces@example.org' ? Promise.reject(refusal(550)) : Promise.resolve());
    await send();
    await createGuestPage(api, linkIn(mailTo('enrols'))).enrol();
    await createGuestPage(api, linkIn(mailTo('declines'))).decline();
    const first = linkIn(mailTo('waits'));
    outbox = [];
    clock.advance(HOUR_MS);
    const reminded = await remind(body.mailingId);
    const asked = { remindsMailingId: body.mailingId, defaultLanguage: 'it', recipients: { waiting: 1 } };
    expect(reminded.body).toMatchObject(asked);
    await send();
    expect(outbox.map(({ to, subject }) => [to, subject])).toEqual([
      ['waits@example.org', 'Promemoria: ingresso con il volto per Concert'],
    ]);
    expect(await recipientsOf(reminded.body.mailingId)).toMatchObject([{ index: 2, ticketId: 'waits' }]);
    const second = linkIn(mailTo('waits'));
    expect(second).not.toBe(first);
    expect((await createGuestPage(api, first).session()).status).toBe(200);
    expect((await createGuestPage(api, second).enrol()).status).toBe(201);
    expect((await createGuestPage(api, first).session()).body).toMatchObject({ code: 'token-used' });
    const summary = await customer.request('GET', `/v1/events/${stage.eventId}/enrolment-tokens/summary`);
    expect(summary.body).toMatchObject({ tickets: { invited: 4, enrolled: 2, declined: 1 } });
  });

  it('leaves out who was enrolled by the organiser, also after it was asked for', async () => {
    const { body } = await ask(guests('ada', 'bob'));
    await send();
    outbox = [];
    const enrol = (personId: string) => enrolPerson(stage.listId, enrolBody(clock, { personId }), customer);
    expect((await enrol('ada')).status).toBe(201);
    const reminded = await remind(body.mailingId);
    expect(reminded.body.recipients.waiting).toBe(1);
    expect((await enrol('bob')).status).toBe(201);
    await send();
    expect(outbox).toEqual([]);
    expect(await recipientsOf(reminded.body.mailingId)).toMatchObject([{ state: 'skipped', reason: 'enrolled' }]);
  });
});

describe('what is kept of a recipient', () => {
  it('is sealed, never read back, never logged, and only as long as it is needed', async () => {
    const { body } = await ask(guests('canary-1', 'canary-2', 'canary-3', 'canary-4'));
    await send();
    await createGuestPage(api, linkIn(mailTo('canary-1'))).enrol();
    await createGuestPage(api, linkIn(mailTo('canary-2'))).decline();
    expect((await keptOf()).map(({ address, ticket }) => [address, ticket])).toEqual([
      [false, false],
      [false, false],
      [true, true],
      [true, true],
    ]);
    const everything = JSON.stringify([await read(body.mailingId), await recipientsOf(body.mailingId)]);
    expect(everything).not.toContain('@example.org');
    const rows = 'SELECT m.*, r.* FROM mailings m JOIN mailing_recipients r USING (mailing_id)';
    const stored = await inDatabase(api, rows, []);
    expect(stored.map((row) => Object.values(row).map(String).join(' ')).join(' ')).not.toContain('canary');
    expect(log.text).not.toContain('canary');
  });

  it('is erased when its person is', async () => {
    await ask(guests('ada'));
    await enrolPerson(stage.listId, enrolBody(clock, { personId: 'ada' }), customer);
    expect((await customer.request('DELETE', `/v1/lists/${stage.listId}/people/ada`)).status).toBe(204);
    expect(await keptOf()).toEqual([{ ticket: false, address: false, state: 'skipped' }]);
    await send();
    expect(outbox).toEqual([]);
  });
});
