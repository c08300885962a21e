import type { AccountMode, ApiKeyScope, Metadata } from '@svc/protocol';
import { columnsIn, columnsOf, nested, rowsOf, selected, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

export interface AccountRecord {
  readonly accountId: string;
  readonly name: string;
  readonly country: string | null;
  readonly billingCurrency: string;
  readonly plan: string | null;
  /** The contract's allowance. */
  readonly planPeople: number | null;
  /** Never changes. */
  readonly mode: AccountMode;
  readonly suspendedAt: Date | null;
}

/** What an API key may do, and until when. */
export interface ApiKeyRights {
  /** Null: everything, also operations to come. */
  readonly scopes: readonly ApiKeyScope[] | null;
  /** Null: never. */
  readonly expiresAt: Date | null;
}

export interface ApiKeyRecord extends ApiKeyRights {
  readonly accountId: string;
  readonly keyId: string;
  readonly sha256: Buffer;
  /** To the hour; null if it was never used. */
  readonly lastUsedAt: Date | null;
}

/** An API key without its hash. */
export interface ApiKeyView extends Omit<ApiKeyRecord, 'accountId' | 'sha256'> {
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  readonly metadata: Metadata;
}

/** An API key that was not used yet. */
export type NewApiKey = Omit<ApiKeyRecord, 'lastUsedAt'> & Pick<ApiKeyView, 'name' | 'createdAt' | 'metadata'>;

const ACCOUNT_COLUMNS = columnsOf<AccountRecord>()(
  ['accountId', 'name', 'country', 'billingCurrency'],
  ['plan', 'planPeople', 'mode', 'suspendedAt'],
);
const KEY_COLUMNS = columnsOf<ApiKeyView>()(
  ['keyId', 'name', 'scopes'],
  ['expiresAt', 'lastUsedAt', 'createdAt', 'revokedAt', 'metadata'],
);
const RIGHTS_COLUMNS = columnsOf<Omit<ApiKeyRecord, 'sha256'>>()(
  ['accountId', 'keyId'],
  ['scopes', 'expiresAt', 'lastUsedAt'],
);
const FOUND_COLUMNS = {
  ...columnsIn('accounts', ACCOUNT_COLUMNS, 'account'),
  ...columnsIn('api_keys', RIGHTS_COLUMNS, 'key'),
  'key.sha256': 'api_keys.key_sha256',
};

export type AccountStore = ReturnType<typeof createAccountStore>;

/** A constant, as it runs for every request. */
const FIND_BY_KEYS = `
/* all accounts */ SELECT ${selected(FOUND_COLUMNS)}
FROM api_keys JOIN accounts ON accounts.account_id = api_keys.account_id
WHERE api_keys.key_sha256 = ANY (?) AND api_keys.revoked_at IS NULL`;

export function createAccountStore(connection: Connection) {
  return {
    async insert(tx: Transaction, account: Omit<AccountRecord, 'suspendedAt'>, createdAt: Date): Promise<void> {
      await tx('accounts').insert(toRow({ ...account, createdAt }));
    },
    /** @param tx locks the row until it ends */
    async find(accountId: string, tx?: Transaction): Promise<AccountRecord | null> {
      const account = (tx ?? connection)('accounts').where({ account_id: accountId }).first(ACCOUNT_COLUMNS);
      return (await (tx === undefined ? account : account.forNoKeyUpdate())) ?? null;
    },
    /** The caller holds the row's lock. */
    async update(tx: Transaction, { accountId, name, country }: AccountRecord): Promise<void> {
      await tx('accounts').where({ account_id: accountId }).update({ name, country });
    },
    async all(): Promise<AccountRecord[]> {
      return connection('accounts').comment('all accounts').orderBy('account_id').select(ACCOUNT_COLUMNS);
    },
    /** @returns false when the account already has `limit` keys that are neither revoked nor expired */
    async insertKey(tx: Transaction, key: NewApiKey, limit: number): Promise<boolean> {
      // Locked, so that two concurrent inserts cannot exceed the limit.
      await tx('accounts').where({ account_id: key.accountId }).forNoKeyUpdate().first('account_id');
      const held = await tx('api_keys')
        .where({ account_id: key.accountId })
        .whereNull('revoked_at')
        .whereRaw('(expires_at IS NULL OR expires_at > ?)', [key.createdAt])
        .pluck('key_id');
      if (held.length >= limit) return false;
      const { sha256, ...row } = key;
      await tx('api_keys').insert(toRow({ ...row, keySha256: sha256 }));
      return true;
    },
    /** Newest first, older than `before`. @param metadata only those with all of it */
    async keys(
      accountId: string,
      before: string | undefined,
      rows: number,
      metadata: Metadata | undefined,
    ): Promise<ApiKeyView[]> {
      const query = connection('api_keys').where({ account_id: accountId });
      if (metadata !== undefined) query.whereRaw('metadata @> ?', [JSON.stringify(metadata)]);
      if (before !== undefined) query.where('key_id', '<', before);
      return query.orderBy('key_id', 'desc').limit(rows).select(KEY_COLUMNS);
    },
    /** Null when there is no such key. @param tx locks the row until it ends */
    async key(accountId: string, keyId: string, tx?: Transaction): Promise<ApiKeyView | null> {
      const key = (tx ?? connection)('api_keys').where({ account_id: accountId, key_id: keyId }).first(KEY_COLUMNS);
      return (await (tx === undefined ? key : key.forNoKeyUpdate())) ?? null;
    },
    /** The caller holds the row's lock. */
    async updateKey(tx: Transaction, accountId: string, { keyId, name, metadata }: ApiKeyView): Promise<void> {
      const key = tx('api_keys').where({ account_id: accountId, key_id: keyId });
      await key.update(toRow({ name, metadata }));
    },
    /** A time before the stored one changes nothing. */
    async noteKeyUse(accountId: string, keyId: string, at: Date): Promise<void> {
      await connection('api_keys')
        .where({ account_id: accountId, key_id: keyId })
        .whereRaw('(last_used_at IS NULL OR last_used_at < ?)', [at])
        .update({ last_used_at: at });
    },
    /** A repeated call keeps the time of the first. @returns null when there is no such key */
    async revokeKey(
      tx: Transaction,
      accountId: string,
      keyId: string,
      revokedAt: Date,
    ): Promise<'revoked' | 'unchanged' | null> {
      const key = () => tx('api_keys').where({ account_id: accountId, key_id: keyId });
      if ((await key().whereNull('revoked_at').update({ revoked_at: revokedAt })) === 1) return 'revoked';
      return (await key().first('key_id')) === undefined ? null : 'unchanged';
    },
    /** A repeated call keeps the time of the first. @returns null when there is no such account */
    async suspend(tx: Transaction, accountId: string, at: Date): Promise<'changed' | 'unchanged' | null> {
      const account = () => tx('accounts').where({ account_id: accountId }).whereNull('deleting_at');
      if ((await account().whereNull('suspended_at').update({ suspended_at: at })) === 1) return 'changed';
      return (await account().first('account_id')) === undefined ? null : 'unchanged';
    },
    /** Does not find an account in deletion. @returns null when there is no such account */
    async resume(tx: Transaction, accountId: string): Promise<'changed' | 'unchanged' | null> {
      const account = () => tx('accounts').where({ account_id: accountId }).whereNull('deleting_at');
      if ((await account().whereNotNull('suspended_at').update({ suspended_at: null })) === 1) {
        // Devices must be told again of the next suspension.
        const told = { account_id: accountId, wipe_told: 'account-suspended' };
        // In the order in which syncs write devices.
        await tx('devices').where(told).orderBy(['list_id', 'device_id']).forNoKeyUpdate().select('device_id');
        await tx('devices').where(told).update({ wipe_told: null });
        return 'changed';
      }
      return (await account().first('account_id')) === undefined ? null : 'unchanged';
    },
    /** Suspends the account and marks it as in deletion. @returns whether the audit log tells; null when there is none */
    async beginDeletion(tx: Transaction, accountId: string, at: Date): Promise<boolean | null> {
      const begun = await tx('accounts')
        .where({ account_id: accountId })
        .update({
          deleting_at: tx.raw('coalesce(deleting_at, ?)', [at]),
          suspended_at: tx.raw('coalesce(suspended_at, ?)', [at]),
        });
      if (begun === 0) return null;
      const told = tx('audit_log').where({ account_id: accountId, action: 'account.delete' });
      return (await told.first('entry_id')) !== undefined;
    },
    /** The account's lists, including those in deletion; no list can be created until the transaction ends. */
    async lockLists(tx: Transaction, accountId: string): Promise<string[]> {
      await tx('accounts').where({ account_id: accountId }).first('account_id').forUpdate();
      return tx('lists').where({ account_id: accountId }).pluck('list_id');
    },
    /** Removes an account in deletion, of which the audit log tells, and all its remaining data. @returns whether it is gone */
    async finishDeletion(tx: Transaction, accountId: string): Promise<boolean> {
      await tx.raw('SET LOCAL statement_timeout = 0');
      const [row] = await rowsOf<{ readonly gone: boolean }>(tx, 'SELECT delete_account(?) AS gone', [accountId]);
      return row?.gone === true;
    },
    /** Accounts whose deletion has begun. */
    inDeletion: async (): Promise<string[]> =>
      connection('accounts').comment('all accounts').whereNotNull('deleting_at').pluck('account_id'),
    /** Keys that are not revoked, with their accounts; in no particular order. */
    async findByKeys(
      sha256s: readonly Buffer[],
    ): Promise<{ readonly account: AccountRecord; readonly key: ApiKeyRecord }[]> {
      return (await rowsOf<object>(connection, FIND_BY_KEYS, [sha256s])).map((row) => nested(row));
    },
  };
}
