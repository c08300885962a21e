import type { MailTemplate, MailTexts } from '@svc/protocol';
import texts from './texts.json' with { type: 'json' };

/** What guests are written in one language. */
export interface MailText {
  readonly invitation: MailTemplate;
  readonly reminder: MailTemplate;
}

type MailSource = (typeof texts)['en'];

function textOf({ greeting, link, photo, farewell, invitation, reminder }: MailSource): MailText {
  const write = ({ subject, offer, choice }: MailSource['invitation']): MailTemplate => ({
    subject,
    text: [greeting, offer, '{link}', link, choice, photo, `${farewell}\n{organiser}`].join('\n\n'),
  });
  return { invitation: write(invitation), reminder: write(reminder) };
}

/** Of mailings without texts of their own; the languages of the widget. */
export const mailTexts: Readonly<Record<string, MailText>> = Object.fromEntries(
  Object.entries(texts).map(([language, text]) => [language, textOf(text)]),
);

/** The texts as the API answers them. */
export function listMailTexts(): MailTexts {
  return { items: Object.entries(mailTexts).map(([language, text]) => ({ language, ...text })) };
}
