import { type ApiKeyScope, type ErrorCode, FRESH_MS, type Operation } from '@svc/protocol';
import type { Request } from 'express';
import type { ApiConfig } from '../config/config.ts';
import type { Database } from '../db/connection.ts';
import { createPlainQueries } from '../db/plain-queries.ts';
import { guestsShare, type Share, SharedWhole, serverShare } from '../platform/fair-share.ts';
import type { CarriedOutOnce } from '../platform/idempotency.ts';
import type { Clock, Random } from '../platform/ports.ts';
import {
  apiKeyOf,
  bearerOf,
  createAddressBucket,
  createLookUpCredential,
  isOfSession,
  refuseForeignPage,
  refuseForgery,
  sessionSecretOf,
} from './credentials.ts';
import { createGuard, type Guard } from './guard.ts';
import { createLocalLimiter, createSharedLimiter } from './rate-limiter.ts';

/** If counting in the database takes longer, this node counts alone. */
const COUNT_LIMIT_MS = 500;
/** Those who have not signed in yet, together. */
const VISITORS: Share = { name: 'visitors', weight: 1 };

/** The session of a person in the dashboard. */
export interface SessionOfCaller {
  readonly accountId: string;
  readonly userId: string;
  readonly sessionId: string;
  /** When the person signed in, or confirmed it last. */
  readonly authenticatedAt: Date;
  /** To within minutes. */
  readonly lastUsedAt: Date;
}

/** Kinds of callers by credential. */
export interface Callers {
  readonly apiKey: {
    readonly accountId: string;
    readonly keyId: string;
    /** Scopes null: all. */
    readonly rights: { readonly scopes: readonly ApiKeyScope[] | null };
    /** Set for a person in the dashboard, who has no API key. */
    readonly session?: SessionOfCaller;
  };
  readonly session: SessionOfCaller;
  readonly guestToken: { readonly accountId: string; readonly tokenId: string };
  readonly deviceToken: { readonly accountId: string; readonly deviceId: string; readonly listId: string };
}

/** One guard per kind of caller, and one for those who sign in. */
export type Guards<C extends Callers> = { readonly [Security in keyof Callers]: Guard<C[Security]> } & {
  readonly visitor: Guard<unknown>;
};

export interface GuardsParts<C extends Callers> {
  readonly traffic: ApiConfig['traffic'];
  readonly database: Pick<Database, 'connection' | 'isSaturated'>;
  readonly idempotency: CarriedOutOnce;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticateAccount: (apiKey: string) => Promise<C['apiKey']>;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticatePerson: (secret: string) => Promise<C['session']>;
  /** Notes that a session was used; not called for requests that only last. */
  readonly noteUse: (session: SessionOfCaller) => void;
  /** A person as a caller of the organiser's operations. */
  readonly accountCallerOf: (person: C['session']) => C['apiKey'];
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticateGuest: (token: string) => Promise<C['guestToken']>;
  /** @throws ServiceError 'invalid-credential' */
  readonly authenticateDevice: (token: string) => Promise<C['deviceToken']>;
  /** Origin of the dashboard; null where its address is not known. */
  readonly dashboardOrigin: string | null;
  readonly clock: Clock;
  readonly random: Random;
}

export function createGuards<C extends Callers>(o: GuardsParts<C>): Guards<C> {
  const { rateLimits } = o.traffic;
  const bucketOf = createAddressBucket(o.random);
  const lookUp = createLookUpCredential(rateLimits.unknownCredentials, bucketOf);
  const queries = createPlainQueries(o.database, COUNT_LIMIT_MS);
  const apiKeys = createSharedLimiter('api-key', rateLimits.apiKey, queries);
  const sessions = createSharedLimiter('session', rateLimits.apiKey, queries);
  const signIns = createLocalLimiter('sign-in', rateLimits.signIn);
  const guestTokens = createSharedLimiter('guest-token', rateLimits.guestToken, queries);
  const devices = createLocalLimiter('device', rateLimits.device);
  const common = {
    idempotency: o.idempotency,
    bodies: new SharedWhole(o.traffic.bodyBytes),
    isSaturated: () => o.database.isSaturated(),
  };
  async function authenticatePerson(request: Request): Promise<C['session']> {
    const secret = sessionSecretOf(request);
    const person = await lookUp(request, () => o.authenticatePerson(secret));
    refuseForgery(request, o.dashboardOrigin, secret);
    return person;
  }
  function countSession(session: SessionOfCaller) {
    o.noteUse(session);
    return sessions.count(`${session.userId}/${session.sessionId}`);
  }
  /** What the operation needs of a person besides its rights. */
  function staleSignInOf({ authenticatedAt }: SessionOfCaller, { fresh }: Operation): ErrorCode | null {
    const isFresh = o.clock.now() - authenticatedAt.getTime() <= FRESH_MS;
    return fresh && !isFresh ? 'reauthentication-required' : null;
  }
  return {
    apiKey: createGuard<C['apiKey']>({
      ...common,
      async authenticate(request) {
        if (isOfSession(request)) return o.accountCallerOf(await authenticatePerson(request));
        const apiKey = apiKeyOf(request);
        return lookUp(request, () => o.authenticateAccount(apiKey));
      },
      namesOf: ({ accountId, keyId, session }) =>
        session === undefined ? { accountId, keyId } : { accountId, userId: session.userId },
      shareOf: ({ accountId }) => serverShare(accountId),
      count: ({ accountId, keyId, session }) =>
        session === undefined ? apiKeys.count(`${accountId}/${keyId}`) : countSession(session),
      refusalOf({ rights: { scopes }, session }, operation) {
        const { scope } = operation;
        if (scopes !== null && (scope === undefined || !scopes.includes(scope))) return 'insufficient-scope';
        return session === undefined ? null : staleSignInOf(session, operation);
      },
      // An organiser that rotates its API key repeats its requests with the new one. People do not share theirs.
      keysOf: ({ accountId, session }) => ({ accountId, owner: session === undefined ? 'account' : session.userId }),
    }),
    session: createGuard<C['session']>({
      ...common,
      authenticate: authenticatePerson,
      namesOf: ({ accountId, userId }) => ({ accountId, userId }),
      shareOf: ({ accountId }) => serverShare(accountId),
      count: countSession,
      refusalOf: staleSignInOf,
    }),
    visitor: createGuard<{ readonly address: string }>({
      ...common,
      authenticate(request) {
        // A page elsewhere could otherwise sign its visitors in as somebody else.
        refuseForeignPage(request, o.dashboardOrigin);
        return Promise.resolve({ address: bucketOf(request) });
      },
      namesOf: () => ({}),
      shareOf: () => VISITORS,
      count: ({ address }) => signIns.count(address),
    }) as Guard<unknown>,
    guestToken: createGuard({
      ...common,
      authenticate(request) {
        const token = bearerOf(request, 'svce');
        return lookUp(request, () => o.authenticateGuest(token));
      },
      namesOf: ({ accountId }) => ({ accountId }),
      shareOf: ({ accountId }) => guestsShare(accountId),
      // A token works once and recognises its own repeats.
      count: ({ accountId, tokenId }) => guestTokens.count(`${accountId}/${tokenId}`),
    }),
    deviceToken: createGuard({
      ...common,
      authenticate(request) {
        const token = bearerOf(request, 'svcd');
        return lookUp(request, () => o.authenticateDevice(token));
      },
      namesOf: ({ accountId, deviceId }) => ({ accountId, deviceId }),
      shareOf: ({ accountId }) => serverShare(accountId),
      count: ({ listId, deviceId }) => devices.count(`${listId}/${deviceId}`),
    }),
  };
}
