import {
  DAY_MS,
  formatDeadline,
  INVITATION_MS,
  MINUTE_MS,
  type NoticeKind,
  noticeKinds,
  SIGN_IN_LINK_MS,
  SYNC_DUE_MS,
} from '@svc/protocol';
import type { Mail } from '../../platform/mail.ts';
import type { NoticeRecord } from '../notices/store.ts';

type Text = Pick<Mail, 'subject' | 'text'>;

interface Words {
  readonly invitation: (o: { readonly accountName: string; readonly name: string; readonly url: string }) => Text;
  readonly signIn: (links: readonly { readonly accountName: string; readonly url: string }[]) => Text;
  /** What happened, in a few words. @param o.subject of the only one */
  readonly heads: Readonly<Record<NoticeKind, (o: { readonly count: number; readonly subject: string }) => string>>;
  readonly lines: Readonly<Record<NoticeKind, (o: NoticeLine) => string>>;
  readonly advice: Readonly<Partial<Record<NoticeKind, string>>>;
  readonly notices: (o: Readonly<Record<'name' | 'subject' | 'lines' | 'advice' | 'settings', string>>) => Text;
}

type NoticeLine = Readonly<Record<'subject' | 'since' | 'until', string>> & { readonly hasStopped: boolean };

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

const SILENT_MINUTES = SYNC_DUE_MS / MINUTE_MS;
const DAYS = INVITATION_MS / DAY_MS;
const MINUTES = SIGN_IN_LINK_MS / MINUTE_MS;

/** One link alone needs no name before it. */
const listOf = (links: Parameters<Words['signIn']>[0]) =>
  links.length === 1
    ? (links[0]?.url ?? '')
    : links.map(({ accountName, url }) => `${accountName}:\n${url}`).join('\n\n');

const en: Words = {
  invitation: ({ accountName, name, url }) => ({
    subject: `Your invitation to the check-in dashboard of ${accountName}`,
    text: `Hello ${name},

You have been invited to the check-in dashboard of ${accountName}. This link signs you in and then lets you set up a passkey for next time:

${url}

It works once and expires after ${DAYS} days. If you did not expect this email, ignore it: nothing happens unless the link is opened.
`,
  }),
  signIn: (links) => ({
    subject: 'Your sign-in link',
    text: `Hello,

Here is your link to sign in to the check-in dashboard:

${listOf(links)}

It works once and expires after ${MINUTES} minutes. If you did not ask for it, ignore this email: no one can sign in without the link.
`,
  }),
  heads: {
    'door-offline': ({ count, subject }) => (count === 1 ? `${subject} is silent` : `${count} doors are silent`),
    'lease-ending': ({ count, subject }) =>
      count === 1 ? `${subject} will stop soon` : `${count} doors will stop soon`,
    'enrolment-goal': () => 'Your enrolment goal is reached',
    'webhook-failing': () => 'A webhook is failing',
  },
  lines: {
    'door-offline': ({ subject, since, until, hasStopped }) =>
      `${subject}: silent since ${since}; ${hasStopped ? 'it has let no one in since' : 'it lets guests in offline until'} ${until}`,
    'lease-ending': ({ subject, until }) => `${subject}: lets no one in after ${until} unless it syncs`,
    'enrolment-goal': ({ subject }) => `${subject} people are enrolled`,
    'webhook-failing': ({ subject, since }) => `${subject}: has accepted nothing since ${since}, or is switched off`,
  },
  advice: {
    'door-offline': `A door counts as silent when it has not synced for more than ${SILENT_MINUTES} minutes. Please check that the device is on, its check-in page is open and it has a connection. Until it is back, it does not know who enrols or withdraws. If it does not work at all, check tickets instead or send guests to another door.`,
    'lease-ending': 'Before the device is needed, please open its check-in page where it has a connection.',
    'webhook-failing': 'Please check that your server is running. You can resend what it missed from the dashboard.',
  },
  notices: ({ name, subject, lines, advice, settings }) => ({
    subject,
    text: `Hello ${name},

${lines}
${advice}
You get one email for each of these. Choose which ones you get in your settings${settings}.
`,
  }),
};

const de: Words = {
  invitation: ({ accountName, name, url }) => ({
    subject: `Ihre Einladung zum Check-in-Dashboard von ${accountName}`,
    text: `Guten Tag ${name},

Sie sind zum Check-in-Dashboard von ${accountName} eingeladen. Über diesen Link melden Sie sich an und richten danach einen Passkey für das nächste Mal ein:

${url}

Er gilt ${DAYS} Tage und nur einmal. Wenn Sie diese Mail nicht erwartet haben, ignorieren Sie sie einfach: Solange niemand den Link öffnet, passiert nichts.
`,
  }),
  signIn: (links) => ({
    subject: 'Ihr Link zum Anmelden',
    text: `Guten Tag,

hier ist Ihr Link zum Anmelden im Check-in-Dashboard:

${listOf(links)}

Er gilt ${MINUTES} Minuten und nur einmal. Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese Mail einfach: Ohne den Link kann sich niemand anmelden.
`,
  }),
  heads: {
    'door-offline': ({ count, subject }) =>
      count === 1 ? `${subject} meldet sich nicht` : `${count} Türen melden sich nicht`,
    'lease-ending': ({ count, subject }) => (count === 1 ? `${subject} stoppt bald` : `${count} Türen stoppen bald`),
    'enrolment-goal': () => 'Ihr Registrierungsziel ist erreicht',
    'webhook-failing': () => 'Ein Webhook schlägt fehl',
  },
  lines: {
    'door-offline': ({ subject, since, until, hasStopped }) =>
      `${subject}: seit ${since} still; lässt ${hasStopped ? `seit ${until} niemanden` : `ohne Verbindung bis ${until}`} ein`,
    'lease-ending': ({ subject, until }) => `${subject}: lässt ohne Abgleich ab ${until} niemanden mehr ein`,
    'enrolment-goal': ({ subject }) => `${subject} Personen sind registriert`,
    'webhook-failing': ({ subject, since }) => `${subject}: hat seit ${since} nichts angenommen oder ist abgeschaltet`,
  },
  advice: {
    'door-offline': `Eine Tür gilt als still, wenn sie sich mehr als ${SILENT_MINUTES} Minuten nicht gemeldet hat. Bitte sehen Sie nach, ob das Gerät an ist, seine Check-in-Seite offen ist und es eine Verbindung hat. Bis es sich wieder meldet, erfährt es nicht, wer sich registriert oder widerruft. Geht gar nichts, prüfen Sie stattdessen die Tickets oder schicken Sie Gäste zu einer anderen Tür.`,
    'lease-ending':
      'Bitte öffnen Sie die Check-in-Seite des Geräts, wo es eine Verbindung hat, bevor es gebraucht wird.',
    'webhook-failing':
      'Bitte prüfen Sie, ob Ihr Server läuft. Was er verpasst hat, können Sie im Dashboard noch einmal senden.',
  },
  notices: ({ name, subject, lines, advice, settings }) => ({
    subject,
    text: `Guten Tag ${name},

${lines}
${advice}
Sie bekommen dazu jeweils eine Mail. Welche Sie bekommen, wählen Sie in Ihren Einstellungen${settings}.
`,
  }),
};

/** English where there is no other. */
const wordsIn = (language: string | null): Words => (/^de\b/i.test(language ?? '') ? de : en);

/** A name within a text, without what could pass for lines of it. */
const plain = (name: string) => name.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

export function invitationMail(o: {
  readonly email: string;
  readonly name: string;
  readonly language: string | null;
  readonly accountName: string;
  readonly url: string;
}): Mail {
  const named = { name: plain(o.name), accountName: plain(o.accountName), url: o.url };
  return { to: o.email, ...wordsIn(o.language).invitation(named) };
}

/** @param links one for each account that has a user with this address */
export function signInMail(o: {
  readonly email: string;
  readonly language: string | null;
  readonly links: readonly { readonly accountName: string; readonly url: string }[];
}): Mail {
  const links = o.links.map(({ accountName, url }) => ({ accountName: plain(accountName), url }));
  return { to: o.email, ...wordsIn(o.language).signIn(links) };
}

const PAGES = { 'door-offline': 'doors', 'lease-ending': 'doors', 'enrolment-goal': '', 'webhook-failing': '' };

/** Where in the dashboard something can be done about it. */
function pageOf({ kind, eventId, listId }: NoticeRecord): string {
  if (listId === null) return 'webhooks';
  return `${eventId === null ? `lists/${listId}` : `events/${eventId}`}/${PAGES[kind]}`;
}

export function noticeMail({ email, language, now, dashboardUrl, ...o }: NoticeMail): Mail {
  const words = wordsIn(language);
  const tag = words === de ? 'de' : 'en-GB';
  const notices = o.notices.map((each) => ({ ...each, subject: plain(each.subject) }));
  const places = new Map<string, string[]>();
  for (const notice of notices) {
    const { place, kind, subject, since, until } = notice;
    const [from, to] = [since, until].map((at) => at && formatDeadline(at, tag, notice.timeZone ?? 'UTC'));
    const head = [plain(place ?? ''), dashboardUrl && dashboardUrl + pageOf(notice)].filter(Boolean).join('\n');
    const line = { subject, since: from ?? '', until: to ?? '', hasStopped: until !== null && until <= now };
    places.set(head, [...(places.get(head) ?? []), `- ${words.lines[kind](line)}`]);
  }
  const kinds = noticeKinds.filter((kind) => notices.some((notice) => notice.kind === kind));
  const heads = kinds.map((kind) => {
    const own = notices.filter((notice) => notice.kind === kind);
    return words.heads[kind]({ count: own.length, subject: own[0]?.subject ?? '' });
  });
  const [of, ...others] = new Set(notices.map(({ place }) => plain(place ?? '')));
  const told = {
    name: plain(o.name),
    subject: heads.join(', ') + (of === undefined || of === '' || others.length > 0 ? '' : `: ${of}`),
    lines: [...places].map(([head, own]) => [head, ...own].filter(Boolean).join('\n')).join('\n\n'),
    advice: kinds
      .flatMap((kind) => words.advice[kind] ?? [])
      .map((text) => `\n${text}\n`)
      .join(''),
    settings: dashboardUrl === null ? '' : `: ${dashboardUrl}me`,
  };
  return { to: email, ...words.notices(told) };
}
