import type { ApiConfig } from '../config/config.ts';
import type { Database } from '../db/connection.ts';
import { createPlainQueries } from '../db/plain-queries.ts';
import type { AccountCaller, AccountService } from '../features/accounts/service.ts';
import type { IdempotencyService } from '../features/idempotency/service.ts';
import { guestsShare, SharedWhole, serverShare } from '../platform/fair-share.ts';
import type { Random } from '../platform/ports.ts';
import { createAddressBucket } from './client-address.ts';
import { apiKeyOf, bearerOf } from './credentials.ts';
import { createGuard, type Guard } from './guard.ts';
import { createLocalLimiter, createSharedLimiter } from './rate-limiter.ts';
import { createLookUpCredential } from './unknown-credentials.ts';

/** A count that takes longer than this is made by this node alone. */
const COUNT_LIMIT_MS = 500;

/** One guard for each kind of caller. */
export interface Guards<Guest, Device> {
  readonly account: Guard<AccountCaller>;
  readonly guest: Guard<Guest>;
  readonly device: Guard<Device>;
}

export interface GuardsParts<Guest, Device> {
  readonly traffic: ApiConfig['traffic'];
  readonly database: Pick<Database, 'connection' | 'isSaturated'>;
  readonly idempotency: Pick<IdempotencyService, 'begin' | 'isCarriedOut'>;
  readonly accounts: Pick<AccountService, 'authenticate'>;
  /** @throws ServiceError 'invalid-credential' or 'account-suspended' */
  readonly authenticateGuest: (token: string) => Promise<Guest>;
  /** @throws ServiceError 'invalid-credential' */
  readonly authenticateDevice: (token: string) => Promise<Device>;
  readonly random: Random;
}

export function createGuards<
  Guest extends { readonly accountId: string; readonly tokenId: string },
  Device extends { readonly accountId: string; readonly deviceId: string; readonly listId: string },
>(o: GuardsParts<Guest, Device>): Guards<Guest, Device> {
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
    account: createGuard({
      ...common,
      authenticate(request) {
        const apiKey = apiKeyOf(request);
        return lookUp(request, () => o.accounts.authenticate(apiKey));
      },
      namesOf: ({ accountId, keyId }) => ({ accountId, keyId }),
      shareOf: ({ accountId }) => serverShare(accountId),
      count: ({ accountId, keyId }) => apiKeys.count(`${accountId}/${keyId}`),
      // An organiser that changes its key mid-way repeats its requests under the new one.
      keysOf: ({ accountId }) => ({ accountId, owner: 'account' }),
    }),
    guest: createGuard({
      ...common,
      authenticate(request) {
        const token = bearerOf(request, 'svce');
        return lookUp(request, () => o.authenticateGuest(token));
      },
      namesOf: ({ accountId }) => ({ accountId }),
      shareOf: ({ accountId }) => guestsShare(accountId),
      // A token works once, and knows its own repeats.
      count: ({ accountId, tokenId }) => guestTokens.count(`${accountId}/${tokenId}`),
    }),
    device: createGuard({
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
