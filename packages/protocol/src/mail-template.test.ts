import { describe, expect, it } from 'vitest';
import { fillMail, formatDeadline, isEmail, mailLanguage, templateFault } from './mail-template.ts';
import { mailTemplateSchema } from './operations/mailings.ts';

const values = { event: 'Concert', organiser: 'Hall', link: 'https://w/#t', deadline: 'Monday', privacy: 'https://p' };

describe('a template', () => {
  const isAllowed = (template: object) =>
    mailTemplateSchema.safeParse({ subject: 'Hello', text: 'At {link}', ...template }).success;

  it.each([
    ['a subject of two lines', { subject: 'Hello\r\nBcc: all@example.org' }],
    ['an empty subject', { subject: ' ' }],
    ['a subject with the link, which servers log', { subject: '{link}' }],
    ['a subject with a misspelt placeholder', { subject: '{evnet}' }],
    ['a text without the link', { text: 'Hello' }],
    ['a text with a misspelt placeholder', { text: '{link} {dead_line}' }],
    ['a text with a control character', { text: '{link}\u0000' }],
    ['a text that is too long', { text: `{link}${'x'.repeat(5_000)}` }],
  ])('with %s is refused', (_what, template) => {
    expect(isAllowed(template)).toBe(false);
  });

  it.each([
    ['unknown-placeholder', { subject: '{evnet}', text: '{link}' }],
    ['link-in-subject', { subject: '{link}', text: '{link}' }],
    ['no-link', { subject: '{event}', text: 'Hello' }],
    [null, { subject: '{event}', text: '{link} {1}' }],
  ])('has the fault %s, which a page can tell before it is sent', (fault, template) => {
    expect(templateFault(template)).toBe(fault);
    expect(isAllowed(template)).toBe(fault === null);
  });

  it('may have line breaks, and braces around other things', () => {
    expect(isAllowed({ text: 'a {1} {} { x }\r\n\t{link} {privacy}' })).toBe(true);
  });
});

describe('a mail', () => {
  it('has every placeholder replaced, and none within a value', () => {
    const template = { subject: '{event}', text: '{organiser} {link} {deadline} {privacy} {event}' };
    expect(fillMail(template, { ...values, event: '{link}' })).toEqual({
      subject: '{link}',
      text: 'Hall https://w/#t Monday https://p {link}',
    });
  });

  it('stays one line where a name holds several, and keeps nothing that turns the direction', () => {
    const filled = fillMail(
      { subject: 'To {event}', text: '{event}|{link}' },
      { ...values, event: 'A\r\nBcc: b@example.org\u2028C\u202e' },
    );
    expect(filled.subject).toBe('To A Bcc: b@example.org C');
    expect(filled.text).toBe('A Bcc: b@example.org C|https://w/#t');
  });

  it('is in the wanted language, in that of its region, or in the fallback', () => {
    const offered = ['en', 'de', 'pt-BR'];
    expect(mailLanguage('de-AT', offered, 'en')).toBe('de');
    expect(mailLanguage('PT-br', offered, 'en')).toBe('pt-BR');
    expect(mailLanguage('pt', offered, 'en')).toBe('en');
    expect(mailLanguage(null, offered, 'de')).toBe('de');
  });

  it('tells the deadline in the zone and the language of its reader', () => {
    const at = new Date('2026-06-04T16:30:00Z');
    expect(formatDeadline(at, 'de', 'Europe/Berlin')).toMatch(/Donnerstag.*4\. Juni.*18:30.*MESZ/);
    expect(formatDeadline(at, 'en', 'UTC')).toMatch(/Thursday.*June 4.*04:30.*UTC/);
  });
});

describe('an address', () => {
  it.each(['ada@example.org', 'ada+ticket@mail.example.co', "o'neil@example.org", 'ada@exämple.org'])('%s', (text) => {
    expect(isEmail(text)).toBe(true);
  });

  it.each([
    ...['', 'ada', '@example.org', 'ada@', 'ada@example', 'ada@@example.org', 'ada@example..org', '.ada@example.org'],
    ...['ada@-example.org', 'ada@example.org, bob@example.org', 'Ada <ada@example.org>', 'ada@example.org\r\nX: y'],
    ...['ada @example.org', '"ada"@example.org', 'ada@[127.0.0.1]', `${'a'.repeat(65)}@example.org`],
    `ada@${'a'.repeat(250)}.org`,
  ])('not %j', (text) => {
    expect(isEmail(text)).toBe(false);
  });
});
