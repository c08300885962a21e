import type { EnrolmentStore } from '../../features/people/enrolment-store.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { listKeyOf, ofList } from './rows.ts';
import { toBill } from './usage-store.ts';

/** {@link EnrolmentStore} on a database in memory. */
export function createMemoryEnrolmentStore(database: MemoryDatabase): EnrolmentStore {
  return {
    find(key, engineId) {
      const { lists, accounts, epochs } = database.read();
      const list = lists.get(listKeyOf(key));
      const account = accounts.get(key.accountId);
      if (list === undefined || list.deletingAt !== null || account === undefined) return Promise.resolve(null);
      const own = ofList(epochs, key).filter((row) => row.engineId === engineId);
      const epoch = own.length === 0 ? null : Math.max(...own.map((row) => row.epoch));
      return Promise.resolve({ list, bill: toBill(account), epoch });
    },
  };
}
