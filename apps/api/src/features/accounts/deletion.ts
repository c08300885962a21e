import type { KeyRing } from '../../crypto/key-ring.ts';
import { found } from '../../platform/errors.ts';
import type { Actor } from '../audit/service.ts';
import type { ListService } from '../lists/service.ts';
import type { Uses } from '../uses.ts';
import type { AccountStore } from './store.ts';

export type AccountDeletion = ReturnType<typeof createAccountDeletion>;

export function createAccountDeletion(
  o: Uses<'database' | 'audit' | 'erasures' | 'clock'> & {
    readonly store: AccountStore;
    readonly lists: Pick<ListService, 'purge'>;
    readonly keyRing: Pick<KeyRing, 'shredAccount'>;
  },
) {
  /** Without the entry in the audit log nothing deletes the account. @returns null when there is no such account */
  const begin = (accountId: string, actor: Actor) =>
    o.database.transaction(async (tx) => {
      const isTold = await o.store.beginDeletion(tx, accountId, new Date(o.clock.now()));
      if (isTold === false) {
        await o.audit.record(tx, { accountId, actor, action: 'account.delete', target: accountId });
      }
      return isTold;
    });

  async function finish(accountId: string): Promise<void> {
    await o.erasures.remember([{ kind: 'account', accountId }], o.clock.now());
    await destroy(accountId);
  }

  /** Keys first. A request authenticated before the suspension may still create a list, hence the repetition. */
  async function destroy(accountId: string): Promise<void> {
    await o.keyRing.shredAccount(accountId);
    for (;;) {
      const left = await o.database.transaction(async (tx) => {
        const lists = await o.store.lockLists(tx, accountId);
        if (lists.length === 0 && !(await o.store.finishDeletion(tx, accountId)))
          throw new Error('the database keeps the account');
        return lists;
      });
      if (left.length === 0) return;
      for (const listId of left) await o.lists.purge({ accountId, listId });
    }
  }

  return {
    /**
     * Destroys all data of an account: lists, keys, ledger; its devices are wiped at their next sync. Calling it again
     * completes an interrupted deletion.
     * @throws ServiceError 'not-found'
     */
    async delete(accountId: string, actor: Actor): Promise<void> {
      found(await begin(accountId, actor), 'account');
      await finish(accountId);
    },
    /**
     * The same for an account that a restored backup brought back.
     * @returns false when there was none; its key is destroyed all the same
     */
    async purge(accountId: string): Promise<boolean> {
      const isTold = await begin(accountId, { kind: 'system' });
      await destroy(accountId);
      return isTold !== null;
    },
    /** Completes deletions that a crash interrupted, also those that 0.2.0 began without an entry. */
    async finishDeletions(): Promise<void> {
      for (const accountId of await o.store.inDeletion()) {
        if ((await begin(accountId, { kind: 'system' })) !== null) await finish(accountId);
      }
    },
  };
}
