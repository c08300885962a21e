import type { AccountMode, NoticeKind, UserRole } from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import { columnsIn, columnsOf, rowsOf, selected, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';

export interface UserKey {
  readonly accountId: string;
  readonly userId: string;
}

/** A person of the organiser. */
export interface UserRecord extends UserKey {
  /** Lower case. */
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly language: string | null;
  readonly createdAt: Date;
  /** Null until the first time. */
  readonly lastSignedInAt: Date | null;
  readonly disabledAt: Date | null;
  /** Of which no mail is wanted. */
  readonly mutedNotices: readonly NoticeKind[];
}

/** A user as others see it. */
export interface UserView extends UserRecord {
  readonly passkeys: number;
  /** End of the open invitation. */
  readonly invitedUntil: Date | null;
}

/** What a link is for: an invitation by another person, or one's own request by mail. */
export type LinkPurpose = 'invitation' | 'mail';

export interface NewLink extends UserKey {
  readonly linkId: string;
  readonly sha256: Buffer;
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;
}

const COLUMNS = columnsOf<UserRecord>()(
  ['accountId', 'userId', 'email', 'name', 'role', 'language'],
  ['createdAt', 'lastSignedInAt', 'disabledAt', 'mutedNotices'],
);

/** What a person in the dashboard sees of its account. */
export interface AccountOfUser {
  readonly name: string;
  readonly country: string | null;
  readonly billingCurrency: string;
  readonly mode: AccountMode;
  readonly suspendedAt: Date | null;
}

const LINK_COLUMNS = { ...columnsOf<UserKey>()(['accountId', 'userId']), linkId: 'link_id', purpose: 'purpose' };
const ACCOUNT_COLUMNS = columnsOf<AccountOfUser>()(['name', 'country', 'billingCurrency', 'mode', 'suspendedAt']);

export type UserStore = ReturnType<typeof createUserStore>;

const VIEW = `
SELECT ${selected(columnsIn('users', COLUMNS))},
  (SELECT count(*)::int FROM user_passkeys AS held
    WHERE held.account_id = :accountId AND held.user_id = users.user_id) AS passkeys,
  (SELECT max(expires_at) FROM user_links AS open
    WHERE open.account_id = :accountId AND open.user_id = users.user_id
      AND open.purpose = 'invitation' AND open.expires_at > :now) AS "invitedUntil"
FROM users WHERE users.account_id = :accountId`;

const ENABLED = `
/* all accounts */ SELECT ${selected(columnsIn('users', COLUMNS))}, accounts.name AS "accountName"
FROM users JOIN accounts ON accounts.account_id = users.account_id
WHERE users.email = ? AND users.disabled_at IS NULL AND accounts.suspended_at IS NULL
ORDER BY users.last_signed_in_at DESC NULLS LAST, users.user_id`;

const EXPIRED_LINKS = changeDueRows({
  table: 'user_links',
  key: { user_id: 'text', link_id: 'uuid' },
  due: 'expires_at <= :now',
  change: 'DELETE FROM user_links',
});

export function createUserStore(connection: Connection) {
  const users = (on: Connection, { accountId, userId }: UserKey) =>
    on('users').where({ account_id: accountId, user_id: userId });
  const links = (on: Connection, { accountId, userId }: UserKey) =>
    on('user_links').where({ account_id: accountId, user_id: userId });
  async function views(on: Connection, sql: string, values: Record<string, Date | string | number>) {
    return await rowsOf<UserView>(on, sql, values);
  }
  return {
    /** Until the transaction ends no other changes the account's users. @returns false for an unknown account */
    async lock(tx: Transaction, accountId: string): Promise<boolean> {
      const row: object | undefined = await tx('accounts')
        .where({ account_id: accountId })
        .forNoKeyUpdate()
        .first('account_id');
      return row !== undefined;
    },
    /** Null for an unknown account. */
    async account(tx: Transaction, accountId: string): Promise<AccountOfUser | null> {
      return (await tx('accounts').where({ account_id: accountId }).first(ACCOUNT_COLUMNS)) ?? null;
    },
    async count(tx: Transaction, accountId: string): Promise<number> {
      return (await tx('users').where({ account_id: accountId }).pluck('user_id')).length;
    },
    /** Whether any account has a user. */
    hasAny: async (): Promise<boolean> =>
      (await connection('users').comment('all accounts').first('user_id')) !== undefined,
    /** Those in one of the roles who can sign in and have done so. */
    active: (accountId: string, roles: readonly UserRole[], tx?: Transaction): Promise<UserRecord[]> =>
      (tx ?? connection)('users')
        .where({ account_id: accountId })
        .whereIn('role', roles)
        .whereNull('disabled_at')
        .whereNotNull('last_signed_in_at')
        .select(COLUMNS),
    async insert(tx: Transaction, user: UserRecord): Promise<void> {
      await tx('users').insert(toRow(user));
    },
    async find(key: UserKey, tx?: Transaction): Promise<UserRecord | null> {
      return (await users(tx ?? connection, key).first(COLUMNS)) ?? null;
    },
    async findByEmail(accountId: string, email: string, tx: Transaction): Promise<UserRecord | null> {
      return (await tx('users').where({ account_id: accountId, email }).first(COLUMNS)) ?? null;
    },
    /** Of all accounts that are not suspended, the one that signed in last first; without disabled users. */
    enabledWithEmail: (email: string) =>
      rowsOf<UserRecord & { readonly accountName: string }>(connection, ENABLED, [email]),
    async view({ accountId, userId }: UserKey, now: Date, tx?: Transaction): Promise<UserView | null> {
      const sql = `${VIEW} AND users.user_id = :userId`;
      return (await views(tx ?? connection, sql, { accountId, userId, now }))[0] ?? null;
    },
    /** Newest first, older than `before`. */
    page: (accountId: string, before: string | undefined, now: Date, rows: number): Promise<UserView[]> =>
      views(
        connection,
        `${VIEW} ${before === undefined ? '' : 'AND users.user_id < :before'} ORDER BY users.user_id DESC LIMIT :rows`,
        { accountId, now, rows, ...(before === undefined ? {} : { before }) },
      ),
    async update(
      tx: Transaction,
      key: UserKey,
      changes: Partial<
        Pick<UserRecord, 'name' | 'role' | 'language' | 'disabledAt' | 'lastSignedInAt' | 'mutedNotices'>
      >,
    ): Promise<void> {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      if (given.length > 0) await users(tx, key).update(toRow(Object.fromEntries(given)));
    },
    /** With everything of it. */
    async remove(tx: Transaction, key: UserKey): Promise<void> {
      await users(tx, key).delete();
    },
    async addLink(tx: Transaction, { sha256, ...link }: NewLink): Promise<void> {
      await tx('user_links').insert(toRow({ ...link, tokenSha256: sha256 }));
    },
    /** @returns number of links that still work */
    async openLinks(tx: Transaction, key: UserKey, purpose: LinkPurpose, now: Date): Promise<number> {
      return (await links(tx, key).where({ purpose }).where('expires_at', '>', now).pluck('link_id')).length;
    },
    async removeLinks(tx: Transaction, key: UserKey): Promise<void> {
      await links(tx, key).delete();
    },
    /** Takes a link, which works once. @returns null for one that does not work */
    async takeLink(
      tx: Transaction,
      sha256: Buffer,
      now: Date,
    ): Promise<(UserKey & { readonly purpose: LinkPurpose }) | null> {
      const link: Omit<NewLink, 'sha256' | 'expiresAt'> | undefined = await tx('user_links')
        .comment('all accounts')
        .where({ token_sha256: sha256 })
        .where('expires_at', '>', now)
        .first(LINK_COLUMNS);
      if (link === undefined) return null;
      const { linkId, ...taken } = link;
      // Of two that found it, one takes it.
      return (await links(tx, taken).where({ link_id: linkId }).delete()) === 1 ? taken : null;
    },
    removeExpiredLinks: (now: Date) => EXPIRED_LINKS(connection, { now }),
  };
}
