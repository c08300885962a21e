import { MINUTE_MS, roleScopes, SYNC_DUE_MS, userRoles } from '@svc/protocol';
import { MailError, type Mailer } from '../../platform/mail.ts';
import { silenceMail } from '../users/mails.ts';
import type { UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import { leaseEndOf } from './service.ts';
import type { SilenceStore, SilentDoor } from './store.ts';

/** Longer than the mails of one account take, timeouts included. They are due again then, unless they were told. */
const CLAIM_MS = 2 * MINUTE_MS;
/** Replies from here on are permanent (RFC 5321, section 4.2.1). */
const REFUSED = 500;
/** Who can do something about a door. */
const ROLES = userRoles.filter((role) => roleScopes[role].includes('devices:write'));

/**
 * Tells by mail of doors that fall silent while their events run: each silence once, all of an account in one mail. The
 * doors of ongoing lists are left out, for nobody knows when people come there.
 */
export function createSilenceTeller(
  o: Uses<'clock'> & {
    readonly store: SilenceStore;
    readonly userStore: Pick<UserStore, 'active'>;
    readonly mailer: Pick<Mailer, 'send'>;
    readonly dashboardUrl: string | null;
  },
) {
  function toLine({ name, deviceId, lastSyncAt: since, expiresAt, eventId, ...event }: SilentDoor) {
    const until = leaseEndOf({ lastSyncAt: since, expiresAt }) ?? since;
    return {
      // As the dashboard and the door's own screen call it.
      name: name ?? deviceId.slice(-6),
      ...{ since, until, hasStopped: until.getTime() <= o.clock.now() },
      eventName: event.eventName,
      timeZone: event.timeZone ?? 'UTC',
      url: o.dashboardUrl && `${o.dashboardUrl}events/${eventId}/doors`,
    };
  }

  function timesNow() {
    const at = (ms: number) => new Date(o.clock.now() + ms);
    return { now: at(0), silentSince: at(-SYNC_DUE_MS), leaseUntil: at(CLAIM_MS) };
  }

  /** Recipients whom the mail server refuses are not asked again. @throws MailError when no mail server answered */
  async function tellOf(accountId: string): Promise<void> {
    const times = timesNow();
    const doors = await o.store.claim(accountId, times);
    if (doors.length === 0) return;
    const people = await o.userStore.active(accountId, ROLES);
    const lines = doors.map(toLine).sort((one, other) => one.since.getTime() - other.since.getTime());
    const sent = await Promise.allSettled(
      people.map((person) => o.mailer.send(silenceMail({ ...person, doors: lines }))),
    );
    const failed = sent.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    const [later] = failed.filter((error) => !(error instanceof MailError && (error.reply ?? 0) >= REFUSED));
    if (later === undefined || failed.length < sent.length) await o.store.settle(doors, times);
    else if (!(later instanceof MailError) || later.reply === null) throw later;
  }

  return {
    /** @throws MailError */
    async tell(): Promise<void> {
      let failed: unknown;
      for (const accountId of await o.store.accounts(timesNow())) {
        try {
          await tellOf(accountId);
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
