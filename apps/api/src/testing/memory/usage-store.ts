import type { Bill, UsageStore } from '../../features/usage/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { type AccountRow, keyOf, take } from './rows.ts';

export const toBill = (row: AccountRow): Bill => ({
  isSuspended: row.suspendedAt !== null,
  plan: row.plan,
  planPeople: row.planPeople,
  period: row.period,
  periodStartedAt: row.periodStartedAt,
  people: row.peopleBilled,
});

/** {@link UsageStore} on a database in memory. */
export function createMemoryUsageStore(database: MemoryDatabase): UsageStore {
  const billOf = (row: AccountRow | undefined) => Promise.resolve(row === undefined ? null : toBill(row));
  return {
    read: (accountId) => billOf(database.read().accounts.get(accountId)),
    lock: (tx, accountId) => billOf(transactionOf(tx).tables.accounts.get(accountId)),
    isBilled: (accountId, period, personHmac) =>
      Promise.resolve(database.read().billedPeople.has(keyOf(accountId, period, personHmac))),
    add(tx, accountId, personHmac) {
      const transaction = transactionOf(tx);
      const account = transaction.tables.accounts.get(accountId);
      if (account === undefined) return Promise.resolve(null);
      const before = toBill(account);
      const { period } = before;
      const key = keyOf(accountId, period, personHmac);
      const isNew = !transaction.tables.billedPeople.has(key);
      if (isNew) {
        transaction.table('billedPeople').set(key, { accountId, period });
        transaction.table('accounts').set(accountId, { ...account, peopleBilled: account.peopleBilled + 1 });
      }
      return Promise.resolve({ before, isNew });
    },
    setPlan(tx, accountId, plan, planPeople) {
      const accounts = transactionOf(tx).table('accounts');
      const account = accounts.get(accountId);
      if (account !== undefined) accounts.set(accountId, { ...account, plan, planPeople });
      return Promise.resolve();
    },
    startPeriod(tx, accountId, period, at) {
      const transaction = transactionOf(tx);
      const account = transaction.tables.accounts.get(accountId);
      if (account === undefined) return Promise.resolve();
      transaction.table('accounts').set(accountId, { ...account, period, periodStartedAt: at, peopleBilled: 0 });
      take(transaction.table('billedPeople'), (row) => row.accountId === accountId && row.period < period);
      return Promise.resolve();
    },
  };
}
