import { LEASE_MS, MINUTE_MS, roleScopes, SYNC_DUE_MS, userRoles } from '@svc/protocol';
import { MailError, type Mailer } from '../../platform/mail.ts';
import { silenceMail } from '../users/mails.ts';
import type { UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import { leaseEndOf } from './service.ts';
import type { SilenceStore, SilenceTimes, SilentDoor } from './store.ts';

/** Longer than the mails of one account take, timeouts included. */
const CLAIM_MS = 2 * MINUTE_MS;
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
  const toLine = ({ name, deviceId, lastSyncAt: since, expiresAt, eventId, ...event }: SilentDoor) => ({
    // As the dashboard and the door's own screen call it.
    name: name ?? deviceId.slice(-6),
    since,
    until: leaseEndOf({ lastSyncAt: since, expiresAt }) ?? since,
    eventName: event.eventName,
    timeZone: event.timeZone ?? 'UTC',
    url: o.dashboardUrl && `${o.dashboardUrl}events/${eventId}/doors`,
  });

  /** @throws MailError when no mail was taken: the next run tries again */
  async function tellOf(accountId: string, times: SilenceTimes): Promise<void> {
    const doors = await o.store.claim(accountId, times);
    if (doors.length === 0) return;
    const people = await o.userStore.active(accountId, ROLES);
    const lines = doors.map(toLine).sort((one, other) => one.since.getTime() - other.since.getTime());
    const sent = await Promise.allSettled(
      people.map((person) => o.mailer.send(silenceMail({ ...person, doors: lines }))),
    );
    const [failed] = sent.filter((each) => each.status === 'rejected');
    const isTold = failed === undefined || sent.some(({ status }) => status === 'fulfilled');
    await o.store.settle(doors, times, isTold);
    if (!isTold) throw failed.reason;
  }

  return {
    /** @throws MailError */
    async tell(): Promise<void> {
      const nowMs = o.clock.now();
      const at = (ms: number) => new Date(nowMs + ms);
      const times = {
        now: at(0),
        silentSince: at(-SYNC_DUE_MS),
        stoppedSince: at(-LEASE_MS),
        leaseUntil: at(CLAIM_MS),
      };
      let failed: unknown;
      for (const accountId of await o.store.accounts(times)) {
        try {
          await tellOf(accountId, times);
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
