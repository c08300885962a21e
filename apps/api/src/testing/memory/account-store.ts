import type { AccountRecord, AccountStore } from '../../features/accounts/store.ts';
import { type MemoryDatabase, transactionOf } from './memory-database.ts';
import { type AccountRow, byText, keyOf, take } from './rows.ts';

const toAccount = (row: AccountRow): AccountRecord => ({
  accountId: row.accountId,
  name: row.name,
  country: row.country,
  billingCurrency: row.billingCurrency,
  plan: row.plan,
  planPeople: row.planPeople,
  suspendedAt: row.suspendedAt,
});

/** {@link AccountStore} on a database in memory. */
export function createMemoryAccountStore(database: MemoryDatabase): AccountStore {
  return {
    insert(tx, account, createdAt) {
      const row = { ...account, suspendedAt: null, createdAt, deletingAt: null };
      const bill = { period: 1, periodStartedAt: createdAt, peopleBilled: 0 };
      transactionOf(tx)
        .table('accounts')
        .set(account.accountId, { ...row, ...bill });
      return Promise.resolve();
    },
    find(accountId, tx) {
      const row = database.read(tx).accounts.get(accountId);
      return Promise.resolve(row === undefined ? null : toAccount(row));
    },
    all() {
      const rows = [...database.read().accounts.values()].sort((a, b) => byText(a.accountId, b.accountId));
      return Promise.resolve(rows.map(toAccount));
    },
    insertKey(tx, key, limit) {
      const keys = transactionOf(tx).table('apiKeys');
      const held = [...keys.values()].filter(
        ({ accountId, revokedAt, expiresAt }) =>
          accountId === key.accountId && revokedAt === null && (expiresAt === null || expiresAt > key.createdAt),
      );
      if (held.length >= limit) return Promise.resolve(false);
      const row = { ...key, sha256: Buffer.from(key.sha256), lastUsedAt: null, revokedAt: null };
      keys.set(keyOf(key.accountId, key.keyId), row);
      return Promise.resolve(true);
    },
    keys(accountId, before, limit) {
      const rows = [...database.read().apiKeys.values()].filter((row) => row.accountId === accountId);
      const sorted = rows.sort((a, b) => byText(b.keyId, a.keyId));
      const page = sorted.filter(({ keyId }) => before === undefined || keyId < before).slice(0, limit);
      return Promise.resolve(page.map(({ accountId: _account, sha256: _hash, ...view }) => view));
    },
    noteKeyUse(accountId, keyId, at) {
      return database.transaction((tx) => {
        const keys = transactionOf(tx).table('apiKeys');
        const row = keys.get(keyOf(accountId, keyId));
        if (row !== undefined && (row.lastUsedAt ?? 0) < at)
          keys.set(keyOf(accountId, keyId), { ...row, lastUsedAt: at });
        return Promise.resolve();
      });
    },
    revokeKey(tx, accountId, keyId, revokedAt) {
      const keys = transactionOf(tx).table('apiKeys');
      const row = keys.get(keyOf(accountId, keyId));
      if (row === undefined) return Promise.resolve(null);
      if (row.revokedAt !== null) return Promise.resolve('unchanged');
      keys.set(keyOf(accountId, keyId), { ...row, revokedAt });
      return Promise.resolve('revoked');
    },
    suspend(tx, accountId, at) {
      const accounts = transactionOf(tx).table('accounts');
      const row = accounts.get(accountId);
      if (row === undefined || row.deletingAt !== null) return Promise.resolve(null);
      if (row.suspendedAt !== null) return Promise.resolve('unchanged');
      accounts.set(accountId, { ...row, suspendedAt: at });
      return Promise.resolve('changed');
    },
    resume(tx, accountId) {
      const transaction = transactionOf(tx);
      const row = transaction.tables.accounts.get(accountId);
      if (row === undefined || row.deletingAt !== null) return Promise.resolve(null);
      if (row.suspendedAt === null) return Promise.resolve('unchanged');
      transaction.table('accounts').set(accountId, { ...row, suspendedAt: null });
      const devices = transaction.table('devices');
      for (const [key, device] of devices) {
        if (device.accountId !== accountId || device.wipeTold !== 'account-suspended') continue;
        devices.set(key, { ...device, wipeTold: null });
      }
      return Promise.resolve('changed');
    },
    beginDeletion(tx, accountId, at) {
      const accounts = transactionOf(tx).table('accounts');
      const row = accounts.get(accountId);
      if (row === undefined) return Promise.resolve(null);
      if (row.deletingAt !== null) return Promise.resolve('begun-before');
      accounts.set(accountId, { ...row, deletingAt: at, suspendedAt: row.suspendedAt ?? at });
      return Promise.resolve('begun');
    },
    lockLists(tx, accountId) {
      const lists = [...transactionOf(tx).tables.lists.values()].filter((list) => list.accountId === accountId);
      return Promise.resolve(lists.map((list) => list.listId));
    },
    finishDeletion(tx, accountId) {
      const transaction = transactionOf(tx);
      const row = transaction.tables.accounts.get(accountId);
      if (row === undefined || row.deletingAt === null) return Promise.resolve();
      transaction.table('accounts').delete(accountId);
      const isOwn = (owned: { readonly accountId: string }) => owned.accountId === accountId;
      take(transaction.table('apiKeys'), isOwn);
      take(transaction.table('billedPeople'), isOwn);
      take(transaction.table('events'), isOwn);
      return Promise.resolve();
    },
    inDeletion() {
      const rows = [...database.read().accounts.values()].filter((row) => row.deletingAt !== null);
      return Promise.resolve(rows.map((row) => row.accountId));
    },
    findByKeys(sha256s) {
      const { apiKeys, accounts } = database.read();
      const isAsked = (sha256: Buffer) => sha256s.some((asked) => asked.equals(sha256));
      const keys = [...apiKeys.values()].filter((row) => row.revokedAt === null && isAsked(row.sha256));
      const found = keys.flatMap(({ name: _name, createdAt: _createdAt, revokedAt: _revokedAt, ...key }) => {
        const account = accounts.get(key.accountId);
        return account === undefined ? [] : [{ account: toAccount(account), key }];
      });
      return Promise.resolve(found);
    },
  };
}
