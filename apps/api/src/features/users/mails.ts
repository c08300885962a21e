import { DAY_MS, INVITATION_MS, MINUTE_MS, noticeKinds, SIGN_IN_LINK_MS, SYNC_DUE_MS } from '@svc/protocol';
import type { Mail } from '../../platform/mail.ts';
import type { NoticeRecord } from '../notices/store.ts';
import { plain, wordsIn } from './texts.ts';

/** What an organiser should know, told to one person. */
export interface NoticeMail {
  readonly email: string;
  readonly name: string;
  readonly language: string | null;
  readonly now: Date;
  /** Ends with a slash; null where it is not known. */
  readonly dashboardUrl: string | null;
  readonly notices: readonly NoticeRecord[];
}

/** @param paragraphs empty ones are left out */
const mailOf = (to: string, language: string, subject: string, paragraphs: readonly string[]): Mail => ({
  ...{ to, subject, text: `${paragraphs.filter(Boolean).join('\n\n')}\n` },
  headers: { 'Content-Language': language },
});

export function invitationMail(o: {
  readonly email: string;
  readonly name: string;
  readonly language: string | null;
  readonly accountName: string;
  readonly url: string;
}): Mail {
  const { language, say, span } = wordsIn(o.language);
  const account = o.accountName;
  return mailOf(o.email, language, say('invitation.subject', { account }), [
    say('hello-to', { name: o.name }),
    say('invitation', { account }),
    o.url,
    `${say('once', { time: span(INVITATION_MS / DAY_MS, 'day') })} ${say('invitation.unexpected')}`,
  ]);
}

/** @param links one for each account that has a user with this address */
export function signInMail(o: {
  readonly email: string;
  readonly language: string | null;
  readonly links: readonly { readonly accountName: string; readonly url: string }[];
}): Mail {
  const { language, say, span } = wordsIn(o.language);
  return mailOf(o.email, language, say('sign-in.subject'), [
    say('hello'),
    say('sign-in'),
    // One link alone needs no name before it.
    ...o.links.map(({ accountName, url }) => (o.links.length === 1 ? url : `${plain(accountName)}:\n${url}`)),
    `${say('once', { time: span(SIGN_IN_LINK_MS / MINUTE_MS, 'minute') })} ${say('sign-in.unexpected')}`,
  ]);
}

const PAGES = { 'door-offline': 'doors', 'lease-ending': 'doors', 'enrolment-goal': '', 'webhook-failing': '' };

/** Where in the dashboard something can be done about it. */
function pageOf({ kind, eventId, listId }: NoticeRecord): string {
  if (listId === null) return 'webhooks';
  return `${eventId === null ? `lists/${listId}` : `events/${eventId}`}/${PAGES[kind]}`;
}

export function noticeMail({ email, now, dashboardUrl, notices, ...o }: NoticeMail): Mail {
  const { language, say, span, at } = wordsIn(o.language);
  const places = new Map<string, string[]>();
  for (const notice of notices) {
    const { kind, subject, timeZone, since, until } = notice;
    const head = [plain(notice.place ?? ''), dashboardUrl && dashboardUrl + pageOf(notice)].filter(Boolean).join('\n');
    const key = kind === 'door-offline' && until !== null && until <= now ? `${kind}.stopped` : kind;
    const values = { subject, since: since ? at(since, timeZone) : '', until: until ? at(until, timeZone) : '' };
    places.set(head, [...(places.get(head) ?? []), `- ${say(key, values)}`]);
  }
  const kinds = noticeKinds.filter((kind) => notices.some((notice) => notice.kind === kind));
  const heads = kinds.map((kind) => {
    const [first, ...others] = notices.filter((notice) => notice.kind === kind);
    const count = others.length + 1;
    return say(`${kind}.subject`, { doors: count === 1 ? (first?.subject ?? '') : say('doors', { count }) });
  });
  const [place, ...others] = new Set(notices.map((notice) => plain(notice.place ?? '')));
  return mailOf(email, language, heads.join(' · ') + (place && others.length === 0 ? ` (${place})` : ''), [
    say('hello-to', { name: o.name }),
    ...[...places].map(([head, own]) => [head, ...own].filter(Boolean).join('\n')),
    ...kinds.map((kind) => say(`${kind}.advice`, { time: span(SYNC_DUE_MS / MINUTE_MS, 'minute') })),
    say('choice') + (dashboardUrl === null ? '' : `\n${dashboardUrl}me`),
  ]);
}
