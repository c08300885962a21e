import { ARRIVALS_BUCKET_MS, ARRIVALS_STEP, type ArrivalCounts } from '@svc/protocol';

/** Five minutes of a door: what its device counted so far, and what of it organisers have seen. */
export interface ArrivalBucket {
  readonly startsAt: Date;
  readonly counted: ArrivalCounts;
  readonly published: ArrivalCounts;
}

const kinds = ['admitted', 'toStaff', 'notEnrolled'] as const satisfies readonly (keyof ArrivalCounts)[];

/**
 * Publishes what a door counted, so that no number, and no difference of two, is about fewer than {@link ARRIVALS_STEP}
 * people: of buckets that are over, each number stays or grows by at least that. Fewer are carried to the next bucket.
 * What was published stays, also where people are taken back or come to light late; the next ones make up for it. After
 * each call fewer than a step of what is over is unpublished.
 * @param buckets of one door, the earliest first
 */
export function publish<B extends ArrivalBucket>(buckets: readonly B[], nowMs: number): readonly B[] {
  return kinds.reduce((before, kind) => publishKind(before, kind, nowMs), buckets);
}

function publishKind<B extends ArrivalBucket>(buckets: readonly B[], kind: keyof ArrivalCounts, nowMs: number) {
  const isOver = ({ startsAt }: B) => startsAt.getTime() + ARRIVALS_BUCKET_MS <= nowMs;
  const unpublished = ({ counted, published }: B) => counted[kind] - published[kind];
  // A late report may add to buckets whose people were carried on: never more than the door has in all.
  let left = buckets.filter(isOver).reduce((sum, bucket) => sum + unpublished(bucket), 0);
  let carried = 0;
  return buckets.map((bucket) => {
    if (!isOver(bucket)) return bucket;
    carried += unpublished(bucket);
    const step = Math.min(carried, left);
    if (step < ARRIVALS_STEP) return bucket;
    carried -= step;
    left -= step;
    return { ...bucket, published: { ...bucket.published, [kind]: bucket.published[kind] + step } };
  });
}
