import { isSecret, type PasskeyAnswer, SIGN_IN_LINK_MS } from '@svc/protocol';
import { createSecret, secretSha256 } from '../../crypto/secrets.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Mailer } from '../../platform/mail.ts';
import { signInMail } from '../users/mails.ts';
import type { UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import type { PasskeyService } from './passkeys.ts';
import type { Browser, Person, SessionService, StartedSession } from './service.ts';

/** Links by mail that may be open at one time for a user; a further request sends nothing. */
const MAX_OPEN_LINKS = 5;
/** Requests for links that are carried out at one time; beyond them everybody gets 503. */
const MAX_UNDER_WAY = 50;

/** The browser that signs in. */
export interface Visitor {
  readonly browser: Browser;
  /** The session's secret that it had before. */
  readonly former: string | null;
}

export type SignInService = ReturnType<typeof createSignInService>;

export function createSignInService(
  o: Uses<'database' | 'ids' | 'clock' | 'random'> & {
    readonly sessionService: SessionService;
    readonly passkeys: PasskeyService;
    readonly users: UserStore;
    readonly mailer: Mailer | null;
    readonly dashboardUrl: string | null;
    /** Told of a mail that was not sent. */
    readonly onError: (error: unknown) => void;
  },
) {
  const now = () => new Date(o.clock.now());
  const underWay = new Set<Promise<void>>();

  async function sendLinks(mailer: Mailer, dashboardUrl: string, email: string, language: string | null) {
    const users = await o.users.enabledWithEmail(email);
    const links: { readonly accountName: string; readonly url: string }[] = [];
    for (const user of users) {
      const { secret, sha256 } = createSecret(o.random, 'svcl');
      const { accountId, userId } = user;
      const expiresAt = new Date(o.clock.now() + SIGN_IN_LINK_MS);
      const added = await o.database.transaction(async (tx) => {
        // Locked, so that requests at once cannot exceed the number.
        if (!(await o.users.lock(tx, accountId))) return false;
        if ((await o.users.openLinks(tx, user, 'mail', now())) >= MAX_OPEN_LINKS) return false;
        const linkId = o.ids.nextUuid();
        await o.users.addLink(tx, { accountId, userId, linkId, sha256, purpose: 'mail', expiresAt });
        return true;
      });
      if (added) links.push({ accountName: user.accountName, url: `${dashboardUrl}invitation#${secret}` });
    }
    const [first] = users;
    if (first === undefined || links.length === 0) return;
    await mailer.send(signInMail({ email, language: first.language ?? language, links }));
  }

  return {
    /** @throws ServiceError 'sign-in-failed', 'account-suspended' or 'sign-in-unavailable' */
    async withPasskey({ browser, former }: Visitor, answer: PasskeyAnswer): Promise<StartedSession> {
      const used = await o.passkeys.verifySignIn(answer);
      if (used === null) throw new ServiceError('sign-in-failed');
      return o.database.transaction(async (tx) => {
        const isFirst = await o.passkeys.noteUse(tx, used);
        const started = isFirst
          ? await o.sessionService.start(tx, used.passkey, { way: 'passkey', browser, former })
          : null;
        if (started === null) throw new ServiceError('sign-in-failed');
        return started;
      });
    },
    /** @throws ServiceError 'passkey-refused' or 'sign-in-unavailable' */
    async confirm(person: Person, answer: PasskeyAnswer): Promise<Person> {
      const used = await o.passkeys.verifyConfirmation(person, answer);
      if (used === null) throw new ServiceError('passkey-refused');
      return o.database.transaction(async (tx) => {
        if (!(await o.passkeys.noteUse(tx, used))) throw new ServiceError('passkey-refused');
        return o.sessionService.confirm(tx, person);
      });
    },
    /** @throws ServiceError 'link-invalid' or 'account-suspended' */
    async withLink({ browser, former }: Visitor, token: string): Promise<StartedSession> {
      if (!isSecret('svcl', token)) throw new ServiceError('link-invalid');
      return o.database.transaction(async (tx) => {
        const link = await o.users.takeLink(tx, secretSha256(token), now());
        if (link === null) throw new ServiceError('link-invalid');
        // The person is in: what else was sent has no use any more.
        await o.users.removeLinks(tx, link);
        const started = await o.sessionService.start(tx, link, { way: link.purpose, browser, former });
        if (started === null) throw new ServiceError('link-invalid');
        return started;
      });
    },
    /**
     * Mails a link to each user with this address. Returns at once and does everything later, so that an answer tells
     * nothing about the address, by its time neither.
     * @throws ServiceError 'sign-in-unavailable' or 'overloaded'
     */
    requestLink(email: string, language: string | null): void {
      const { mailer, dashboardUrl } = o;
      if (mailer === null || dashboardUrl === null) throw new ServiceError('sign-in-unavailable');
      if (underWay.size >= MAX_UNDER_WAY) throw new ServiceError('overloaded');
      const work = sendLinks(mailer, dashboardUrl, email.toLowerCase(), language)
        .catch(o.onError)
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },
    /** Waits for the mails under way. */
    async close(): Promise<void> {
      await Promise.all(underWay);
    },
  };
}
