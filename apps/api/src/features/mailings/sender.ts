import { setTimeout as pause } from 'node:timers/promises';
import {
  fillMail,
  formatDeadline,
  HOUR_MS,
  MINUTE_MS,
  mailLanguage,
  type SkipReason,
  skipReasons,
} from '@svc/protocol';
import { type AccountVault, withAccountVault } from '../../crypto/account-vault.ts';
import { KeyShreddedError } from '../../crypto/key-ring.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { ServiceError } from '../../platform/errors.ts';
import { MailError, type Mailer } from '../../platform/mail.ts';
import { type AccountCaller, ALL_RIGHTS } from '../accounts/service.ts';
import type { IssuedToken, TokenIssuer } from '../tokens/issuer.ts';
import type { TokenStore } from '../tokens/store.ts';
import type { Uses } from '../uses.ts';
import { type Address, recipientId } from './service.ts';
import type { AttemptEnd, ClaimedRecipient, MailingStore } from './store.ts';
import { mailTexts } from './texts.ts';

/** Pauses after the first, second, … attempt that was put off, as by greylisting: about half a day in total. */
const PAUSES_MS = [5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, 3 * HOUR_MS, 8 * HOUR_MS] as const;
/** Recipients that are claimed together. After a kill the others of them wait until the lease ends. */
const CLAIMED_AT_ONCE = 5;
/** Longer than the mails of one claim take, timeouts included. */
const LEASE_MS = 5 * MINUTE_MS;
/** Of the lease, what an attempt may need: with less it is left to the next run. */
const ATTEMPT_MS = MINUTE_MS;
/** After trouble with the mail server itself. */
const SERVER_PAUSE_MS = MINUTE_MS;
/** A run ends after this time, so that another node may take the next one. */
const RUN_MS = 5 * MINUTE_MS;

/** What sends a mail. */
export type MailTransport = Pick<Mailer, 'send'>;

/** What a failed sending says: for good, for now, or nothing about this recipient. */
interface MailFailure {
  readonly kind: 'refused' | 'later' | 'server';
  /** The server's codes (RFC 5321, RFC 3463), never its words, which may name the recipient. */
  readonly smtpStatus: string | null;
}

/**
 * Reads an error of the {@link Mailer}, which has nodemailer's as its cause. A refused sender, login or connection
 * concerns every mail; an answer to the recipient or to the message itself concerns this one.
 */
export function readFailure(error: unknown): MailFailure {
  const answer = error instanceof MailError ? error.cause : error;
  const { code, command, responseCode, response } = (answer ?? {}) as Record<string, unknown>;
  const status = typeof responseCode === 'number' && responseCode >= 400 && responseCode <= 599 ? responseCode : null;
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(typeof response === 'string' ? response : '')?.[1];
  const smtpStatus = status === null ? null : [status, enhanced].filter((part) => part !== undefined).join(' ');
  const isAboutMail =
    status !== null &&
    status !== 421 &&
    ((code === 'EENVELOPE' && command !== 'MAIL FROM') || code === 'EMESSAGE' || command === 'DATA');
  // Not even sent: the library does not accept the address or the text.
  if (status === null && (code === 'EENVELOPE' || code === 'EMESSAGE')) return { kind: 'refused', smtpStatus };
  if (!isAboutMail) return { kind: 'server', smtpStatus };
  return { kind: status >= 500 ? 'refused' : 'later', smtpStatus };
}

const isSkipReason = (code: string): code is SkipReason => (skipReasons as readonly string[]).includes(code);
/** Errors of an event that takes nobody, by the reason that a recipient is skipped for. */
const reasonOf = (code: string): SkipReason | null => {
  if (isSkipReason(code)) return code;
  return code === 'event-without-list' || code === 'widget-settings-missing' ? 'not-found' : null;
};

/** Sends the mails of mailings, one after the other. */
export type MailingSender = ReturnType<typeof createMailingSender>;

export interface MailingSenderParts extends Uses<'database' | 'keyRing' | 'clock' | 'random'> {
  readonly store: MailingStore;
  readonly tokenStore: Pick<TokenStore, 'revoke'>;
  readonly issuer: TokenIssuer;
  readonly transport: MailTransport;
  readonly metrics: Pick<Metrics, 'mailFinished'>;
  readonly mailsPerMinute: number;
  /** Domain of Message-IDs. */
  readonly domain: string;
}

export function createMailingSender(o: MailingSenderParts) {
  const stopping = new AbortController();
  let lastAt = Number.NEGATIVE_INFINITY;
  /** After trouble with the mail server nobody's mail is tried until then. */
  let pausedUntil = 0;

  /** Waits until the next mail may be sent; at once when it is to stop. */
  async function pace(): Promise<void> {
    const waitMs = lastAt + MINUTE_MS / o.mailsPerMinute - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    lastAt = performance.now();
  }

  const callerOf = (accountId: string): AccountCaller => ({
    ...{ accountId, keyId: 'mailing', rights: ALL_RIGHTS, actor: { kind: 'system' } as const },
    // No link depends on them; a test account sends no mail.
    ...{ country: null, billingCurrency: 'EUR', mode: 'live' },
  });

  /** A link for this attempt alone: of earlier ones only hashes are kept. @returns why none is made */
  async function issue(
    vault: AccountVault,
    claimed: ClaimedRecipient,
    ticketId: string,
  ): Promise<IssuedToken | SkipReason> {
    const { accountId, eventId, ticketRef, validForHours } = claimed;
    try {
      return await o.database.transaction(async (tx) => {
        const open = await o.issuer.open(tx, callerOf(accountId), eventId);
        const now = new Date(o.clock.now());
        if ((await o.store.enrolled(open.list, [ticketId], now, tx)).size > 0) return 'enrolled';
        if ((await o.store.declined(open.list, [ticketRef], tx)).size > 0) return 'declined';
        return o.issuer.issue(tx, vault, open, { ticketId, validityMs: validForHours * HOUR_MS, guestLink: true });
      });
    } catch (error) {
      const reason = error instanceof ServiceError ? reasonOf(error.code) : null;
      if (reason === null) throw error;
      return reason;
    }
  }

  function compose(claimed: ClaimedRecipient, address: Address, { secret, expiresAt }: IssuedToken) {
    const { texts, defaultLanguage, timeZone, replyTo, mailingId, position } = claimed;
    const kind = claimed.isReminder ? 'reminder' : 'invitation';
    const offered = [...Object.keys(texts), ...Object.keys(mailTexts)];
    const fallback = mailLanguage(defaultLanguage, offered, 'en');
    const language = mailLanguage(address.language, offered, fallback);
    const own = Object.entries(texts).find(([tag]) => tag === language)?.[1];
    const template = own ?? (mailTexts[language] ?? mailTexts.en)?.[kind];
    if (template === undefined) throw new Error('there is no text for a mail');
    const filled = fillMail(template, {
      event: claimed.eventName,
      organiser: claimed.organiserName ?? '',
      link: o.issuer.linkOf(secret),
      deadline: formatDeadline(expiresAt, language, timeZone),
      privacy: claimed.privacyNoticeUrl ?? '',
    });
    return {
      to: address.email,
      ...filled,
      headers: {
        // The same for each attempt: mail systems that know it drop a second copy.
        'Message-ID': `<${mailingId}.${position}@${o.domain}>`,
        'Content-Language': language,
        ...(replyTo === null
          ? {}
          : { 'Reply-To': replyTo, 'List-Unsubscribe': `<mailto:${replyTo}?subject=unsubscribe>` }),
      },
    };
  }

  /** @returns null for trouble of the mail server itself */
  async function deliver(claimed: ClaimedRecipient, address: Address, token: IssuedToken): Promise<AttemptEnd | null> {
    try {
      await o.transport.send(compose(claimed, address, token));
      return { state: 'sent', at: new Date(o.clock.now()) };
    } catch (error) {
      const { kind, smtpStatus } = readFailure(error);
      if (kind === 'server') throw error;
      // Nobody has the link of a mail that was not taken.
      await o.database.transaction((tx) =>
        o.tokenStore.revoke(tx, { ...claimed, tokenId: token.tokenId }, new Date(o.clock.now())),
      );
      if (kind === 'refused') return { state: 'bounced', smtpStatus };
      const pauseMs = PAUSES_MS[claimed.attempts - 1];
      return pauseMs === undefined
        ? { state: 'failed', smtpStatus }
        : { state: 'waiting', smtpStatus, nextAttemptAt: new Date(o.clock.now() + pauseMs) };
    }
  }

  async function attempt(claimed: ClaimedRecipient): Promise<AttemptEnd | null> {
    const { ticketIdSealed, addressSealed, mailingId, position } = claimed;
    const work = async (vault: AccountVault): Promise<AttemptEnd | null> => {
      const id = recipientId(mailingId, position);
      const ticketId = ticketIdSealed && vault.openTicketId(id, ticketIdSealed);
      const sealed = addressSealed && vault.openAddress(id, addressSealed);
      if (ticketId === null || sealed === null) return { state: 'skipped', reason: 'erased' };
      const token = await issue(vault, claimed, ticketId);
      if (typeof token === 'string') return { state: 'skipped', reason: token };
      return deliver(claimed, JSON.parse(sealed) as Address, token);
    };
    return withAccountVault(o, claimed.accountId, work).catch((error: unknown) => {
      if (error instanceof KeyShreddedError) return { state: 'skipped', reason: 'erased' };
      throw error;
    });
  }

  async function send(claimed: ClaimedRecipient): Promise<void> {
    const startedAt = performance.now();
    let outcome: AttemptEnd['state'] | 'server' = 'server';
    try {
      const end = await attempt(claimed);
      if (end === null) return;
      outcome = end.state;
      await o.store.end(claimed, end);
    } catch (error) {
      pausedUntil = o.clock.now() + SERVER_PAUSE_MS;
      await o.store.giveBack(claimed, new Date(pausedUntil));
      throw error;
    } finally {
      o.metrics.mailFinished({ outcome, seconds: (performance.now() - startedAt) / 1_000 });
    }
  }

  /** @returns whether there was anything to send */
  async function sendSome(): Promise<boolean> {
    const leaseUntil = o.clock.now() + LEASE_MS;
    const claimed = await o.store.claim(new Date(o.clock.now()), new Date(leaseUntil), CLAIMED_AT_ONCE);
    let trouble: { readonly error: unknown } | null = null;
    for (const recipient of claimed) {
      if (trouble === null) await pace();
      const isLate = o.clock.now() > leaseUntil - ATTEMPT_MS;
      if (trouble !== null || stopping.signal.aborted || isLate) {
        if (!isLate) await o.store.giveBack(recipient, new Date(o.clock.now()));
        continue;
      }
      await send(recipient).catch((error: unknown) => {
        trouble = { error };
      });
    }
    if (trouble !== null) throw (trouble as { error: unknown }).error;
    return claimed.length > 0;
  }

  return {
    /**
     * Sends what is due, for some minutes at most. A job: a run that overlaps with another one sends nothing twice.
     * @throws Error when the mail server does not take mail; no recipient loses an attempt by it
     */
    async run(): Promise<void> {
      const until = performance.now() + RUN_MS;
      while (!stopping.signal.aborted && performance.now() < until && o.clock.now() >= pausedUntil) {
        if (!(await sendSome())) return;
      }
    },
    /** The mail that is being sent is the last one. */
    stop: (): void => stopping.abort(),
  };
}
