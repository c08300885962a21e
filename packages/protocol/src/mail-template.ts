import { MAX_EMAIL_CHARS } from './limits.ts';

/**
 * What a mail's template may name, in braces: the event, the organiser as guests know it, the guest link, until when it
 * can be used, and the address of the organiser's privacy notice.
 */
export const mailPlaceholders = ['event', 'organiser', 'link', 'deadline', 'privacy'] as const;
type MailPlaceholder = (typeof mailPlaceholders)[number];

/** Subject and text of a mail in one language, with placeholders. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
}

/** Words in braces; braces around anything else stay as they are. */
const PLACEHOLDER = /\{([A-Za-z_]+)\}/g;
const isKnown = (name: string): name is MailPlaceholder => (mailPlaceholders as readonly string[]).includes(name);

/** What a template names in braces, known or not. */
export const placeholdersIn = (template: string): string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** A mistake in a template, which would be sent to guests. */
type TemplateFault = 'unknown-placeholder' | 'link-in-subject' | 'no-link';

/** What is wrong with a template besides lengths and control characters; null for nothing. */
export function templateFault({ subject, text }: MailTemplate): TemplateFault | null {
  if (![...placeholdersIn(subject), ...placeholdersIn(text)].every(isKnown)) return 'unknown-placeholder';
  if (placeholdersIn(subject).includes('link')) return 'link-in-subject';
  return placeholdersIn(text).includes('link') ? null : 'no-link';
}

/** One line: what names hold cannot begin another line of a mail, or another header. */
const oneLine = (value: string) =>
  value
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();

/** A template with its placeholders replaced, once: what a value holds in braces is not replaced again. */
export function fillMail(template: MailTemplate, values: Readonly<Record<MailPlaceholder, string>>): MailTemplate {
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (whole, name: string) => (isKnown(name) ? oneLine(values[name]) : whole));
  return { subject: oneLine(fill(template.subject)), text: fill(template.text).replace(/\r\n?/g, '\n') };
}

/** A deadline as a guest reads it. @param language BCP 47 @param timeZone of IANA */
export function formatDeadline(at: Date, language: string, timeZone: string): string {
  const format = { weekday: 'long', day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat(language, { ...format, timeZone, timeZoneName: 'short' }).format(at);
}

/**
 * The language to write in: the wanted one, the same without its region, or the fallback.
 * @param offered must hold the fallback
 */
export function mailLanguage(wanted: string | null, offered: readonly string[], fallback: string): string {
  const [base = ''] = (wanted ?? '').toLowerCase().split('-');
  const find = (tag: string) => offered.find((one) => one.toLowerCase() === tag);
  return find((wanted ?? '').toLowerCase()) ?? find(base) ?? fallback;
}

/** A local part without quotes (RFC 5321 section 4.1.2), in ASCII, and the name of a domain, in any script. */
const EMAIL =
  /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*@[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** True for an address that mail can be sent to: one address, without a name, quotes, comments or an IP address. */
export function isEmail(text: string): boolean {
  return text.length <= MAX_EMAIL_CHARS && text.indexOf('@') <= 64 && EMAIL.test(text);
}
