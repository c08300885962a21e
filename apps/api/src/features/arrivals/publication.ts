import { ARRIVALS_BUCKET_MS, ARRIVALS_STEP, type ArrivalCounts, ONGOING_WINDOW_MS } from '@svc/protocol';

/** Five minutes of a door: what its device counted so far, and what of it organisers have seen. */
export interface ArrivalBucket {
  readonly startsAt: Date;
  readonly counted: ArrivalCounts;
  readonly published: ArrivalCounts;
}

const kinds = ['admitted', 'toStaff', 'notEnrolled'] as const satisfies readonly (keyof ArrivalCounts)[];

/** Start of the half day, from 0:00 or 12:00 UTC on. A device counts no ticket twice within one. */
export const halfDayOf = (atMs: number): number => atMs - (atMs % ONGOING_WINDOW_MS);

/**
 * Publishes what a door counted, so that no number, and no difference of two, is about fewer than {@link ARRIVALS_STEP}
 * people: of buckets that are over, each number stays or grows by at least that. Fewer are carried to the next bucket of
 * the same half day, and no further: a ticket that counts again would be carried to itself. What was published stays,
 * also where people are taken back or come to light late; the next ones make up for it. After each call fewer than a step
 * of each half day that is over is unpublished.
 * @param buckets of one door and whole half days, the earliest first
 */
export function publish<B extends ArrivalBucket>(buckets: readonly B[], nowMs: number): readonly B[] {
  return kinds.reduce((before, kind) => publishKind(before, kind, nowMs), buckets);
}

function publishKind<B extends ArrivalBucket>(buckets: readonly B[], kind: keyof ArrivalCounts, nowMs: number) {
  const isOver = ({ startsAt }: B) => startsAt.getTime() + ARRIVALS_BUCKET_MS <= nowMs;
  const unpublished = ({ counted, published }: B) => counted[kind] - published[kind];
  const halfOf = ({ startsAt }: B) => halfDayOf(startsAt.getTime());
  return [...new Set(buckets.map(halfOf))].flatMap((start) => {
    const half = buckets.filter((bucket) => halfOf(bucket) === start);
    // A late report may add to buckets whose people were carried on: never more than the door has in all.
    let left = half.filter(isOver).reduce((sum, bucket) => sum + unpublished(bucket), 0);
    let carried = 0;
    return half.map((bucket) => {
      if (!isOver(bucket)) return bucket;
      carried += unpublished(bucket);
      const step = Math.min(carried, left);
      if (step < ARRIVALS_STEP) return bucket;
      carried -= step;
      left -= step;
      return { ...bucket, published: { ...bucket.published, [kind]: bucket.published[kind] + step } };
    });
  });
}
