import type { Request } from 'express';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ServiceError } from '../platform/errors.ts';
import type { AddressBucket } from './client-address.ts';
import { WINDOW_SECONDS } from './rate-limiter.ts';

/**
 * Looks a credential up and counts those that do not exist, by network address: beyond the limit they are answered 'rate-limited' instead of
 * 'invalid-credential'. A credential that exists is never refused for what others of its address send: callers behind one NAT share it.
 * Secrets have 256 random bits, so nothing is gained by guessing faster; what look-ups cost the database is bounded because those of one
 * moment share a statement.
 */
export type LookUpCredential = <T>(request: Request, lookUp: () => Promise<T>) => Promise<T>;

/** @param limit unknown credentials an address and minute; 0 for any number */
export function createLookUpCredential(limit: number, bucketOf: AddressBucket): LookUpCredential {
  if (limit === 0) return (_request, lookUp) => lookUp();
  const failures = new RateLimiterMemory({ points: limit, duration: WINDOW_SECONDS });

  return async (request, lookUp) => {
    try {
      return await lookUp();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid-credential') throw error;
      const { consumedPoints, msBeforeNext } = await failures.penalty(bucketOf(request));
      if (consumedPoints <= limit) throw error;
      throw new ServiceError('rate-limited', { retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) });
    }
  };
}
