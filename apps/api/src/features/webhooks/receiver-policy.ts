import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** What webhooks may reach in addition to public addresses on port 443 over https. */
export interface ReceiverSettings {
  /** CIDR ranges that are permitted although they are not public. */
  readonly allowedRanges: readonly string[];
  /** Null: any port. */
  readonly ports: readonly number[] | null;
  /** Permits http, for development. */
  readonly allowHttp: boolean;
}

export type ReceiverPolicy = ReturnType<typeof createReceiverPolicy>;

/** Publicly assigned but internal to a cloud: Azure's metadata and agent endpoint. */
const PUBLIC_YET_PRIVATE = new Set(['168.63.129.16']);
/** Publicly routed IPv6. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Forbidden parts: credentials and a fragment, which obscure the destination or depend on more than the address. */
const hasExtras = (url: URL) => url.username !== '' || url.password !== '' || url.hash !== '';

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The IP address in a URL, without IPv6 brackets; null for a name. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || PUBLIC_YET_PRIVATE.has(address.toString())) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** @throws Error when a range is not in CIDR notation */
export function createReceiverPolicy(settings: ReceiverSettings) {
  const ranges = settings.allowedRanges.map((range) => ipaddr.parseCIDR(range));
  /** Whether connections to this IP address are permitted: public unicast, or in a permitted range. */
  function isAddressAllowed(text: string): boolean {
    // Only link-local addresses have a zone such as %eth0.
    if (isIP(text) === 0 || text.includes('%')) return false;
    const address = ipaddr.parse(text);
    return isPublic(address) || ranges.some(([range, bits]) => isInRange(address, range, bits));
  }
  return {
    isAddressAllowed,
    /** Whether `fetch` takes this URL, on whichever network. */
    isPlainUrl: (text: string): boolean => URL.canParse(text) && !hasExtras(new URL(text)),
    /** Whether notifications may be sent to this URL; checked without resolving its name. */
    isUrlAllowed(text: string): boolean {
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
