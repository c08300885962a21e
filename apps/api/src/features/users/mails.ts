import { DAY_MS, INVITATION_MS, MINUTE_MS, SIGN_IN_LINK_MS } from '@svc/protocol';
import type { Mail } from '../../platform/mail.ts';

interface Words {
  readonly invitation: (o: { readonly accountName: string; readonly name: string; readonly url: string }) => {
    readonly subject: string;
    readonly text: string;
  };
  readonly signIn: (links: readonly { readonly accountName: string; readonly url: string }[]) => {
    readonly subject: string;
    readonly text: string;
  };
}

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
