import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { PlainQueries } from '../db/plain-queries.ts';
import { coalesce } from '../platform/coalesce.ts';

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

type CountAll = (keys: readonly string[]) => Promise<readonly Allowance[]>;

/** Counts several requests, each as if it had come alone. */
function countWith(policy: string, limit: number, store: RateLimiterMemory | RateLimiterPostgres): CountAll {
  async function consume(key: string, points: number): Promise<RateLimiterRes> {
    try {
      return await store.consume(key, points);
    } catch (refused) {
      // The library rejects with its result where a limit is passed, and with an error where something broke.
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    }
  }
  /** @param behind requests of the same key that were counted together with this one, after it */
  function allowance({ consumedPoints, msBeforeNext }: RateLimiterRes, behind: number): Allowance {
    // Nothing is counted for a key that this process knows to have spent its minute.
    const remaining = consumedPoints === 0 ? -1 : limit - consumedPoints + behind;
    const resetSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
    const exceeded = remaining < 0;
    return { policy, limit, windowSeconds: WINDOW_SECONDS, remaining: Math.max(0, remaining), resetSeconds, exceeded };
  }
  return async (keys) => {
    const behind = new Map<string, number>();
    for (const key of keys) behind.set(key, (behind.get(key) ?? 0) + 1);
    const counted = new Map(
      await Promise.all([...behind].map(async ([key, points]) => [key, await consume(key, points)] as const)),
    );
    return keys.map((key) => {
      const left = (behind.get(key) ?? 1) - 1;
      behind.set(key, left);
      return allowance(counted.get(key) as RateLimiterRes, left);
    });
  };
}

/** A limit of this process alone. @param limit requests a minute; 0 for none */
export function createLocalLimiter(policy: string, limit: number): RateLimiter {
  if (limit === 0) return unlimited;
  const store = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS, keyPrefix: policy });
  const countAll = countWith(policy, limit, store);
  return { count: async (key) => (await countAll([key]))[0] ?? null };
}

/**
 * A limit that all nodes share. Requests of one key that come at one time are counted by one statement. Once a key has
 * spent its minute no more is written for it; while the database is slow or away, each node counts by itself.
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
  return { count: coalesce(countWith(policy, limit, store)) };
}
