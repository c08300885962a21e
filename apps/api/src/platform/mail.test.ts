import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FakeSmtp, startFakeSmtp } from '../testing/fake-smtp.ts';
import { createMailer, type Mailer } from './mail.ts';

let smtp: FakeSmtp;
let mailer: Mailer;

beforeAll(async () => {
  smtp = await startFakeSmtp();
  const made = createMailer({ smtpUrl: smtp.url, from: 'Concerts <no-reply@example.org>' });
  if (made === null) throw new Error('no mailer');
  mailer = made;
});
afterAll(async () => {
  mailer.close();
  await smtp.close();
});

it('is none without a server', () => {
  expect(createMailer(null)).toBeNull();
});

it('sends texts of any script, with headers of its own', async () => {
  const text = 'Grüße aus Köln,\r\n.\r\n.. und ein langer Satz '.concat('x'.repeat(2_000));
  await mailer.send({ to: 'one@example.org', subject: 'Einladung – 招待', text, headers: { 'X-Svc': 'a' } });
  const mail = await smtp.mailTo('one@example.org');
  expect(mail.headers).toMatchObject({
    subject: 'Einladung – 招待',
    from: 'Concerts <no-reply@example.org>',
    'x-svc': 'a',
    'auto-submitted': 'auto-generated',
  });
  expect(mail.text.trim()).toBe(text);
});

it('sends the plain text first where there is HTML too', async () => {
  await mailer.send({ to: 'two@example.org', subject: 's', text: 'plain', html: '<b>rich</b>' });
  const mail = await smtp.mailTo('two@example.org');
  expect(mail.text.trim()).toBe('plain');
  expect(mail.source).toContain('<b>rich</b>');
});

it('never lets an address or a subject add a header or a receiver', async () => {
  const evil = { to: 'three@example.org', subject: 'a\r\nBcc: four@example.org', text: 't' };
  await mailer.send(evil);
  const mail = await smtp.mailTo('three@example.org');
  expect(mail.to).toEqual(['three@example.org']);
  expect(mail.headers.bcc).toBeUndefined();
});

it('tells an address that is refused from a server that is not there, and quotes neither', async () => {
  smtp.refuse('gone@example.org', '550 no such user gone@example.org');
  smtp.refuse('later@example.org', '451 try later');
  const refused = { subject: 's', text: 't' };
  await expect(mailer.send({ ...refused, to: 'gone@example.org' })).rejects.toMatchObject({
    message: 'the mail server answered 550',
    isPermanent: true,
  });
  await expect(mailer.send({ ...refused, to: 'later@example.org' })).rejects.toMatchObject({ isPermanent: false });
  const nowhere = createMailer({ smtpUrl: 'smtp://127.0.0.1:1', from: 'a@example.org' });
  await expect(nowhere?.send({ ...refused, to: 'a@example.org' })).rejects.toMatchObject({ reply: null });
  nowhere?.close();
});
