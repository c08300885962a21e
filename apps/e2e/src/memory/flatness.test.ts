import { describe, expect, it } from 'vitest';
import { judgeFlatness, type MemorySample, trendOf } from './messages.ts';

const MIB = 2 ** 20;

/** Twenty batches of 25 attempts; noise that no seed changes. */
function samples(bytesAnAttempt: number, noise: number): MemorySample[] {
  return Array.from({ length: 20 }, (_, i) => {
    const attempts = (i + 1) * 25;
    const bytes = 300 * MIB + bytesAnAttempt * attempts + noise * Math.sin(i * 2.4);
    return { attempts, rss: bytes, live: bytes };
  });
}

describe('judgeFlatness', () => {
  it('takes noise for noise', () => {
    expect(judgeFlatness(samples(0, 6 * MIB)).isFlat).toBe(true);
  });

  it('takes less memory for flat', () => {
    expect(judgeFlatness(samples(-65_536, MIB)).isFlat).toBe(true);
  });

  it('finds 64 KiB an attempt in noise of a mebibyte', () => {
    const { rss, live, isFlat } = judgeFlatness(samples(65_536, MIB));
    expect([rss.isFlat, live.isFlat, isFlat]).toEqual([false, false, false]);
  });

  it('lets a growth that is sure but small pass, by the bound of each measure', () => {
    const { rss, live } = judgeFlatness(samples(5_000, 1_000));
    expect(rss.slope - rss.margin).toBeGreaterThan(0);
    expect([rss.isFlat, live.isFlat]).toEqual([true, false]);
  });

  it('looks at nothing of the first fifth', () => {
    const settled = samples(0, MIB).map((sample, i) => (i < 4 ? { ...sample, rss: 0, live: 0 } : sample));
    expect(judgeFlatness(settled).isFlat).toBe(true);
  });
});

describe('trendOf', () => {
  it('is the least squares line of a published example, with its 95 % interval', () => {
    // Anscombe (1973), first set: slope 0.5001, standard error 0.1179, t(9) 2.262.
    const x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5];
    const y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
    const { slope, margin } = trendOf(x.map((value, i) => ({ x: value, y: y[i] ?? 0 })));
    expect(slope).toBeCloseTo(0.5001, 4);
    expect(margin).toBeCloseTo(2.262 * 0.1179, 3);
  });

  it('asks for four samples', () => {
    expect(() => trendOf([{ x: 1, y: 1 }])).toThrow(RangeError);
  });
});
