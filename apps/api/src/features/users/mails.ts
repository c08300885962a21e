import { DAY_MS, formatDeadline, INVITATION_MS, MINUTE_MS, SIGN_IN_LINK_MS, SYNC_DUE_MS } from '@svc/protocol';
import type { Mail } from '../../platform/mail.ts';

type Text = Pick<Mail, 'subject' | 'text'>;

interface Words {
  readonly invitation: (o: { readonly accountName: string; readonly name: string; readonly url: string }) => Text;
  readonly signIn: (links: readonly { readonly accountName: string; readonly url: string }[]) => Text;
  /** @param o.of the event, where there is one @param o.lines events with their doors */
  readonly silence: (
    o: Pick<SilenceMail, 'name' | 'doors'> & { readonly of: string | null; readonly lines: string },
  ) => Text;
  readonly door: (o: Readonly<Record<'name' | 'since' | 'until', string>> & { readonly hasStopped: boolean }) => string;
}

/** Doors that are silent while their events run, told to one person. */
export interface SilenceMail {
  readonly email: string;
  readonly name: string;
  readonly language: string | null;
  readonly doors: readonly {
    readonly name: string;
    readonly since: Date;
    /** When it stops letting guests in. */
    readonly until: Date;
    readonly hasStopped: boolean;
    readonly eventName: string;
    /** Of the event's place. */
    readonly timeZone: string;
    /** The doors of its event in the dashboard; null where it has no address. */
    readonly url: string | null;
  }[];
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

you have been invited to the check-in dashboard of ${accountName}. This link signs you in and then lets you set up a passkey for the next time:

${url}

It works once, within ${DAYS} days. If you did not expect this mail, ignore it: nothing happens without the link.
`,
  }),
  signIn: (links) => ({
    subject: 'Your link to sign in',
    text: `Hello,

you asked for a link to sign in to the check-in dashboard:

${listOf(links)}

It works once, within ${MINUTES} minutes. If it was not you who asked, ignore this mail: nobody gets in without the link.
`,
  }),
  silence: ({ name, doors, of, lines }) => ({
    subject: `${doors.length === 1 ? `${doors[0]?.name} is silent` : `${doors.length} doors are silent`}${of === null ? '' : `: ${of}`}`,
    text: `Hello ${name},

${doors.length === 1 ? 'a door has' : `${doors.length} doors have`} not been in touch for more than ${SILENT_MINUTES} minutes:

${lines}

Please see whether the device is on, its check-in page is open and it has a connection. Until it is back, it does not know who enrols or withdraws meanwhile. If it does not work at all, let guests in by their tickets or at another door.

You get one mail for each silence: no other one comes until the door has been back.
`,
  }),
  door: ({ name, since, until, hasStopped }) =>
    `- ${name}: silent since ${since}; ${hasStopped ? 'it has let nobody in since' : 'it lets guests in offline until'} ${until}`,
};

const de: Words = {
  invitation: ({ accountName, name, url }) => ({
    subject: `Ihre Einladung zum Check-in-Dashboard von ${accountName}`,
    text: `Guten Tag ${name},

Sie sind zum Check-in-Dashboard von ${accountName} eingeladen. Über diesen Link melden Sie sich an und richten danach einen Passkey für das nächste Mal ein:

${url}

Er gilt ${DAYS} Tage und nur einmal. Wenn Sie diese Mail nicht erwartet haben, lassen Sie sie einfach liegen: Ohne den Link passiert nichts.
`,
  }),
  signIn: (links) => ({
    subject: 'Ihr Link zum Anmelden',
    text: `Guten Tag,

hier ist Ihr Link zum Anmelden im Check-in-Dashboard:

${listOf(links)}

Er gilt ${MINUTES} Minuten und nur einmal. Wenn Sie ihn nicht angefordert haben, lassen Sie diese Mail einfach liegen: Ohne den Link kommt niemand hinein.
`,
  }),
  silence: ({ name, doors, of, lines }) => ({
    subject: `${doors.length === 1 ? `${doors[0]?.name} meldet sich nicht` : `${doors.length} Türen melden sich nicht`}${of === null ? '' : `: ${of}`}`,
    text: `Guten Tag ${name},

${doors.length === 1 ? 'eine Tür hat' : `${doors.length} Türen haben`} sich seit mehr als ${SILENT_MINUTES} Minuten nicht gemeldet:

${lines}

Bitte sehen Sie nach, ob das Gerät an ist, seine Check-in-Seite offen und die Verbindung da. Bis es sich wieder meldet, erfährt es nicht, wer sich inzwischen registriert oder widerruft. Geht gar nichts, lassen Sie Gäste mit ihren Tickets oder an einer anderen Tür ein.

Sie bekommen zu jedem Ausfall eine Mail: Die nächste kommt erst, wenn die Tür zwischendurch wieder da war.
`,
  }),
  door: ({ name, since, until, hasStopped }) =>
    `- ${name}: seit ${since} still; lässt ${hasStopped ? `seit ${until} niemanden` : `ohne Verbindung bis ${until}`} ein`,
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

export function silenceMail({ email, language, ...o }: SilenceMail): Mail {
  const words = wordsIn(language);
  const tag = words === de ? 'de' : 'en-GB';
  const events = new Map<string, string[]>();
  const doors = o.doors.map((door) => ({ ...door, name: plain(door.name) }));
  for (const { name, since, until, hasStopped, eventName, timeZone, url } of doors) {
    const [from, to] = [since, until].map((at) => formatDeadline(at, tag, timeZone)) as [string, string];
    const head = `${plain(eventName)}${url === null ? '' : `\n${url}`}`;
    events.set(head, [...(events.get(head) ?? []), words.door({ name, since: from, until: to, hasStopped })]);
  }
  const lines = [...events].map(([head, own]) => [head, ...own].join('\n')).join('\n\n');
  const of = events.size === 1 ? plain(doors[0]?.eventName ?? '') : null;
  return { to: email, ...words.silence({ name: plain(o.name), doors, of, lines }) };
}
