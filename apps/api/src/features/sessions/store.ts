import type { SignInWay } from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import { columnsIn, columnsOf, nested, rowsOf, selected, toRow } from '../../db/columns.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { AccountOfUser, UserKey, UserRecord } from '../users/store.ts';

export interface SessionKey extends UserKey {
  readonly sessionId: string;
}

/** A person's session in a browser. */
export interface SessionRecord extends SessionKey {
  readonly way: SignInWay;
  readonly browser: string | null;
  readonly platform: string | null;
  readonly createdAt: Date;
  /** When the person signed in, or confirmed it last. */
  readonly authenticatedAt: Date;
  /** To within minutes. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** A session with its user and account. */
export interface HeldSession {
  readonly session: SessionRecord;
  readonly sha256: Buffer;
  readonly user: Pick<UserRecord, 'email' | 'name' | 'role' | 'language' | 'disabledAt' | 'mutedNotices'>;
  readonly account: AccountOfUser;
}

export interface PasskeyRecord extends UserKey {
  readonly passkeyId: string;
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  readonly synced: boolean;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export type ChallengePurpose = 'sign-in' | 'confirm' | 'create' | 'oidc';

export interface ChallengeRecord {
  readonly challengeId: string;
  readonly purpose: ChallengePurpose;
  /** 32 bytes. */
  readonly challenge: Buffer;
  /** The session that it belongs to; null for one of nobody yet. */
  readonly sessionId: string | null;
  readonly expiresAt: Date;
}

const SESSION_COLUMNS = columnsOf<SessionRecord>()(
  ['accountId', 'userId', 'sessionId', 'way', 'browser', 'platform'],
  ['createdAt', 'authenticatedAt', 'lastUsedAt', 'expiresAt'],
);
const PASSKEY_COLUMNS = columnsOf<PasskeyRecord>()(
  ['accountId', 'userId', 'passkeyId', 'credentialId', 'publicKey', 'counter', 'transports', 'synced'],
  ['name', 'createdAt', 'lastUsedAt'],
);
const USER_COLUMNS = columnsOf<HeldSession['user']>()(
  ['email', 'name', 'role', 'language'],
  ['disabledAt', 'mutedNotices'],
);
const ACCOUNT_COLUMNS = columnsOf<AccountOfUser>()(['name', 'country', 'billingCurrency', 'mode', 'suspendedAt']);

export type SessionStore = ReturnType<typeof createSessionStore>;

const HELD_COLUMNS = {
  ...columnsIn('held', SESSION_COLUMNS, 'session'),
  sha256: 'held.secret_sha256',
  ...columnsIn('users', USER_COLUMNS, 'user'),
  ...columnsIn('accounts', ACCOUNT_COLUMNS, 'account'),
};
/** A constant, as it runs for every request. */
const FIND_BY_SECRETS = `
/* all accounts */ SELECT ${selected(HELD_COLUMNS)}
FROM user_sessions AS held
JOIN users ON users.account_id = held.account_id AND users.user_id = held.user_id
JOIN accounts ON accounts.account_id = held.account_id
WHERE held.secret_sha256 = ANY (?)`;

const SESSIONS_OVER = changeDueRows({
  table: 'user_sessions',
  key: { user_id: 'text', session_id: 'text' },
  due: '(expires_at <= :now OR last_used_at <= :usedBefore)',
  change: 'DELETE FROM user_sessions',
});

export function createSessionStore(connection: Connection) {
  const ofUser = (on: Connection, table: string, { accountId, userId }: UserKey) =>
    on(table).where({ account_id: accountId, user_id: userId });
  const sessions = (on: Connection, key: SessionKey) =>
    ofUser(on, 'user_sessions', key).where({ session_id: key.sessionId });
  return {
    async insert(tx: Transaction, session: SessionRecord, sha256: Buffer): Promise<void> {
      await tx('user_sessions').insert(toRow({ ...session, secretSha256: sha256 }));
    },
    /** In no particular order; also sessions that are over. */
    async findBySecrets(sha256s: readonly Buffer[], tx?: Transaction): Promise<HeldSession[]> {
      return (await rowsOf<object>(tx ?? connection, FIND_BY_SECRETS, [sha256s])).map((row) => nested(row));
    },
    /** Sessions that are not over, newest first, older than `before`. */
    async page(
      key: UserKey,
      o: { readonly before: string | undefined; readonly now: Date; readonly usedAfter: Date; readonly rows: number },
    ): Promise<SessionRecord[]> {
      const query = ofUser(connection, 'user_sessions', key)
        .where('expires_at', '>', o.now)
        .where('last_used_at', '>', o.usedAfter);
      if (o.before !== undefined) query.where('session_id', '<', o.before);
      return query.orderBy('session_id', 'desc').limit(o.rows).select(SESSION_COLUMNS);
    },
    /** A time before the stored one changes nothing. */
    async noteUse(key: SessionKey, at: Date): Promise<void> {
      await sessions(connection, key).where('last_used_at', '<', at).update({ last_used_at: at });
    },
    async confirm(tx: Transaction, key: SessionKey, at: Date): Promise<void> {
      await sessions(tx, key).update({ authenticated_at: at });
    },
    /** @returns whether there was one */
    remove: async (tx: Transaction, key: SessionKey): Promise<boolean> => (await sessions(tx, key).delete()) === 1,
    /** @returns number of sessions */
    removeAll: (tx: Transaction, key: UserKey): Promise<number> => ofUser(tx, 'user_sessions', key).delete(),
    removeOver: (now: Date, usedBefore: Date) => SESSIONS_OVER(connection, { now, usedBefore }),
    async addPasskey(tx: Transaction, passkey: PasskeyRecord): Promise<void> {
      await tx('user_passkeys').insert(toRow(passkey));
    },
    /** Of all users, as authenticators choose these ids. */
    async findPasskeys(credentialId: Buffer): Promise<PasskeyRecord[]> {
      return connection('user_passkeys')
        .comment('all accounts')
        .where({ credential_id: credentialId })
        .select(PASSKEY_COLUMNS);
    },
    /** Newest first. */
    async passkeys(key: UserKey, tx?: Transaction): Promise<PasskeyRecord[]> {
      return ofUser(tx ?? connection, 'user_passkeys', key)
        .orderBy('passkey_id', 'desc')
        .select(PASSKEY_COLUMNS);
    },
    /** @returns false when the stored counter is another one by now */
    async notePasskeyUse(
      tx: Transaction,
      passkey: PasskeyRecord,
      { counter, synced, at }: { readonly counter: number; readonly synced: boolean; readonly at: Date },
    ): Promise<boolean> {
      const noted = await ofUser(tx, 'user_passkeys', passkey)
        .where({ passkey_id: passkey.passkeyId, counter: passkey.counter })
        .update({ counter, synced, last_used_at: at });
      return noted === 1;
    },
    removePasskey: async (tx: Transaction, key: UserKey, passkeyId: string): Promise<boolean> =>
      (await ofUser(tx, 'user_passkeys', key).where({ passkey_id: passkeyId }).delete()) === 1,
    async addChallenge(challenge: ChallengeRecord): Promise<void> {
      await connection('sign_in_challenges').insert(toRow(challenge));
    },
    /** Takes a challenge, which works once. @returns null for one that does not work */
    async takeChallenge(
      { challengeId, purpose, sessionId }: Pick<ChallengeRecord, 'challengeId' | 'purpose' | 'sessionId'>,
      now: Date,
    ): Promise<Buffer | null> {
      const [row]: { challenge: Buffer }[] = await connection('sign_in_challenges')
        .where(toRow({ challengeId, purpose, sessionId }))
        .where('expires_at', '>', now)
        .delete()
        .returning(['challenge']);
      return row?.challenge ?? null;
    },
    async removeExpiredChallenges(now: Date): Promise<void> {
      await connection('sign_in_challenges').where('expires_at', '<=', now).delete();
    },
  };
}
