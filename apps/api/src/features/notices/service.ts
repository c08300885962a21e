import {
  type ApiKeyScope,
  DAY_MS,
  HOUR_MS,
  LEASE_MS,
  MINUTE_MS,
  type NoticeKind,
  roleScopes,
  SYNC_DUE_MS,
  userRoles,
} from '@svc/protocol';
import { MailError, type Mailer } from '../../platform/mail.ts';
import type { AccountCaller } from '../accounts/service.ts';
import { noticeMail } from '../users/mails.ts';
import type { UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import type { NoticeRecord, NoticeStore, NoticeTimes } from './store.ts';

/** Longer than the mails of one account take, timeouts included. They are due again then, unless they were told. */
const CLAIM_MS = 2 * MINUTE_MS;
/** How long something that lasts is not told again: longer than it is told at all. */
const TOLD_MS = 90 * DAY_MS;
/** What has been so for longer is known, as after an update. */
const NEWS_MS = 30 * DAY_MS;
/** How long before its end a lease is told of. */
const LEASE_SOON_MS = 2 * HOUR_MS;
/** Replies from here on are permanent (RFC 5321, section 4.2.1). */
const REFUSED = 500;
/** Whose mail it is: who can do something about it. Whoever may read the same sees it in the dashboard. */
const RESOURCES = {
  'door-offline': 'devices',
  'lease-ending': 'devices',
  'enrolment-goal': 'lists',
  'webhook-failing': 'webhooks',
} as const;

/**
 * What an organiser should know now: shown in the dashboard as long as it is so, and told once by mail, all of an account
 * in one. The doors of ongoing lists may be silent and stop, for nobody knows when people come there.
 */
export function createNoticeService(
  o: Uses<'clock'> & {
    readonly store: NoticeStore;
    readonly userStore: Pick<UserStore, 'active'>;
    readonly dashboardUrl: string | null;
  },
) {
  function timesNow(): NoticeTimes {
    const at = (ms: number) => new Date(o.clock.now() + ms);
    return {
      ...{ now: at(0), silentSince: at(-SYNC_DUE_MS), soon: at(DAY_MS), failingSince: at(-HOUR_MS) },
      ...{ leaseOver: at(-LEASE_MS), leaseSoon: at(LEASE_SOON_MS - LEASE_MS), toldSince: at(-NEWS_MS) },
    };
  }

  async function noticesOf(accountId: string, mayKnow: (kind: NoticeKind) => boolean): Promise<NoticeRecord[]> {
    const notices = (await o.store.of(accountId, timesNow())).filter(({ kind }) => mayKnow(kind));
    // The path of a webhook's address may hold a secret.
    return notices.map((each) => (each.listId === null ? { ...each, subject: new URL(each.subject).host } : each));
  }

  /** Recipients whom the mail server refuses are not asked again. @throws MailError when no mail server answered */
  async function tellOf(accountId: string, mailer: Pick<Mailer, 'send'>): Promise<void> {
    const now = new Date(o.clock.now());
    const { toldSince } = timesNow();
    const all = (await noticesOf(accountId, () => true)).filter(({ since }) => since === null || since > toldSince);
    const until = new Date(now.getTime() + CLAIM_MS);
    const causes = await o.store.claim(
      accountId,
      all.map(({ cause }) => cause),
      now,
      until,
    );
    const mine = all
      .filter(({ cause }) => causes.has(cause))
      .sort((one, other) => Number(one.since) - Number(other.since));
    if (mine.length === 0) return;
    const people = await o.userStore.active(accountId, userRoles);
    const mails = people.flatMap((person) => {
      const scopes: readonly ApiKeyScope[] = roleScopes[person.role];
      const own = mine.filter(
        ({ kind }) => scopes.includes(`${RESOURCES[kind]}:write`) && !person.mutedNotices.includes(kind),
      );
      return own.length === 0 ? [] : [noticeMail({ ...person, notices: own, now, dashboardUrl: o.dashboardUrl })];
    });
    const sent = await Promise.allSettled(mails.map((mail) => mailer.send(mail)));
    const failed = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    const [later] = failed.filter((error) => !(error instanceof MailError && (error.reply ?? 0) >= REFUSED));
    if (later === undefined || failed.length < sent.length)
      await o.store.settle(accountId, [...causes], now, new Date(now.getTime() + TOLD_MS));
    else if (!(later instanceof MailError) || later.reply === null) throw later;
  }

  return {
    /** What the caller may know, the newest first. */
    list: ({ accountId, rights: { scopes } }: AccountCaller): Promise<NoticeRecord[]> =>
      noticesOf(accountId, (kind) => scopes === null || scopes.includes(`${RESOURCES[kind]}:read`)),
    /** @throws MailError */
    async tell(mailer: Pick<Mailer, 'send'>): Promise<void> {
      let failed: unknown;
      for (const accountId of await o.store.accounts(timesNow())) {
        try {
          await tellOf(accountId, mailer);
        } catch (error) {
          failed = error;
          // Without a mail server the others would wait for nothing.
          if (error instanceof MailError && error.reply === null) break;
        }
      }
      if (failed !== undefined) throw failed;
    },
  };
}

export type NoticeService = ReturnType<typeof createNoticeService>;
