import { timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  isId,
  MINUTE_MS,
  roleScopes,
  SESSION_IDLE_MS,
  SESSION_MS,
  type SignInWay,
  type UpdateOwnUserRequest,
} from '@svc/protocol';
import { createSecret, secretSha256 } from '../../crypto/secrets.ts';
import type { Transaction } from '../../db/connection.ts';
import { coalesce } from '../../platform/coalesce.ts';
import { missing, ServiceError } from '../../platform/errors.ts';
import { decodeCursor, type Page, type PageRequest, toPage } from '../../platform/paging.ts';
import type { SessionOfCaller } from '../../platform/ports.ts';
import type { AccountCaller } from '../accounts/service.ts';
import type { ApiKeyRights } from '../accounts/store.ts';
import type { Actor, AuditAct, AuditAction } from '../audit/service.ts';
import type { UserKey, UserRecord, UserStore } from '../users/store.ts';
import type { Uses } from '../uses.ts';
import type { HeldSession, SessionRecord, SessionStore } from './store.ts';

/** A signed-in person: its session, its user, its account. */
export interface Person extends SessionRecord {
  readonly email: string;
  readonly name: string;
  readonly role: UserRecord['role'];
  readonly language: string | null;
  readonly mutedNotices: UserRecord['mutedNotices'];
  readonly account: HeldSession['account'];
}

/** What is kept of the browser that a session began in. */
export interface Browser {
  readonly browser: string | null;
  readonly platform: string | null;
}

export interface StartedSession {
  readonly person: Person;
  /** For the cookie; never stored. */
  readonly secret: string;
}

/** How coarsely the use of a session is noted. */
const NOTED_EVERY_MS = 5 * MINUTE_MS;

/** The rights of a role; null scopes are all, also those to come. */
export const rightsOf = (role: UserRecord['role']): ApiKeyRights => ({
  scopes: role === 'owner' ? null : roleScopes[role],
  expiresAt: null,
});

const personActor = ({ userId }: Pick<UserKey, 'userId'>): Actor => ({ kind: 'user', userId });

/** An act of a person in the dashboard. */
export const personAct = (person: UserKey, action: AuditAction, target: string): AuditAct => ({
  ...{ accountId: person.accountId, actor: personActor(person), action, target },
});

/** A person as a caller of the organiser's operations, with the rights of its role at this moment. */
export function accountCallerOf(person: Person): AccountCaller {
  const { accountId, userId, sessionId, authenticatedAt, lastUsedAt, role, account } = person;
  return {
    ...{ accountId, keyId: sessionId, rights: rightsOf(role), actor: personActor(person) },
    session: { accountId, userId, sessionId, role, authenticatedAt, lastUsedAt },
    ...{ country: account.country, billingCurrency: account.billingCurrency, mode: account.mode },
  };
}

export type SessionService = ReturnType<typeof createSessionService>;

export function createSessionService(
  o: Uses<'database' | 'audit' | 'ids' | 'clock' | 'random'> & {
    readonly sessions: SessionStore;
    readonly users: UserStore;
  },
) {
  const now = () => new Date(o.clock.now());
  const usedAfter = () => new Date(o.clock.now() - SESSION_IDLE_MS);
  const isOver = ({ expiresAt, lastUsedAt }: SessionRecord) => expiresAt <= now() || lastUsedAt <= usedAfter();

  const noted = new Set<string>();
  /** Writes a use beside the request: a failure ends the session some minutes early at most. */
  function noteUse(session: SessionOfCaller): void {
    const { sessionId, lastUsedAt } = session;
    if (o.clock.now() - lastUsedAt.getTime() < NOTED_EVERY_MS || noted.has(sessionId)) return;
    noted.add(sessionId);
    void o.sessions
      .noteUse(session, now())
      .catch(() => undefined)
      .finally(() => noted.delete(sessionId));
  }

  const findBySecret = coalesce(async (sha256s: readonly Buffer[]) => {
    const found = await o.sessions.findBySecrets(sha256s);
    return sha256s.map((wanted) => found.find(({ sha256 }) => timingSafeEqual(sha256, wanted)));
  });

  const toPerson = ({ session, user, account }: HeldSession): Person => {
    const { email, name, role, language, mutedNotices } = user;
    return { ...session, email, name, role, language, mutedNotices, account };
  };

  return {
    /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
    async authenticate(secret: string): Promise<Person> {
      const found = await findBySecret(secretSha256(secret));
      if (found === undefined || isOver(found.session) || found.user.disabledAt !== null) {
        throw new ServiceError('invalid-credential');
      }
      if (found.account.suspendedAt !== null) throw new ServiceError('account-suspended');
      return toPerson(found);
    },
    noteUse,
    /**
     * Starts a session with a new secret, and ends the one that the browser had.
     * @param former the secret in the browser's cookie, if any
     * @returns null for a user who cannot sign in
     * @throws ServiceError 'account-suspended'
     */
    async start(
      tx: Transaction,
      key: UserKey,
      { way, browser, former }: { readonly way: SignInWay; readonly browser: Browser; readonly former: string | null },
    ): Promise<StartedSession | null> {
      const account = await o.users.account(tx, key.accountId);
      const user = await o.users.find(key, tx);
      if (account === null || user === null || user.disabledAt !== null) return null;
      if (account.suspendedAt !== null) throw new ServiceError('account-suspended');
      if (former !== null) {
        const [before] = await o.sessions.findBySecrets([secretSha256(former)], tx);
        if (before !== undefined) await o.sessions.remove(tx, before.session);
      }
      const { secret, sha256 } = createSecret(o.random, 'svcs');
      const at = now();
      const session: SessionRecord = {
        ...{ accountId: key.accountId, userId: key.userId, sessionId: o.ids.next('ses') },
        ...{ way, ...browser, createdAt: at, authenticatedAt: at, lastUsedAt: at },
        expiresAt: new Date(at.getTime() + SESSION_MS),
      };
      await o.sessions.insert(tx, session, sha256);
      await o.users.update(tx, key, { lastSignedInAt: at });
      await o.audit.record(tx, personAct(key, 'session.start', session.sessionId));
      return { person: toPerson({ session, sha256, user, account }), secret };
    },
    /** What the person may change of itself. */
    async updateUser(person: Person, changes: UpdateOwnUserRequest): Promise<Person> {
      const { name = person.name, language = person.language, mutedNotices = person.mutedNotices } = changes;
      const after = { name, language, mutedNotices };
      if (isDeepStrictEqual({ ...person, ...after }, person)) return person;
      await o.database.transaction(async (tx) => {
        await o.users.update(tx, person, after);
        await o.audit.record(tx, personAct(person, 'user.update', person.userId));
      });
      return { ...person, ...after };
    },
    async end(person: Person): Promise<void> {
      await o.database.transaction(async (tx) => {
        if (!(await o.sessions.remove(tx, person))) return;
        await o.audit.record(tx, personAct(person, 'session.end', person.sessionId));
      });
    },
    /** Another of the person's own sessions, or the present one. @throws ServiceError 'not-found' */
    async revoke(person: Person, sessionId: string): Promise<void> {
      if (!isId('ses', sessionId)) throw missing('session');
      const { accountId, userId } = person;
      await o.database.transaction(async (tx) => {
        const removed = await o.sessions.remove(tx, { accountId, userId, sessionId });
        if (!removed) throw missing('session');
        await o.audit.record(tx, personAct(person, 'session.revoke', sessionId));
      });
    },
    /** One's own, newest first. @throws ServiceError 'invalid-request' for a foreign cursor */
    async page(person: Person, { cursor, limit }: PageRequest): Promise<Page<SessionRecord>> {
      const before = decodeCursor(cursor, (key) => isId('ses', key));
      const range = { before, now: now(), usedAfter: usedAfter(), rows: limit + 1 };
      const rows = await o.sessions.page(person, range);
      return toPage(rows, limit, ({ sessionId }) => sessionId);
    },
    /** The person has just proved again that it is them. */
    async confirm(tx: Transaction, person: Person): Promise<Person> {
      const authenticatedAt = now();
      await o.sessions.confirm(tx, person, authenticatedAt);
      await o.audit.record(tx, personAct(person, 'session.confirm', person.sessionId));
      return { ...person, authenticatedAt };
    },
    /** Removes what is over: sessions, links, challenges. */
    async sweep(): Promise<void> {
      await o.sessions.removeOver(now(), usedAfter());
      await o.sessions.removeExpiredChallenges(now());
      await o.users.removeExpiredLinks(now());
    },
  };
}
