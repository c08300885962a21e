import { WIPE_TOMBSTONE_MS } from '@svc/protocol';
import { type KeyRing, KeyShreddedError } from '../../crypto/key-ring.ts';
import type { PersonExpiry } from '../people/expiry.ts';
import type { Uses } from '../uses.ts';
import type { ListService } from './service.ts';
import type { ListKey, ListStore } from './store.ts';

const LISTS_AT_ONCE = 1_000;

/** Deletes lists whose retention deadline has passed. */
export function createListExpiry(
  o: Uses<'database' | 'audit' | 'outbox' | 'erasures' | 'requests' | 'clock'> & {
    readonly store: Pick<ListStore, 'pastDeadline' | 'lock' | 'beginDeletion'>;
    readonly lists: Pick<ListService, 'purge'>;
    readonly people: Pick<PersonExpiry, 'removeExpiredOf'>;
    readonly keyRing: Pick<KeyRing, 'shredList'>;
  },
) {
  /** @returns false when another node has begun already */
  function begin(key: ListKey): Promise<boolean> {
    const { accountId, listId } = key;
    return o.database.transaction(async (tx) => {
      const list = await o.store.lock(tx, key);
      if (list === null) return false;
      const at = new Date(o.clock.now());
      const until = new Date(at.getTime() + WIPE_TOMBSTONE_MS);
      await o.store.beginDeletion(tx, key, at, { reason: 'retention-deadline', until });
      await o.requests.forgetList(tx, key);
      await o.audit.record(tx, { accountId, actor: { kind: 'system' }, action: 'list.delete', target: listId });
      if (list.endedAt !== null) return true;
      await o.outbox.publish(tx, { type: 'list.ended', accountId, data: { listId, reason: 'retention-deadline' } });
      return true;
    });
  }

  async function remove(key: ListKey): Promise<void> {
    const { accountId, listId } = key;
    await o.erasures.remember([{ kind: 'list', accountId, listId }], o.clock.now());
    await o.keyRing.shredList(listId);
    try {
      // Before the list itself, so that each person's deletion is notified.
      await o.people.removeExpiredOf(key);
    } catch (error) {
      // An account without its key is being deleted: no notification is possible.
      if (!(error instanceof KeyShreddedError)) throw error;
    }
    if (await begin(key)) await o.lists.purge(key);
  }

  return {
    /**
     * Destroys their keys, then all their other data; their devices get a signed wipe. The next call completes what a
     * crash interrupted.
     * @returns number of lists
     * @throws the first error, after all were tried
     */
    async removeExpired(): Promise<number> {
      const errors: unknown[] = [];
      const due = await o.store.pastDeadline(new Date(o.clock.now()), LISTS_AT_ONCE);
      for (const key of due) await remove(key).catch((error: unknown) => errors.push(error));
      if (errors.length > 0) throw errors[0];
      return due.length;
    },
  };
}
