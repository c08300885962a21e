import ipaddr from 'ipaddr.js';

/** How much a deployment takes, and from whom it believes the address of a caller. */
export interface TrafficConfig {
  /** Requests a minute; 0 for no limit. */
  readonly rateLimits: {
    /** An API key, over all nodes. */
    readonly apiKey: number;
    /** A guest's enrolment token, over all nodes. */
    readonly guestToken: number;
    /** A device, on one node. */
    readonly device: number;
    /** Credentials that nobody has, from one network address, on one node. */
    readonly unknownCredentials: number;
  };
  /** Proxies whose `X-Forwarded-For` is believed: how many stand before this node, or their addresses; false for none. */
  readonly trustProxy: false | number | readonly string[];
  /** Connections of callers that are open at one time, on one node. */
  readonly connections: number;
  /** Bytes of bodies that are read at one time. */
  readonly bodyBytes: number;
  /** Connections of this node to the database. */
  readonly databaseConnections: number;
}

const MIB = 2 ** 20;
const MOST_REQUESTS = 100_000_000;
const MOST_PROXIES = 16;

const isAddress = (text: string) =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) || ipaddr.isValid(text) || ipaddr.isValidCIDR(text);

function parseProxies(value: string): number | readonly string[] | null {
  if (/^[0-9]{1,2}$/.test(value)) return Number(value) <= MOST_PROXIES ? Number(value) : null;
  const addresses = value.split(',').map((part) => part.trim());
  return addresses.every(isAddress) ? addresses : null;
}

/**
 * SVC_RATE_LIMIT_API_KEY, SVC_RATE_LIMIT_GUEST_TOKEN, SVC_RATE_LIMIT_DEVICE, SVC_RATE_LIMIT_UNKNOWN_CREDENTIALS,
 * SVC_TRUST_PROXY, SVC_CONNECTIONS, SVC_BODY_MEMORY_MB, SVC_DATABASE_CONNECTIONS.
 * @param refuse throws for a setting that is wrong
 */
export function readTrafficConfig(o: {
  readonly text: (name: string) => string | undefined;
  readonly whole: (name: string, fallback: number, least: number, most: number) => number;
  readonly refuse: (message: string) => never;
}): TrafficConfig {
  const rate = (name: string, fallback: number) => o.whole(`SVC_RATE_LIMIT_${name}`, fallback, 0, MOST_REQUESTS);
  const proxies = parseProxies(o.text('SVC_TRUST_PROXY') ?? '0');
  if (proxies === null) o.refuse('SVC_TRUST_PROXY must be a number of proxies or a list of addresses');
  return {
    rateLimits: {
      apiKey: rate('API_KEY', 6_000),
      guestToken: rate('GUEST_TOKEN', 120),
      device: rate('DEVICE', 120),
      unknownCredentials: rate('UNKNOWN_CREDENTIALS', 120),
    },
    trustProxy: proxies === 0 ? false : proxies,
    connections: o.whole('SVC_CONNECTIONS', 10_000, 10, 1_000_000),
    bodyBytes: o.whole('SVC_BODY_MEMORY_MB', 256, 16, 65_536) * MIB,
    databaseConnections: o.whole('SVC_DATABASE_CONNECTIONS', 10, 2, 1_000),
  };
}
