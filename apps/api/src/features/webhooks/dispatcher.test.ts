import { DAY_MS } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { pauseAfter } from './dispatcher.ts';

const pauses = (random: number) => Array.from({ length: 9 }, (_, index) => pauseAfter(index + 1, random) ?? Number.NaN);

describe('pauses between attempts', () => {
  it('grow from seconds to a day, over three days and some', () => {
    const least = pauses(0);
    expect(least).toEqual([...least].sort((a, b) => a - b));
    expect(least[0]).toBe(5_000);
    const total = least.reduce((sum, pause) => sum + pause, 0);
    expect(total).toBeGreaterThan(3 * DAY_MS);
    expect(total).toBeLessThan(4 * DAY_MS);
  });

  it('end after nine', () => expect(pauseAfter(10, 0)).toBeNull());

  it('are lengthened by a fifth at most', () => {
    const least = pauses(0);
    pauses(0.999_999).forEach((pause, index) => {
      expect(pause / (least[index] ?? 0)).toBeGreaterThan(1.19);
      expect(pause / (least[index] ?? 0)).toBeLessThanOrEqual(1.2);
    });
  });
});
