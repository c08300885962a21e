import { describe, expect, it } from 'vitest';
import { judgeFlatness, type MemorySample } from './messages.ts';

const MIB = 2 ** 20;

/** Twenty batches of 25 attempts, with fixed noise. */
function samples(bytesAnAttempt: number, noise: number): MemorySample[] {
  return Array.from({ length: 20 }, (_, i) => {
    const attempts = (i + 1) * 25;
    const bytes = 300 * MIB + bytesAnAttempt * attempts + noise * Math.sin(i * 2.4);
    return { attempts, rss: bytes, live: bytes };
  });
}

describe('judgeFlatness', () => {
  it('takes noise as flat', () => {
    expect(judgeFlatness(samples(0, 6 * MIB)).isFlat).toBe(true);
  });

  it('takes falling memory as flat', () => {
    expect(judgeFlatness(samples(-65_536, MIB)).isFlat).toBe(true);
  });

  it('finds 64 KiB per attempt in noise of a mebibyte', () => {
    const { rss, live, isFlat } = judgeFlatness(samples(65_536, MIB));
    expect([rss.isFlat, live.isFlat, isFlat]).toEqual([false, false, false]);
  });

  it("accepts a significant but small growth below each measure's bound", () => {
    const { rss, live } = judgeFlatness(samples(5_000, 1_000));
    expect(rss.slope - rss.margin).toBeGreaterThan(0);
    expect([rss.isFlat, live.isFlat]).toEqual([true, false]);
  });

  it('ignores the first fifth', () => {
    const settled = samples(0, MIB).map((sample, i) => (i < 4 ? { ...sample, rss: 0, live: 0 } : sample));
    expect(judgeFlatness(settled).isFlat).toBe(true);
  });
});
