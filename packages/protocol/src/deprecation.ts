import { DAY_MS } from './limits.ts';
import type { Deprecation } from './operations/endpoints.ts';
import type { Operation } from './operations/operations.ts';

/** Shortest time between the day that deprecates an operation and the day from which a release may lack it. */
const DEPRECATION_NOTICE_DAYS = 365;

const atMs = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

/**
 * Headers of every answer of a deprecated operation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and a `Link` to its
 * entry in the reference. None for other operations.
 */
export function deprecationHeaders({
  operationId,
  deprecated,
}: Pick<Operation, 'operationId' | 'deprecated'>): Readonly<Record<string, string>> {
  if (deprecated === undefined) return {};
  return {
    Deprecation: `@${atMs(deprecated.since) / 1000}`,
    Sunset: new Date(atMs(deprecated.sunset)).toUTCString(),
    Link: `</docs#${operationId}>; rel="deprecation"; type="text/html"`,
  };
}

/** A sentence for the reference and for editors. */
export const describeDeprecation = ({ since, sunset, successor }: Deprecation): string =>
  `Deprecated since ${since}; may be removed from ${sunset}. ${successor === null ? 'It has no replacement.' : `Call \`${successor}\` instead.`}`;

/** What is wrong with the deprecations of a table of operations, as sentences. */
export function wrongDeprecations(table: readonly Pick<Operation, 'operationId' | 'deprecated'>[]): string[] {
  const wrong: string[] = [];
  const byId = new Map<string, Pick<Operation, 'deprecated'>>(table.map((one) => [one.operationId, one]));
  for (const { operationId, deprecated } of table) {
    if (deprecated === undefined) continue;
    const { since, sunset, successor } = deprecated;
    const days = (atMs(sunset) - atMs(since)) / DAY_MS;
    // Also for a day that does not exist: the comparison with NaN is false.
    if (!(days >= DEPRECATION_NOTICE_DAYS)) wrong.push(`${operationId}: ${sunset} is too soon after ${since}`);
    const next = successor === null ? { deprecated: undefined } : byId.get(successor);
    if (next === undefined) wrong.push(`${operationId}: ${successor} is no operation`);
    else if (next.deprecated !== undefined) wrong.push(`${operationId}: ${successor} is deprecated too`);
  }
  return wrong;
}
