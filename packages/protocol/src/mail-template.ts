import * as z from 'zod';
import { MAX_MAIL_SUBJECT_CODE_POINTS, MAX_MAIL_TEXT_CODE_POINTS } from './limits.ts';
import { isText } from './text.ts';

/**
 * What a mail's template may name, in braces: the event, the organiser as guests know it, the guest link, until when it
 * can be used, and the address of the organiser's privacy notice.
 */
export const mailPlaceholders = ['event', 'organiser', 'link', 'deadline', 'privacy'] as const;
export type MailPlaceholder = (typeof mailPlaceholders)[number];

/** Subject and text of a mail in one language, with placeholders. */
export interface MailTemplate {
  readonly subject: string;
  readonly text: string;
}

/** Words in braces; braces around anything else stay as they are. */
const PLACEHOLDER = /\{([A-Za-z_]+)\}/g;
const namesIn = (template: string) => [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
const isKnown = (name: string): name is MailPlaceholder => (mailPlaceholders as readonly string[]).includes(name);
const KNOWN = mailPlaceholders.map((name) => `{${name}}`).join(', ');

/** Line breaks and other control characters, with which a header could be continued. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** The same, except for tabs and the line breaks of a text. */
const CONTROL_IN_TEXT = /[^\P{Cc}\t\r\n]/u;

/**
 * A mail's subject and text, which holds the link. Only known placeholders are allowed, so that a misspelt one is not
 * sent to guests.
 */
export const mailTemplateSchema = z.object({
  subject: z
    .string()
    .refine((text) => isText(text, MAX_MAIL_SUBJECT_CODE_POINTS) && /\S/.test(text) && !CONTROL.test(text), {
      error: `must be one line of 1 to ${MAX_MAIL_SUBJECT_CODE_POINTS} characters, without control characters`,
    })
    .refine((text) => namesIn(text).every((name) => isKnown(name) && name !== 'link'), {
      error: `may name ${KNOWN} in braces, except the link`,
    })
    .meta({ minLength: 1, maxLength: MAX_MAIL_SUBJECT_CODE_POINTS, pattern: '\\S' }),
  text: z
    .string()
    .refine((text) => isText(text, MAX_MAIL_TEXT_CODE_POINTS) && !CONTROL_IN_TEXT.test(text), {
      error: `must be 1 to ${MAX_MAIL_TEXT_CODE_POINTS} characters, without control characters but line breaks`,
    })
    .refine((text) => namesIn(text).every(isKnown), { error: `may name ${KNOWN} in braces` })
    .refine((text) => namesIn(text).includes('link'), { error: 'must hold {link}' })
    .meta({ minLength: 1, maxLength: MAX_MAIL_TEXT_CODE_POINTS, description: 'plain text; holds `{link}`' }),
});

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
