import type { SignInWay } from '@svc/protocol';
import { changeDueRows } from '../../db/by-account.ts';
import type { Connection, Transaction } from '../../db/connection.ts';
import type { UserKey, UserRecord } from '../users/store.ts';

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
  readonly user: Pick<UserRecord, 'email' | 'name' | 'role' | 'language' | 'disabledAt'>;
  readonly account: {
    readonly name: string;
    readonly country: string | null;
    readonly billingCurrency: string;
    readonly suspendedAt: Date | null;
  };
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

interface SessionRow {
  readonly account_id: string;
  readonly user_id: string;
  readonly session_id: string;
  readonly way: SignInWay;
  readonly browser: string | null;
  readonly platform: string | null;
  readonly created_at: Date;
  readonly authenticated_at: Date;
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

interface HeldRow extends SessionRow {
  readonly secret_sha256: Buffer;
  readonly email: string;
  readonly user_name: string;
  readonly role: UserRecord['role'];
  readonly language: string | null;
  readonly disabled_at: Date | null;
  readonly account_name: string;
  readonly country: string | null;
  readonly billing_currency: string;
  readonly suspended_at: Date | null;
}

interface PasskeyRow {
  readonly account_id: string;
  readonly user_id: string;
  readonly passkey_id: string;
  readonly credential_id: Buffer;
  readonly public_key: Buffer;
  /** bigint, which the driver leaves as text unless a parser is set. */
  readonly counter: number | string;
  readonly transports: string[];
  readonly synced: boolean;
  readonly name: string;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
}

const SESSION_COLUMNS = [
  ...['account_id', 'user_id', 'session_id', 'way', 'browser', 'platform'],
  ...['created_at', 'authenticated_at', 'last_used_at', 'expires_at'],
];
const PASSKEY_COLUMNS = [
  ...['account_id', 'user_id', 'passkey_id', 'credential_id', 'public_key', 'counter', 'transports', 'synced'],
  ...['name', 'created_at', 'last_used_at'],
];

const toSession = (row: SessionRow): SessionRecord => ({
  accountId: row.account_id,
  userId: row.user_id,
  sessionId: row.session_id,
  way: row.way,
  browser: row.browser,
  platform: row.platform,
  createdAt: row.created_at,
  authenticatedAt: row.authenticated_at,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
});

const toHeld = (row: HeldRow): HeldSession => ({
  session: toSession(row),
  sha256: row.secret_sha256,
  user: {
    email: row.email,
    name: row.user_name,
    role: row.role,
    language: row.language,
    disabledAt: row.disabled_at,
  },
  account: {
    name: row.account_name,
    country: row.country,
    billingCurrency: row.billing_currency,
    suspendedAt: row.suspended_at,
  },
});

const toPasskey = (row: PasskeyRow): PasskeyRecord => ({
  accountId: row.account_id,
  userId: row.user_id,
  passkeyId: row.passkey_id,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: Number(row.counter),
  transports: row.transports,
  synced: row.synced,
  name: row.name,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export type SessionStore = ReturnType<typeof createSessionStore>;

/** A constant, as it runs for every request. */
const FIND_BY_SECRETS = `
/* all accounts */ SELECT ${SESSION_COLUMNS.map((name) => `held.${name}`).join(', ')}, held.secret_sha256,
  users.email, users.name AS user_name, users.role, users.language, users.disabled_at,
  accounts.name AS account_name, accounts.country, accounts.billing_currency, accounts.suspended_at
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
const ROWS_AT_ONCE = 1_000;

export function createSessionStore(connection: Connection) {
  const ofUser = (on: Connection, table: string, { accountId, userId }: UserKey) =>
    on(table).where({ account_id: accountId, user_id: userId });
  const sessions = (on: Connection, key: SessionKey) =>
    ofUser(on, 'user_sessions', key).where({ session_id: key.sessionId });
  return {
    async insert(tx: Transaction, session: SessionRecord, sha256: Buffer): Promise<void> {
      await tx('user_sessions').insert({
        account_id: session.accountId,
        user_id: session.userId,
        session_id: session.sessionId,
        secret_sha256: sha256,
        way: session.way,
        browser: session.browser,
        platform: session.platform,
        created_at: session.createdAt,
        authenticated_at: session.authenticatedAt,
        last_used_at: session.lastUsedAt,
        expires_at: session.expiresAt,
      });
    },
    /** In no particular order; also sessions that are over. */
    async findBySecrets(sha256s: readonly Buffer[], tx?: Transaction): Promise<HeldSession[]> {
      const { rows } = await (tx ?? connection).raw<{ rows: HeldRow[] }>(FIND_BY_SECRETS, [sha256s as Buffer[]]);
      return rows.map(toHeld);
    },
    /** Sessions that are not over, newest first, older than `before`. */
    async page(
      key: UserKey,
      {
        before,
        now,
        usedAfter,
        rows,
      }: { readonly before: string | undefined; readonly now: Date; readonly usedAfter: Date; readonly rows: number },
    ): Promise<SessionRecord[]> {
      const query = ofUser(connection, 'user_sessions', key)
        .where('expires_at', '>', now)
        .where('last_used_at', '>', usedAfter);
      if (before !== undefined) query.where('session_id', '<', before);
      const found: SessionRow[] = await query.orderBy('session_id', 'desc').limit(rows).select(SESSION_COLUMNS);
      return found.map(toSession);
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
    async removeOver(now: Date, usedBefore: Date): Promise<void> {
      while ((await SESSIONS_OVER(connection, { now, usedBefore }, ROWS_AT_ONCE)) === ROWS_AT_ONCE);
    },
    async addPasskey(tx: Transaction, passkey: PasskeyRecord): Promise<void> {
      await tx('user_passkeys').insert({
        account_id: passkey.accountId,
        user_id: passkey.userId,
        passkey_id: passkey.passkeyId,
        credential_id: passkey.credentialId,
        public_key: passkey.publicKey,
        counter: passkey.counter,
        transports: [...passkey.transports],
        synced: passkey.synced,
        name: passkey.name,
        created_at: passkey.createdAt,
        last_used_at: passkey.lastUsedAt,
      });
    },
    /** Of all users, as authenticators choose these ids. */
    async findPasskeys(credentialId: Buffer): Promise<PasskeyRecord[]> {
      const rows: PasskeyRow[] = await connection('user_passkeys')
        .comment('all accounts')
        .where({ credential_id: credentialId })
        .select(PASSKEY_COLUMNS);
      return rows.map(toPasskey);
    },
    /** Newest first. */
    async passkeys(key: UserKey, tx?: Transaction): Promise<PasskeyRecord[]> {
      const rows: PasskeyRow[] = await ofUser(tx ?? connection, 'user_passkeys', key)
        .orderBy('passkey_id', 'desc')
        .select(PASSKEY_COLUMNS);
      return rows.map(toPasskey);
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
    async addChallenge({ challengeId, purpose, challenge, sessionId, expiresAt }: ChallengeRecord): Promise<void> {
      await connection('sign_in_challenges').insert({
        challenge_id: challengeId,
        purpose,
        challenge,
        session_id: sessionId,
        expires_at: expiresAt,
      });
    },
    /** Takes a challenge, which works once. @returns null for one that does not work */
    async takeChallenge(
      { challengeId, purpose, sessionId }: Pick<ChallengeRecord, 'challengeId' | 'purpose' | 'sessionId'>,
      now: Date,
    ): Promise<Buffer | null> {
      const [row]: { challenge: Buffer }[] = await connection('sign_in_challenges')
        .where({ challenge_id: challengeId, purpose, session_id: sessionId })
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
