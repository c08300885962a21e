import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { ServiceError } from '../platform/errors.ts';
import type { Random } from '../platform/ports.ts';
import { WINDOW_SECONDS } from './rate-limiter.ts';

const IPV6_NETWORK_BYTES = 8;
const BUCKET_BYTES = 2;

/** An IPv4 address, or the /64 network of an IPv6 one: who has one IPv6 address has 2⁶⁴. */
function networkOf(address: string): Uint8Array {
  if (!ipaddr.isValid(address)) return new Uint8Array(0);
  const parsed = ipaddr.process(address);
  const bytes = Uint8Array.from(parsed.toByteArray());
  return parsed.kind() === 'ipv6' ? bytes.subarray(0, IPV6_NETWORK_BYTES) : bytes;
}

/** Which of 65,536 counters a request's network address belongs to. */
type AddressBucket = (request: Pick<Request, 'ip'>) => string;

/**
 * Counters by address that need no more memory however many addresses there are, and that keep no address: each is
 * mapped to a bucket under a key of this process. Two addresses share one now and then.
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
 * Looks a credential up and counts those that do not exist, by network address: beyond the limit they are answered
 * 'rate-limited' instead of 'invalid-credential'. A credential that exists is never refused for what others of its
 * address send: callers behind one NAT share it. Secrets have 256 random bits, so nothing is gained by guessing faster;
 * what look-ups cost the database is bounded because those of one moment share a statement.
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
