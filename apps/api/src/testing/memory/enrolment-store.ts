import type { EnrolmentStore } from '../../features/people/enrolment-store.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { currentEpochOf, listKeyOf } from './rows.ts';
import { toBill } from './usage-store.ts';

/** {@link EnrolmentStore} on a database in memory. */
export function createMemoryEnrolmentStore(database: MemoryDatabase): EnrolmentStore {
  return {
    find(key) {
      const tables = database.read();
      const { lists, accounts } = tables;
      const list = lists.get(listKeyOf(key));
      const account = accounts.get(key.accountId);
      if (list === undefined || list.deletingAt !== null || account === undefined) return Promise.resolve(null);
      return Promise.resolve({ list, bill: toBill(account), epoch: currentEpochOf(tables, list) });
    },
    // There is no audit log in memory: nothing that a device is told depends on it.
    isOver: () => Promise.resolve(false),
  };
}
