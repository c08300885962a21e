import ipaddr from 'ipaddr.js';

/** What a node does besides answering, and whom it may call. */
export interface BackgroundConfig {
  /** Whether this node runs the recurring jobs and delivers webhooks. One node of a deployment must. */
  readonly jobs: boolean;
  readonly webhooks: {
    /** Address ranges in CIDR notation that webhooks may reach although they are not public. */
    readonly allowedRanges: readonly string[];
    /** Null for any. */
    readonly ports: readonly number[] | null;
    /** Whether http will do, for development. */
    readonly allowHttp: boolean;
  };
}

function parsePorts(value: string): readonly number[] | null | undefined {
  if (value === 'any') return null;
  const ports = value.split(',').map((part) => (/^ *[0-9]{1,5} *$/.test(part) ? Number(part) : 0));
  return ports.every((port) => port >= 1 && port <= 65_535) ? ports : undefined;
}

/**
 * SVC_JOBS, SVC_WEBHOOK_ALLOW, SVC_WEBHOOK_PORTS, SVC_WEBHOOK_HTTP.
 * @param refuse throws for a setting that is wrong
 */
export function readBackgroundConfig(o: {
  readonly text: (name: string) => string | undefined;
  readonly refuse: (message: string) => never;
}): BackgroundConfig {
  const isOn = (name: string, fallback: 'on' | 'off'): boolean => {
    const value = o.text(name) ?? fallback;
    if (value !== 'on' && value !== 'off') o.refuse(`${name} must be on or off`);
    return value === 'on';
  };
  const allowedRanges = (o.text('SVC_WEBHOOK_ALLOW') ?? '')
    .split(',')
    .map((range) => range.trim())
    .filter((range) => range !== '');
  if (!allowedRanges.every((range) => ipaddr.isValidCIDR(range))) {
    o.refuse('SVC_WEBHOOK_ALLOW must be a list of address ranges such as 10.0.0.0/8');
  }
  const ports = parsePorts(o.text('SVC_WEBHOOK_PORTS') ?? '443');
  if (ports === undefined) o.refuse('SVC_WEBHOOK_PORTS must be any, or a list of ports');
  return {
    jobs: isOn('SVC_JOBS', 'on'),
    webhooks: { allowedRanges, ports, allowHttp: isOn('SVC_WEBHOOK_HTTP', 'off') },
  };
}
