import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markFromServer, readTrustedTime, type TimeMark, WALL_TOLERANCE_MS } from './clock-rule.ts';

const newTimeMark: TimeMark = { highestMs: 0, wallLagMs: 0, monotonicMs: null };

const NOON = Date.UTC(2030, 0, 1, 12);
const MINUTE = 60_000;
const mark = (over: Partial<TimeMark> = {}): TimeMark => ({
  highestMs: NOON,
  wallLagMs: 0,
  monotonicMs: 1_000,
  ...over,
});

describe('trusted time', () => {
  it('is the wall clock while that runs ahead', () => {
    const time = readTrustedTime(mark(), { wallMs: NOON + 5, monotonicMs: 1_001 });
    expect(time).toMatchObject({ nowMs: NOON + 5, wallIsBehind: false });
  });

  it('is the highest time ever seen when the wall clock was set back', () => {
    const time = readTrustedTime(mark({ monotonicMs: null }), { wallMs: NOON - 3 * MINUTE, monotonicMs: 5 });
    expect(time).toMatchObject({ nowMs: NOON, wallIsBehind: true });
  });

  it('runs with the monotonic clock while the wall clock stands still', () => {
    const time = readTrustedTime(mark(), { wallMs: NOON, monotonicMs: 1_000 + 60 * MINUTE });
    expect(time).toMatchObject({ nowMs: NOON + 60 * MINUTE, wallIsBehind: true });
  });

  it.each([
    [WALL_TOLERANCE_MS, false],
    [WALL_TOLERANCE_MS + 1, true],
  ])('takes a wall clock %d ms behind as set back: %s', (behindMs, wallIsBehind) => {
    expect(readTrustedTime(mark(), { wallMs: NOON - behindMs, monotonicMs: 1_000 }).wallIsBehind).toBe(wallIsBehind);
  });

  it('takes a sync’s time, downwards too', () => {
    const ahead = mark({ highestMs: NOON + 60 * MINUTE });
    const reading = { wallMs: NOON, monotonicMs: 9_000 };
    expect(readTrustedTime(ahead, reading).wallIsBehind).toBe(true);
    const after = readTrustedTime(markFromServer(NOON, 8_000, reading), reading);
    expect(after).toMatchObject({ nowMs: NOON + 1_000, wallIsBehind: false });
  });

  it('tolerates a slow clock, and still detects that it is set back further', () => {
    const slow = { wallMs: NOON - 60 * MINUTE, monotonicMs: 2_000 };
    const synced = markFromServer(NOON, 2_000, slow);
    expect(readTrustedTime(synced, slow)).toMatchObject({ nowMs: NOON, wallIsBehind: false });
    const later = { wallMs: slow.wallMs + 10 * MINUTE, monotonicMs: 2_000 + 10 * MINUTE };
    expect(readTrustedTime(synced, later)).toMatchObject({ nowMs: NOON + 10 * MINUTE, wallIsBehind: false });
    const setBack = { wallMs: slow.wallMs, monotonicMs: 2_000 + 10 * MINUTE };
    expect(readTrustedTime(synced, setBack).wallIsBehind).toBe(true);
  });

  it('never falls without a sync, whatever both clocks say', () => {
    const reading = fc.record({
      wallMs: fc.oneof(
        fc.integer({ min: NOON - 1e9, max: NOON + 1e9 }).map(Number),
        fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
      ),
      monotonicMs: fc.integer({ min: 0, max: 1e9 }),
      restart: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 50 }), (readings) => {
        let known = newTimeMark;
        let last = 0;
        for (const { restart, ...clocks } of readings) {
          if (restart) known = { ...known, monotonicMs: null };
          const time = readTrustedTime(known, clocks);
          expect(time.nowMs).toBeGreaterThanOrEqual(last);
          expect(Number.isFinite(time.nowMs)).toBe(true);
          last = time.nowMs;
          known = time.mark;
        }
      }),
    );
  });
});
