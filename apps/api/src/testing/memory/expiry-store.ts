import type { ListKey } from '../../features/lists/store.ts';
import type { ExpiryStore } from '../../features/people/expiry-store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { faceKeyOf, listKeyOf, ofList, personKeyOf } from './rows.ts';

/** {@link ExpiryStore} on a database in memory. */
export function createMemoryExpiryStore(database: MemoryDatabase): ExpiryStore {
  return {
    listsWithExpired(now, rows) {
      const due = [...database.read().people.values()]
        .filter((person) => person.deleteAfter <= now)
        .sort((a, b) => a.deleteAfter.getTime() - b.deleteAfter.getTime());
      const lists = new Map<string, ListKey>();
      for (const { accountId, listId } of due.slice(0, rows)) lists.set(listId, { accountId, listId });
      return Promise.resolve([...lists.values()]);
    },
    takeExpired(tx, key, now, limit) {
      const transaction = transactionOf(tx);
      const due = ofList(transaction.tables.people, key)
        .filter((person) => person.deleteAfter <= now)
        .sort((a, b) => a.deleteAfter.getTime() - b.deleteAfter.getTime())
        .slice(0, limit);
      const expired = due.flatMap(({ personId, face }) => {
        transaction.table('people').delete(personKeyOf(key, personId));
        const row = transaction.tables.faces.get(faceKeyOf(key, face));
        if (row === undefined) return [];
        transaction.table('faces').delete(faceKeyOf(key, face));
        const { epoch, tag, version, withheldVersion } = row;
        return [{ personId, epoch, tag, version, isWithheld: withheldVersion !== null }];
      });
      return Promise.resolve(expired);
    },
    noteRemovals(tx, { accountId, listId }, removed, at) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf({ accountId, listId }));
      if (list === undefined) return Promise.resolve();
      const removals = transaction.table('removals');
      for (const [nth, { epoch, tag }] of removed.entries()) {
        const version = list.listVersion + nth + 1;
        const row = { accountId, listId, epoch, tag, version, removedAt: at };
        removals.set(faceKeyOf(row, row), row);
      }
      const listVersion = list.listVersion + removed.length;
      transaction.table('lists').set(listKeyOf(list), { ...list, listVersion });
      return Promise.resolve();
    },
  };
}
