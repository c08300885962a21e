import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Random } from '../platform/ports.ts';

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
export type AddressBucket = (request: Pick<Request, 'ip'>) => string;

/**
 * Counters by address that need no more memory however many addresses there are, and that keep no address: each is mapped to a bucket
 * under a key of this process. Two addresses share one now and then.
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
