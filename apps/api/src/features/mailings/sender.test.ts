import { readFileSync } from 'node:fs';
import { mailTemplateSchema } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { MailError } from '../../platform/mail.ts';
import { readFailure } from './sender.ts';
import { mailTexts } from './texts.ts';

const error = (fields: object) => Object.assign(new Error('to ada@example.org'), fields);

describe('a failed sending', () => {
  it.each([
    [
      'an unknown recipient',
      {
        code: 'EENVELOPE',
        command: 'RCPT TO',
        responseCode: 550,
        response: '550 5.1.1 <ada@example.org>: no such user',
      },
      { kind: 'refused', smtpStatus: '550 5.1.1' },
    ],
    [
      'greylisting',
      { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450, response: '450 4.7.1 later' },
      { kind: 'later', smtpStatus: '450 4.7.1' },
    ],
    [
      'a refused message',
      { code: 'EMESSAGE', command: 'DATA', responseCode: 554, response: '554 spam' },
      { kind: 'refused', smtpStatus: '554' },
    ],
    [
      'a refused sender',
      { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550, response: '550 5.7.1 no' },
      { kind: 'server', smtpStatus: '550 5.7.1' },
    ],
    [
      'a wrong password',
      { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 },
      { kind: 'server', smtpStatus: '535' },
    ],
    [
      'a server that shuts down',
      { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 421, response: '421 4.3.2 bye' },
      { kind: 'server', smtpStatus: '421 4.3.2' },
    ],
    ['an address that cannot be sent to', { code: 'EENVELOPE', command: 'API' }, { kind: 'refused', smtpStatus: null }],
    ['no connection', { code: 'ECONNECTION' }, { kind: 'server', smtpStatus: null }],
  ])('by %s', (_what, fields, expected) => {
    expect(readFailure(error(fields))).toEqual(expected);
    expect(readFailure(new MailError(null, error(fields)))).toEqual(expected);
  });

  it('by something else concerns no recipient, and nothing of it is kept', () => {
    for (const thrown of [null, undefined, 'text', new Error('ada@example.org')]) {
      expect(readFailure(thrown)).toEqual({ kind: 'server', smtpStatus: null });
    }
  });
});

describe('texts', () => {
  const widgetTexts = new URL('../../../../widget/src/page/text/texts.tsv', import.meta.url);

  it('there are texts in each language of the widget', () => {
    const [, ...spoken] = readFileSync(widgetTexts, 'utf8').split('\n', 1).join().split('\t');
    expect(Object.keys(mailTexts).toSorted()).toEqual(spoken.toSorted());
  });

  describe.each(Object.entries(mailTexts))('%s', (_language, texts) => {
    it.each(['invitation', 'reminder'] as const)('%s has everything that a guest needs', (kind) => {
      expect(mailTemplateSchema.safeParse(texts[kind]).error).toBeUndefined();
      expect(texts[kind].subject).toContain('{event}');
      for (const name of ['event', 'organiser', 'link', 'deadline', 'privacy']) {
        expect(texts[kind].text).toContain(`{${name}}`);
      }
      // Each of the parts is there.
      expect(texts[kind].text).toMatch(/^\S.*(\n\n\S.*){6}\n\{organiser\}$/);
    });
  });
});
