import { withAccountVault } from '../../crypto/account-vault.ts';
import type { Erasure, FaceErasureReason } from '../../crypto/erasure-memory.ts';
import { KeyShreddedError } from '../../crypto/key-ring.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { AdmissionService } from '../admissions/service.ts';
import type { ListKey, ListStore } from '../lists/store.ts';
import type { Uses } from '../uses.ts';
import type { PersonEvent } from '../webhooks/outbox.ts';
import type { ExpiredPerson, ExpiryStore, TakenPerson } from './expiry-store.ts';

/** Deletes expired people and their faces. Expired people are never served, even before this has run. */
export type PersonExpiry = ReturnType<typeof createPersonExpiry>;

/** People per transaction, which limits how long the list stays locked. */
const BATCH = 500;
const LOOK_AT_ROWS = 10_000;

/** What a backup of the database has to be told; nothing of a record that was missing. */
export const toErasures = (
  { accountId, listId }: ListKey,
  people: readonly TakenPerson[],
  reason: FaceErasureReason,
): Erasure[] =>
  people.flatMap(({ epoch, tag, version }) =>
    version === null
      ? []
      : [{ kind: 'face' as const, accountId, listId, epoch, version, reason, tag: tag.toString('base64url') }],
  );

const toEvent = ({ accountId, listId }: ListKey, { personId }: ExpiredPerson): PersonEvent => ({
  ...{ type: 'person.deleted', accountId },
  data: { listId, personId, reason: 'expired' },
});

export function createPersonExpiry(
  o: Uses<'database' | 'outbox' | 'keyRing' | 'erasures' | 'requests' | 'clock' | 'random'> & {
    readonly store: ExpiryStore;
    readonly listStore: Pick<ListStore, 'lock'>;
    readonly admissions: Pick<AdmissionService, 'forget'>;
    readonly metrics: Pick<Metrics, 'peopleExpired'>;
  },
) {
  /** @returns number of people; fewer than a batch at the end, or when the list is being deleted with its people */
  async function removeBatch(key: ListKey): Promise<number> {
    const gone = await withAccountVault(o, key.accountId, (vault) =>
      o.database.transaction(async (tx) => {
        const list = await o.listStore.lock(tx, key);
        if (list === null) return [];
        const now = new Date(o.clock.now());
        const expired = await o.store.takeExpired(tx, key, now, BATCH);
        if (expired.length === 0) return [];
        // For a list past its deadline one memory entry is enough. Before it, only those whose own time is over expire.
        if (list.retentionDeadline === null || list.retentionDeadline > now) {
          await o.erasures.remember(toErasures(key, expired, 'expired'), now.getTime());
        }
        const served = expired.filter(({ isWithheld }) => !isWithheld);
        if (served.length > 0) await o.store.noteRemovals(tx, key, served, now);
        const events = expired.map((person) => toEvent(key, person));
        await o.outbox.publishAboutPeople(tx, vault, events);
        const personIds = expired.map(({ personId }) => personId);
        await o.requests.forgetPeople(tx, vault, key, personIds);
        await o.admissions.forget(tx, vault, key, personIds);
        return expired;
      }),
    );
    o.metrics.peopleExpired(gone.map(({ deleteAfter }) => (o.clock.now() - deleteAfter.getTime()) / 1_000));
    return gone.length;
  }

  /** For one list. @returns number of people */
  async function removeExpiredOf(key: ListKey): Promise<number> {
    let removed = 0;
    for (let last = BATCH; last === BATCH; removed += last) last = await removeBatch(key);
    return removed;
  }

  return {
    removeExpiredOf,
    /** For every list. @returns number of people @throws the first error, after all lists were tried */
    async removeExpired(): Promise<number> {
      let removed = 0;
      const errors: unknown[] = [];
      for (const key of await o.store.listsWithExpired(new Date(o.clock.now()), LOOK_AT_ROWS)) {
        try {
          removed += await removeExpiredOf(key);
        } catch (error) {
          // An account without its key is being deleted, with its people.
          if (!(error instanceof KeyShreddedError)) errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
      return removed;
    },
  };
}
