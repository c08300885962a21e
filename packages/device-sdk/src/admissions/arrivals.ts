import { ARRIVALS_BUCKET_MS, ARRIVALS_KEPT_MS, type ArrivalCounts, MAX_ARRIVAL_BUCKETS } from '@svc/protocol/sync';

/** What became of a ticket, the best last. */
const kinds = ['notEnrolled', 'toStaff', 'admitted'] as const satisfies readonly (keyof ArrivalCounts)[];
export type ArrivalKind = (typeof kinds)[number];

/** A ticket that is counted, as the best that became of it. Times are milliseconds since 1970 by the trusted clock. */
export interface Arrival {
  /** As of an admission. */
  readonly tag: string;
  readonly kind: ArrivalKind;
  /** When it was counted. */
  readonly atMs: number;
  readonly deleteAfterMs: number;
}

/** The arrivals of five minutes. */
export interface ArrivalBucket extends ArrivalCounts {
  readonly startsAtMs: number;
}

/** The counts of some tickets, and which they are: written together, so that each is counted once. */
export interface Arrivals {
  readonly seen: readonly Arrival[];
  readonly buckets: readonly ArrivalBucket[];
}

export const NO_ARRIVALS: Arrivals = { seen: [], buckets: [] };

/**
 * Counts a ticket, unless it is counted as this or better. In place of what it was counted as before.
 * @param countsFromMs the earliest time that counts; null: none does
 */
export function withArrival(
  arrivals: Arrivals,
  { atMs, ...about }: Arrival,
  { countsFromMs }: { readonly countsFromMs: number | null },
): Arrivals {
  if (countsFromMs === null) return arrivals;
  const arrival = { ...about, atMs: Math.max(atMs, countsFromMs) };
  const before = arrivals.seen.find(({ tag }) => tag === arrival.tag);
  if (before !== undefined && kinds.indexOf(before.kind) >= kinds.indexOf(arrival.kind)) return arrivals;
  const { seen, buckets } = withoutArrival(arrivals, arrival.tag);
  return { seen: [...seen, arrival], buckets: changed(buckets, arrival, 1) };
}

/** Takes a ticket out of the counts, where it is in them. */
export function withoutArrival(arrivals: Arrivals, tag: string): Arrivals {
  const before = arrivals.seen.find((one) => one.tag === tag);
  if (before === undefined) return arrivals;
  const seen = arrivals.seen.filter((one) => one !== before);
  return { seen, buckets: changed(arrivals.buckets, before, -1) };
}

/** A bucket that is gone is not counted down. */
function changed(buckets: readonly ArrivalBucket[], { atMs, kind }: Arrival, by: 1 | -1): readonly ArrivalBucket[] {
  const startsAtMs = atMs - (atMs % ARRIVALS_BUCKET_MS);
  const bucket = buckets.find((one) => one.startsAtMs === startsAtMs);
  if (bucket !== undefined) return buckets.map((one) => (one === bucket ? { ...one, [kind]: one[kind] + by } : one));
  if (by < 0) return buckets;
  return [...buckets, { startsAtMs, admitted: 0, toStaff: 0, notEnrolled: 0, [kind]: 1 }];
}

/** Without tickets of which `isOver` says so, and without counts that are too old to be delivered. */
export function keptArrivals({ seen, buckets }: Arrivals, isOver: (one: Arrival) => boolean, nowMs: number): Arrivals {
  return {
    seen: seen.filter((one) => !isOver(one)),
    buckets: buckets.filter(({ startsAtMs }) => startsAtMs + ARRIVALS_KEPT_MS > nowMs),
  };
}

/** The five minutes of the last day from a time on, with nobody. */
export function lastDayFrom(fromMs: number, nowMs: number): readonly ArrivalBucket[] {
  const all = Array.from({ length: MAX_ARRIVAL_BUCKETS }, (_, i) => {
    return { startsAtMs: nowMs - (nowMs % ARRIVALS_BUCKET_MS) - i * ARRIVALS_BUCKET_MS, ...NOBODY };
  });
  return all.filter(({ startsAtMs }) => startsAtMs >= fromMs);
}

/** The buckets of all together, the earliest first. */
export function sumOfBuckets(all: Iterable<readonly ArrivalBucket[]>): readonly ArrivalBucket[] {
  const sums = new Map<number, ArrivalBucket>();
  for (const one of [...all].flat()) {
    const { startsAtMs, admitted, toStaff, notEnrolled } = sums.get(one.startsAtMs) ?? { ...one, ...NOBODY };
    sums.set(startsAtMs, {
      startsAtMs,
      admitted: admitted + one.admitted,
      toStaff: toStaff + one.toStaff,
      notEnrolled: notEnrolled + one.notEnrolled,
    });
  }
  return [...sums.values()].sort((a, b) => a.startsAtMs - b.startsAtMs);
}

const NOBODY: ArrivalCounts = { admitted: 0, toStaff: 0, notEnrolled: 0 };
