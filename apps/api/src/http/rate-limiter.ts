import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { PlainQueries } from '../db/plain-queries.ts';

/** What is left of a limit after a request was counted. */
export interface Allowance {
  /** Name of the limit, as the headers call it. */
  readonly policy: string;
  /** Requests in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Whole seconds until the window starts anew, at least 1. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** Counts requests in windows of one minute. */
export interface RateLimiter {
  /** Counts one request of `key`. @returns null where there is no limit */
  count(key: string): Promise<Allowance | null>;
}

export const WINDOW_SECONDS = 60;
const TABLE = 'rate_limits';

const unlimited: RateLimiter = { count: () => Promise.resolve(null) };

function toLimiter(policy: string, limit: number, store: RateLimiterMemory | RateLimiterPostgres): RateLimiter {
  const allowance = ({ remainingPoints, msBeforeNext }: RateLimiterRes, exceeded: boolean): Allowance => ({
    policy,
    limit,
    windowSeconds: WINDOW_SECONDS,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
    exceeded,
  });
  return {
    async count(key) {
      try {
        return allowance(await store.consume(key), false);
      } catch (refused) {
        // The library rejects with its result where a limit is passed, and with an error where something broke.
        if (refused instanceof RateLimiterRes) return allowance(refused, true);
        throw refused;
      }
    },
  };
}

/** A limit of this process alone. @param limit requests a minute; 0 for none */
export function createLocalLimiter(policy: string, limit: number): RateLimiter {
  if (limit === 0) return unlimited;
  return toLimiter(
    policy,
    limit,
    new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS, keyPrefix: policy }),
  );
}

/**
 * A limit that all nodes share. Once a key has spent its minute no more is written for it; while the database is slow or away, each
 * node counts by itself.
 * @param limit requests a minute; 0 for none
 */
export function createSharedLimiter(policy: string, limit: number, queries: PlainQueries): RateLimiter {
  if (limit === 0) return unlimited;
  const options = { points: limit, duration: WINDOW_SECONDS, keyPrefix: policy };
  const store = new RateLimiterPostgres({
    ...options,
    storeClient: queries,
    storeType: 'client',
    tableName: TABLE,
    tableCreated: true,
    // Every five minutes, by a timer that keeps no process alive.
    clearExpiredByTimeout: true,
    inMemoryBlockOnConsumed: limit,
    insuranceLimiter: new RateLimiterMemory(options),
  });
  return toLimiter(policy, limit, store);
}
