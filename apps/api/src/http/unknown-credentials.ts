import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ServiceError } from '../platform/errors.ts';
import type { Random } from '../platform/ports.ts';
import { WINDOW_SECONDS } from './rate-limiter.ts';

const IPV6_NETWORK_BYTES = 8;
const BUCKET_BYTES = 2;

/** An IPv4 address, or an IPv6 address's /64 network, since its owner has 2⁶⁴ addresses. */
function networkOf(address: string): Uint8Array {
  if (!ipaddr.isValid(address)) return new Uint8Array(0);
  const parsed = ipaddr.process(address);
  const bytes = Uint8Array.from(parsed.toByteArray());
  return parsed.kind() === 'ipv6' ? bytes.subarray(0, IPV6_NETWORK_BYTES) : bytes;
}

/** Maps a request's network address to one of 65,536 counters. */
type AddressBucket = (request: Pick<Request, 'ip'>) => string;

/**
 * Counters by address in constant memory and without storing addresses: each is mapped to a bucket with a key of this
 * process. Collisions are possible.
 */
export function createAddressBucket(random: Random): AddressBucket {
  const key = random.bytes(32);
  return ({ ip }) =>
    createHmac('sha256', key)
      .update(networkOf(ip ?? ''))
      .digest()
      .subarray(0, BUCKET_BYTES)
      .toString('hex');
}

/**
 * Looks a credential up and counts unknown ones by network address: above the limit they get 'rate-limited' instead of
 * 'invalid-credential'. Existing credentials are never rejected because of others from the same address, which may be a
 * NAT. Guessing is hopeless with 256 random bits; the database load is bounded because concurrent look-ups share a
 * statement.
 */
export type LookUpCredential = <T>(request: Request, lookUp: () => Promise<T>) => Promise<T>;

/** @param limit unknown credentials per address and minute; 0 for no limit */
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
