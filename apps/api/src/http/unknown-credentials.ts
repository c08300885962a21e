import { hash } from 'node:crypto';
import type { Request } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ServiceError } from '../errors.ts';
import type { AddressBucket } from './client-address.ts';
import { WINDOW_SECONDS } from './rate-limiter.ts';

/** Most callers that are remembered as known; whoever was known the longest ago is forgotten first. */
const MAX_KNOWN = 10_000;

/**
 * Looks a credential up, unless too many that nobody has came from the same address in the last minute. A credential that was found
 * lately is looked up in any case: a neighbour's failures lock nobody out.
 */
export type LookUpCredential = <T>(request: Request, credential: string, lookUp: () => Promise<T>) => Promise<T>;

/** @param limit unknown credentials an address and minute; 0 for any number */
export function createLookUpCredential(limit: number, bucketOf: AddressBucket): LookUpCredential {
  if (limit === 0) return (_request, _credential, lookUp) => lookUp();
  const failures = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });
  const known = new Set<string>();

  function remember(digest: string): void {
    known.delete(digest);
    known.add(digest);
    const [oldest] = known;
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  }

  async function refuseSuspect(request: Request): Promise<void> {
    const failed = await failures.get(bucketOf(request));
    if (failed === null || failed.consumedPoints < limit) return;
    throw new ServiceError('rate-limited', { retryAfterSeconds: Math.max(1, Math.ceil(failed.msBeforeNext / 1000)) });
  }

  return async (request, credential, lookUp) => {
    const digest = hash('sha256', credential, 'base64');
    if (!known.has(digest)) await refuseSuspect(request);
    try {
      const found = await lookUp();
      remember(digest);
      return found;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'invalid-credential') {
        known.delete(digest);
        await failures.penalty(bucketOf(request));
      }
      throw error;
    }
  };
}
