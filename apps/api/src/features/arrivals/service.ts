import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ARRIVALS_BUCKET_MS,
  ARRIVALS_EXACT_AFTER_MS,
  ARRIVALS_KEPT_MS,
  type ArrivalCounts,
  type ArrivalsReport,
  arrivalsKeyInfo,
  arrivalsSigningInput,
  DAY_MS,
  HOUR_MS,
  type SignedArrivalsReport,
} from '@svc/protocol';
import { withAccountVault } from '../../crypto/account-vault.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { EventService } from '../events/service.ts';
import type { ListService } from '../lists/service.ts';
import type { DeviceCaller } from '../sync/service.ts';
import type { Uses } from '../uses.ts';
import { halfDayOf, publish } from './publication.ts';
import type { ArrivalStore, ReportedBucket } from './store.ts';

const NOBODY: ArrivalCounts = { admitted: 0, toStaff: 0, notEnrolled: 0 };
const KEY_BYTES = 32;

const plus = (a: ArrivalCounts, b: ArrivalCounts): ArrivalCounts => ({
  admitted: a.admitted + b.admitted,
  toStaff: a.toStaff + b.toStaff,
  notEnrolled: a.notEnrolled + b.notEnrolled,
});

/**
 * The buckets with those of a report, of which each replaces that of an earlier report. The earliest first. Most of a
 * report is as it was before: those stay, so that they are not written again.
 */
function reported(held: readonly ReportedBucket[], { sequence, buckets }: ArrivalsReport): readonly ReportedBucket[] {
  const all = new Map(held.map((bucket) => [bucket.startsAt.getTime(), bucket]));
  for (const { startsAt, admitted, toStaff, notEnrolled } of buckets) {
    const at = new Date(startsAt);
    const before = all.get(at.getTime());
    const counted = { admitted, toStaff, notEnrolled };
    if (isDeepStrictEqual(counted, before?.counted ?? NOBODY) || (before?.sequence ?? 0) >= sequence) continue;
    all.set(at.getTime(), { startsAt: at, sequence, counted, published: before?.published ?? NOBODY });
  }
  return [...all.values()].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
}

export type ArrivalService = ReturnType<typeof createArrivalService>;

/** What devices count of who comes, and what organisers see of it. */
export function createArrivalService(
  o: Uses<'database' | 'clock' | 'random'> & {
    readonly store: ArrivalStore;
    readonly keyRing: Pick<KeyRing, 'unwrapAccountKey'>;
    readonly lists: Pick<ListService, 'count'>;
    readonly events: Pick<EventService, 'get'>;
  },
) {
  async function isSigned(caller: DeviceCaller, { signature, ...report }: SignedArrivalsReport): Promise<boolean> {
    const secret = await withAccountVault(o, caller.accountId, (vault) => vault.arrivalsSecret(caller));
    const key = new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(), arrivalsKeyInfo(), KEY_BYTES));
    const expected = createHmac('sha256', key).update(arrivalsSigningInput(report)).digest();
    for (const bytes of [secret, key]) bytes.fill(0);
    return timingSafeEqual(expected, Buffer.from(signature, 'base64url'));
  }

  /** @throws ServiceError 'invalid-request' */
  function requireTimely({ buckets }: ArrivalsReport): void {
    const nowMs = o.clock.now();
    const [first, last] = [nowMs - ARRIVALS_KEPT_MS - DAY_MS, nowMs + ARRIVALS_BUCKET_MS];
    const errors = buckets.flatMap(({ startsAt }, i) => {
      const isTimely = Date.parse(startsAt) >= first && Date.parse(startsAt) <= last;
      return isTimely ? [] : [{ pointer: `/buckets/${i}/startsAt`, detail: 'must be within the last days' }];
    });
    if (errors.length > 0) throw new ServiceError('invalid-request', { errors });
  }

  return {
    /** Takes a device's report; one that was taken changes nothing. @throws ServiceError as the operation has them */
    async report(caller: DeviceCaller, report: SignedArrivalsReport): Promise<void> {
      if (caller.kind === 'wiped') throw new ServiceError('invalid-credential');
      if (report.listId !== caller.listId) throw missing('list');
      if (caller.list.arrivals === 'off') throw new ServiceError('arrivals-off');
      if (!(await isSigned(caller, report))) throw new ServiceError('invalid-credential');
      requireTimely(report);
      const now = new Date(o.clock.now());
      const { accountId, listId, deviceId } = caller;
      const device = { accountId, listId, deviceId };
      await o.database.transaction(async (tx) => {
        const syncCounter = await o.store.lockDevice(tx, device, now);
        if (syncCounter === null) throw new ServiceError('invalid-credential');
        if (report.sequence > syncCounter) {
          const errors = [{ pointer: '/sequence', detail: 'must be the syncCounter of a response' }];
          throw new ServiceError('invalid-request', { errors });
        }
        const first = Math.min(now.getTime(), ...report.buckets.map(({ startsAt }) => Date.parse(startsAt)));
        const held = await o.store.buckets(tx, device, new Date(halfDayOf(first)));
        const next = publish(reported(held, report), now.getTime());
        await o.store.put(
          tx,
          device,
          next.filter((bucket) => !held.includes(bucket)),
        );
      });
    },
    /** @throws ServiceError 'not-found' */
    async read(caller: AccountCaller, listId: string) {
      const { arrivals, people: enrolled, eventId, ...list } = await o.lists.count(caller, listId);
      const nowMs = o.clock.now();
      const endsAt = eventId === null ? null : (await o.events.get(caller, eventId)).endsAt;
      const exactToMs = nowMs - ARRIVALS_EXACT_AFTER_MS;
      const exact = endsAt !== null && endsAt.getTime() <= exactToMs;
      const from = new Date(eventId === null ? nowMs - DAY_MS : 0);
      // What is younger waits, by whole hours: an end that was set to an earlier time would tell of who comes now.
      const to = new Date(exact ? exactToMs - (exactToMs % HOUR_MS) : nowMs);
      const sums = await o.store.sums(list, { exact, from, to });
      const known = new Map((await o.store.doors(list)).map((door) => [door.deviceId, door]));
      const counted = sums.filter((sum) => sum.deviceId !== null);
      const silent = [...known.values()].filter(({ deviceId }) => !counted.some((sum) => sum.deviceId === deviceId));
      const unrevoked = silent.filter(({ revokedAt }) => revokedAt === null).map((door) => ({ ...NOBODY, ...door }));
      const doors = [...counted, ...unrevoked].map(({ deviceId, admitted, toStaff, notEnrolled }) => {
        const { name = null, arrivalsAt = null } = known.get(deviceId ?? '') ?? {};
        return { deviceId: deviceId ?? '', name, reportedAt: arrivalsAt, admitted, toStaff, notEnrolled };
      });
      const buckets = sums.flatMap(({ deviceId: _door, startsAt, ...counts }) =>
        startsAt === null ? [] : [{ startsAt, ...counts }],
      );
      const totals = doors.reduce((sum, door) => plus(sum, door), NOBODY);
      return { listId, arrivals, exact, enrolled, totals, doors, buckets };
    },
  };
}
