import type { EndStore } from '../../features/events/end-store.ts';
import { transactionOf } from './memory-database.ts';
import { listKeyOf } from './rows.ts';

/** {@link EndStore} on a database in memory, which has no enrolment tokens. */
export function createMemoryEndStore(): EndStore {
  return {
    lockList(tx, { accountId, eventId }) {
      const { lists } = transactionOf(tx).tables;
      const list = [...lists.values()].find((row) => row.accountId === accountId && row.eventId === eventId);
      if (list === undefined) return Promise.resolve(null);
      const { listId, retainDays, retentionDeadline, deletingAt } = list;
      return Promise.resolve({ accountId, listId, retainDays, retentionDeadline, deletingAt });
    },
    moveDeadline(tx, key, deadline) {
      const transaction = transactionOf(tx);
      const list = transaction.tables.lists.get(listKeyOf(key));
      if (list === undefined) return Promise.resolve();
      const isOwn = (row: { readonly accountId: string; readonly listId: string }) =>
        row.accountId === key.accountId && row.listId === key.listId;
      const moved = { ...list, retentionDeadline: deadline, listVersion: list.listVersion + 1 };
      transaction.table('lists').set(listKeyOf(key), moved);
      const devices = transaction.table('devices');
      for (const [name, row] of devices) if (isOwn(row)) devices.set(name, { ...row, expiresAt: deadline });
      const faces = transaction.table('faces');
      for (const [name, row] of faces) {
        if (isOwn(row) && row.deleteAfter > deadline) faces.set(name, { ...row, deleteAfter: deadline });
      }
      const people = transaction.table('people');
      for (const [name, row] of people) {
        if (isOwn(row) && row.deleteAfter > deadline) people.set(name, { ...row, deleteAfter: deadline });
      }
      return Promise.resolve();
    },
    shortenTokens: () => Promise.resolve(),
  };
}
