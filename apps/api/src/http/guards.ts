import type { ApiKeyScope } from '@svc/protocol';
import type { ApiConfig } from '../config/config.ts';
import type { Database } from '../db/connection.ts';
import { createPlainQueries } from '../db/plain-queries.ts';
import { guestsShare, SharedWhole, serverShare } from '../platform/fair-share.ts';
import type { CarriedOutOnce } from '../platform/idempotency.ts';
import type { Random } from '../platform/ports.ts';
import { apiKeyOf, bearerOf } from './credentials.ts';
import { createGuard, type Guard } from './guard.ts';
import { createLocalLimiter, createSharedLimiter } from './rate-limiter.ts';
import { createAddressBucket, createLookUpCredential } from './unknown-credentials.ts';

/** If counting in the database takes longer, this node counts alone. */
const COUNT_LIMIT_MS = 500;

/** Kinds of callers by credential. */
export interface Callers {
  readonly apiKey: {
    readonly accountId: string;
    readonly keyId: string;
    /** Scopes null: all. */
    readonly rights: { readonly scopes: readonly ApiKeyScope[] | null };
  };
  readonly guestToken: { readonly accountId: string; readonly tokenId: string };
  readonly deviceToken: { readonly accountId: string; readonly deviceId: string; readonly listId: string };
}

/** One guard per kind of caller. */
export type Guards<C extends Callers> = { readonly [Security in keyof Callers]: Guard<C[Security]> };

export interface GuardsParts<C extends Callers> {
  readonly traffic: ApiConfig['traffic'];
  readonly database: Pick<Database, 'connection' | 'isSaturated'>;
  readonly idempotency: CarriedOutOnce;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticateAccount: (apiKey: string) => Promise<C['apiKey']>;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticateGuest: (token: string) => Promise<C['guestToken']>;
  /** @throws ServiceError 'invalid-credential' */
  readonly authenticateDevice: (token: string) => Promise<C['deviceToken']>;
  readonly random: Random;
}

export function createGuards<C extends Callers>(o: GuardsParts<C>): Guards<C> {
  const { rateLimits } = o.traffic;
  const lookUp = createLookUpCredential(rateLimits.unknownCredentials, createAddressBucket(o.random));
  const queries = createPlainQueries(o.database, COUNT_LIMIT_MS);
  const apiKeys = createSharedLimiter('api-key', rateLimits.apiKey, queries);
  const guestTokens = createSharedLimiter('guest-token', rateLimits.guestToken, queries);
  const devices = createLocalLimiter('device', rateLimits.device);
  const common = {
    idempotency: o.idempotency,
    bodies: new SharedWhole(o.traffic.bodyBytes),
    isSaturated: () => o.database.isSaturated(),
  };
  return {
    apiKey: createGuard({
      ...common,
      authenticate(request) {
        const apiKey = apiKeyOf(request);
        return lookUp(request, () => o.authenticateAccount(apiKey));
      },
      namesOf: ({ accountId, keyId }) => ({ accountId, keyId }),
      shareOf: ({ accountId }) => serverShare(accountId),
      count: ({ accountId, keyId }) => apiKeys.count(`${accountId}/${keyId}`),
      mayUse: ({ rights: { scopes } }, { scope }) => scopes === null || (scope !== undefined && scopes.includes(scope)),
      // An organiser that rotates its API key repeats its requests with the new one.
      keysOf: ({ accountId }) => ({ accountId, owner: 'account' }),
    }),
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
