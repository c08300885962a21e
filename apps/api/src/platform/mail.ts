import { createTransport } from 'nodemailer';
import { isLoopbackHost } from '../config/settings.ts';

/** A mail to one person. */
export interface Mail {
  /** One address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Additional headers, for example `List-Unsubscribe`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends mails by the configured server. */
export type Mailer = NonNullable<ReturnType<typeof createMailer>>;

/** A mail was not taken. Its message has nothing of the mail; the server's own words may quote the address. */
export class MailError extends Error {
  override readonly name = 'MailError';
  /** The server's reply (RFC 5321); null when there was none. */
  readonly reply: number | null;

  constructor(reply: number | null, cause: unknown) {
    super(reply === null ? 'the mail server did not answer' : `the mail server answered ${reply}`, { cause });
    this.reply = reply;
  }
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

export const isRightToLeft = (language: string): boolean => /^(ar|dv|fa|he|ps|sd|ug|ur|yi)\b/i.test(language);

/** A text as HTML: its paragraphs, its addresses as links, nothing from elsewhere. */
export function htmlOf({ subject, text, headers }: Omit<Mail, 'to'>): string {
  const language = headers?.['Content-Language'] ?? '';
  const paragraph = (of: string) =>
    of
      .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
      .map((part, i) => (i % 2 === 0 ? escaped(part) : `<a href="${escaped(part)}">${escaped(part)}</a>`))
      .join('')
      .replaceAll('\n', '<br>\n');
  const paragraphs = text.trim().split(/\n{2,}/);
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>${escaped(subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1c2430;font:16px/1.5 system-ui,sans-serif">
<div lang="${escaped(language)}" dir="${isRightToLeft(language) ? 'rtl' : 'ltr'}"
style="max-width:36em;margin:0 auto;padding:8px 24px;background:#fff;border-radius:8px;overflow-wrap:anywhere">
${paragraphs.map((of) => `<p>${paragraph(of)}</p>`).join('\n')}
</div></body></html>
`;
}

const CONNECTIONS = 4;
const CONNECTING_MS = 10_000;
const SILENCE_MS = 20_000;

/** STARTTLS is required except to this machine, and where the address says otherwise. */
function needsTls(smtpUrl: string): boolean {
  const { protocol, hostname, searchParams } = new URL(smtpUrl);
  return protocol === 'smtp:' && !isLoopbackHost(hostname) && searchParams.get('requireTLS') !== 'false';
}

/** The reply code of a failed transaction. */
const replyOf = (error: unknown): number | null =>
  error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
    ? error.responseCode
    : null;

/** @param config null: none */
export function createMailer(config: { readonly smtpUrl: string; readonly from: string } | null) {
  if (config === null) return null;
  const transport = createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    url: config.smtpUrl,
    requireTLS: needsTls(config.smtpUrl),
    connectionTimeout: CONNECTING_MS,
    greetingTimeout: CONNECTING_MS,
    socketTimeout: SILENCE_MS,
    // A mail is made of texts only: nothing in one may name a file or an address to read.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    /** Resolves once the server has taken the mail. @throws MailError */
    async send(mail: Mail): Promise<void> {
      try {
        await transport.sendMail({
          from: config.from,
          // As an object, so that no character of it starts another address.
          to: { name: '', address: mail.to },
          ...{ subject: mail.subject, text: mail.text, html: htmlOf(mail) },
          headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
        });
      } catch (error) {
        throw new MailError(replyOf(error), error);
      }
    },
    close: (): void => transport.close(),
  };
}
