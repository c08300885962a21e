import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { PlainQueries } from '../db/plain-queries.ts';
import { coalesce } from '../platform/coalesce.ts';

/** The rest of a limit after counting a request. */
export interface Allowance {
  /** Name of the limit in the headers. */
  readonly policy: string;
  /** Requests per window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** Whole seconds until the next window, at least 1. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** Counts requests in windows of one minute. */
export interface RateLimiter {
  /** Counts one request of `key`. @returns null when there is no limit */
  count(key: string): Promise<Allowance | null>;
}

export const WINDOW_SECONDS = 60;
const TABLE = 'rate_limits';

const unlimited: RateLimiter = { count: () => Promise.resolve(null) };

type CountAll = (keys: readonly string[]) => Promise<readonly Allowance[]>;

/** Counts a batch in one step, and gives each request the result that it would have had alone, in order. */
function countWith(policy: string, limit: number, store: RateLimiterMemory | RateLimiterPostgres): CountAll {
  async function consume(key: string, points: number): Promise<RateLimiterRes> {
    try {
      return await store.consume(key, points);
    } catch (refused) {
      // The library rejects with a result when a limit is exceeded, and with an error for a failure.
      if (refused instanceof RateLimiterRes) return refused;
      throw refused;
    }
  }
  /** @param behind number of later requests of the same key in this batch */
  function allowance({ consumedPoints, msBeforeNext }: RateLimiterRes, behind: number): Allowance {
    // The library reports 0 for a key that it blocks in memory because the limit was exceeded.
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

/** Counts in this process only. @param limit requests per minute; 0 for none */
export function createLocalLimiter(policy: string, limit: number): RateLimiter {
  if (limit === 0) return unlimited;
  const store = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS, keyPrefix: policy });
  const countAll = countWith(policy, limit, store);
  return { count: async (key) => (await countAll([key]))[0] ?? null };
}

/**
 * A limit shared by all nodes. Concurrent requests of one key are counted by one statement. Once a key has reached its
 * limit, its requests cause no further writes until the window ends. While the database is slow or unreachable, each
 * node counts alone.
 * @param limit requests per minute; 0 for none
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
    // Every five minutes, by an unref'ed timer.
    clearExpiredByTimeout: true,
    inMemoryBlockOnConsumed: limit,
    insuranceLimiter: new RateLimiterMemory(options),
  });
  return { count: coalesce(countWith(policy, limit, store)) };
}
