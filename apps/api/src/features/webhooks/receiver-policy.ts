import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What a deployment allows webhooks to reach, besides public addresses on port 443 over https. */
export interface ReceiverSettings {
  /** Ranges in CIDR notation that may be reached although they are not public. */
  readonly allowedRanges: readonly string[];
  /** Null for any. */
  readonly ports: readonly number[] | null;
  /** Whether http will do, for development. */
  readonly allowHttp: boolean;
}

export interface ReceiverPolicy {
  /** Whether a webhook may have this address, as far as it can be told without resolving its name. */
  isUrlAllowed(url: string): boolean;
  /** Whether a connection may be made to this IP address: public unicast, or in a range that is allowed by name. */
  isAddressAllowed(address: string): boolean;
}

/** Public by the registries, and a cloud's own all the same: Azure's metadata and agent endpoint. */
const PUBLIC_YET_PRIVATE = new Set(['168.63.129.16']);
/** All that is routed in the public IPv6 Internet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** What a URL may not have: its answer would depend on more than the address, or it hides where it goes. */
const hasExtras = (url: URL) => url.username !== '' || url.password !== '' || url.hash !== '';

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The IP address that a URL names, without the brackets of IPv6; null where it has a name. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || PUBLIC_YET_PRIVATE.has(address.toString())) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** @throws Error when a range is not in CIDR notation */
export function createReceiverPolicy(settings: ReceiverSettings): ReceiverPolicy {
  const ranges = settings.allowedRanges.map((range) => ipaddr.parseCIDR(range));
  function isAddressAllowed(text: string): boolean {
    // A zone such as %eth0 belongs to link-local addresses alone.
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(text);
    return isPublic(address) || ranges.some(([range, bits]) => isInRange(address, range, bits));
  }
  return {
    isAddressAllowed,
    isUrlAllowed(text) {
      if (!URL.canParse(text)) return false;
      const url = new URL(text);
      if (url.protocol !== 'https:' && !(settings.allowHttp && url.protocol === 'http:')) return false;
      if (hasExtras(url)) return false;
      if (settings.ports !== null && !settings.ports.includes(portOf(url))) return false;
      const literal = literalAddress(url);
      return literal === null || isAddressAllowed(literal);
    },
  };
}

function isInRange(address: ipaddr.IPv4 | ipaddr.IPv6, range: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean {
  return address.kind() === range.kind() && address.match(range, bits);
}
