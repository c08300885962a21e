import { isDeepStrictEqual } from 'node:util';
import { ARRIVALS_BUCKET_MS, ARRIVALS_STEP, DAY_MS, MINUTE_MS, ONGOING_WINDOW_MS } from '@svc/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ArrivalBucket, halfDayOf, publish } from './publication.ts';

const kinds = ['admitted', 'toStaff', 'notEnrolled'] as const;
const NOBODY = { admitted: 0, toStaff: 0, notEnrolled: 0 };
const BUCKETS = 6;

/** Reports of doors in any order, late, repeated and with people taken back, one after another in time. */
const reports = fc.array(
  fc.record({
    door: fc.nat(1),
    bucket: fc.nat(BUCKETS - 1),
    counts: fc.record({ admitted: fc.nat(12), toStaff: fc.nat(7), notEnrolled: fc.nat(4) }),
    minutes: fc.nat(6),
  }),
  { maxLength: 60 },
);

it('no answer, and no difference of two, is about fewer than five people of a door, nor of all', () => {
  fc.assert(
    fc.property(reports, (steps) => {
      const startsAtOf = (bucket: number) => new Date(bucket * ARRIVALS_BUCKET_MS);
      const doors = [0, 1].map((): readonly ArrivalBucket[] =>
        Array.from({ length: BUCKETS }, (_, i) => ({ startsAt: startsAtOf(i), counted: NOBODY, published: NOBODY })),
      );
      const answers: (readonly number[])[] = [];
      let nowMs = 0;
      for (const { door, bucket, counts, minutes } of steps) {
        nowMs += minutes * 60_000;
        const before = doors[door] ?? [];
        const next = publish(
          before.map((one, i) => (i === bucket ? { ...one, counted: counts } : one)),
          nowMs,
        );
        doors[door] = next;
        for (const kind of kinds) {
          const over = next.filter(({ startsAt }) => startsAt.getTime() + ARRIVALS_BUCKET_MS <= nowMs);
          const sum = (of: 'counted' | 'published') => over.reduce((all, one) => all + one[of][kind], 0);
          const [counted, published] = [sum('counted'), sum('published')];
          expect(counted - published).toBeLessThan(ARRIVALS_STEP);
          // Only people who were taken back are told too many.
          const was = before.reduce((all, one) => all + one.published[kind], 0);
          expect(published).toBeLessThanOrEqual(Math.max(was, counted));
          expect(next.slice(over.length).filter((one) => one.published[kind] > 0)).toEqual([]);
        }
        answers.push(doors.flat().flatMap(({ published }) => kinds.map((kind) => published[kind])));
      }
      const isTold = (step: number) => step === 0 || step >= ARRIVALS_STEP;
      const differences = answers.flatMap((later, i) =>
        [[], ...answers.slice(0, i)].flatMap((earlier) => later.map((number, cell) => number - (earlier[cell] ?? 0))),
      );
      expect(differences.filter((step) => !isTold(step))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** Tickets that come to doors again and again, some minutes after the one before. */
const visits = fc.array(
  fc.record({
    ...{ door: fc.nat(1), ticket: fc.nat(8), kind: fc.constantFrom(...kinds) },
    minutes: fc.oneof(fc.nat(30), fc.integer({ min: 11 * 60, max: 13 * 60 })),
  }),
  { minLength: 60, maxLength: 120 },
);

it('each number of an answer is about as many tickets, also where they count again after half a day', () => {
  fc.assert(
    fc.property(visits, (steps) => {
      const counted: { door: number; ticket: number; kind: (typeof kinds)[number]; atMs: number }[] = [];
      const doors: (readonly ArrivalBucket[])[] = [[], []];
      let nowMs = 0;
      for (const { minutes, ...visit } of steps) {
        nowMs += minutes * MINUTE_MS;
        const isRemembered = counted.some(
          ({ atMs, ...one }) => isDeepStrictEqual(one, visit) && nowMs - atMs < ONGOING_WINDOW_MS,
        );
        if (!isRemembered) counted.push({ ...visit, atMs: nowMs });
        const startOf = (atMs: number) => atMs - (atMs % ARRIVALS_BUCKET_MS);
        for (const door of doors.keys()) {
          const own = counted.filter((one) => one.door === door);
          const reported = [...new Set(own.map(({ atMs }) => startOf(atMs)))].map((startMs) => {
            const before = doors[door]?.find(({ startsAt }) => startsAt.getTime() === startMs);
            const all = own.filter(({ atMs }) => startOf(atMs) === startMs).map(({ kind }) => kind);
            const numbers = kinds.map((kind) => [kind, all.filter((one) => one === kind).length]);
            const bucket = { startsAt: new Date(startMs), published: NOBODY, ...before };
            return { ...bucket, counted: { ...NOBODY, ...Object.fromEntries(numbers) } };
          });
          doors[door] = publish(reported, nowMs);
        }
        const told = doors.flat().filter(({ startsAt }) => startsAt.getTime() >= nowMs - DAY_MS);
        for (const kind of kinds) {
          const sum = (of: readonly ArrivalBucket[]) => of.reduce((all, { published }) => all + published[kind], 0);
          const sums = [told, ...doors.map((door) => told.filter((one) => door.includes(one)))].map(sum);
          for (const startMs of new Set(told.map(({ startsAt }) => startsAt.getTime()))) {
            const number = sum(told.filter(({ startsAt }) => startsAt.getTime() === startMs));
            sums.push(number);
            // Those who can be in it: of its half day, until it was over.
            const about = counted.filter(
              (one) => one.kind === kind && one.atMs >= halfDayOf(startMs) && startOf(one.atMs) <= startMs,
            );
            expect(number).toBeLessThanOrEqual(new Set(about.map(({ door, ticket }) => `${door} ${ticket}`)).size);
          }
          expect(sums.filter((number) => number > 0 && number < ARRIVALS_STEP)).toEqual([]);
        }
      }
    }),
    { numRuns: 20 },
  );
});

it('who is too few is told with those who follow, and late people are not told twice', () => {
  const minutes = (...counted: readonly number[]) =>
    counted.map((admitted, i) => ({
      startsAt: new Date(i * ARRIVALS_BUCKET_MS),
      counted: { ...NOBODY, admitted },
      published: NOBODY,
    }));
  const told = (buckets: readonly ArrivalBucket[]) => buckets.map(({ published }) => published.admitted);
  const first = publish(minutes(3, 0, 4, 9), 3 * ARRIVALS_BUCKET_MS);
  expect(told(first)).toEqual([0, 0, 7, 0]);
  const late = (admitted: number) =>
    first.map((one, i) => (i === 1 ? { ...one, counted: { ...NOBODY, admitted } } : one));
  expect(told(publish(late(2), 3 * ARRIVALS_BUCKET_MS))).toEqual([0, 0, 7, 0]);
  expect(told(publish(late(6), 3 * ARRIVALS_BUCKET_MS))).toEqual([0, 6, 7, 0]);
  // They may be the same.
  const nextDay = minutes(4, 4).map((one, i) => ({ ...one, startsAt: new Date(i * ONGOING_WINDOW_MS) }));
  expect(told(publish(nextDay, DAY_MS))).toEqual([0, 0]);
});
