import type { Bill, UsageStore } from '../../features/usage/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { type AccountRow, keyOf, take } from './rows.ts';

const toBill = (row: AccountRow | undefined): Bill | null =>
  row === undefined
    ? null
    : {
        isSuspended: row.suspendedAt !== null,
        plan: row.plan,
        planPeople: row.planPeople,
        period: row.period,
        periodStartedAt: row.periodStartedAt,
        people: row.peopleBilled,
      };

/** {@link UsageStore} on a database in memory. */
export function createMemoryUsageStore(database: MemoryDatabase): UsageStore {
  return {
    read: (accountId) => Promise.resolve(toBill(database.read().accounts.get(accountId))),
    lock: (tx, accountId) => Promise.resolve(toBill(transactionOf(tx).tables.accounts.get(accountId))),
    isBilled: (accountId, period, personHmac, tx) =>
      Promise.resolve(database.read(tx).billedPeople.has(keyOf(accountId, period, personHmac))),
    add(tx, accountId, period, personHmac) {
      const transaction = transactionOf(tx);
      const key = keyOf(accountId, period, personHmac);
      const account = transaction.tables.accounts.get(accountId);
      if (account === undefined || transaction.tables.billedPeople.has(key)) return Promise.resolve();
      transaction.table('billedPeople').set(key, { accountId, period });
      transaction.table('accounts').set(accountId, { ...account, peopleBilled: account.peopleBilled + 1 });
      return Promise.resolve();
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
