import { describe, expect, it } from 'vitest';
import { funnelOverTime } from './funnel.ts';

const days = [
  { day: '2026-06-01', guests: 400, opened: 100, enrolled: 60, declined: 5 },
  { day: '2026-06-03', guests: 100, opened: 208, enrolled: 200, declined: 15 },
];

describe('the chart', () => {
  it('adds up day by day, without gaps, until now', () => {
    const over = funnelOverTime(days, '2026-06-04T12:00:00Z');
    expect(over.times.map((time) => time.slice(8, 10))).toEqual(['01', '02', '03', '04']);
    expect(over.guests).toEqual([400, 400, 500, 500]);
    expect(over.enrolled).toEqual([60, 60, 260, 260]);
    expect(over.declined).toEqual([5, 5, 20, 20]);
  });

  it('ends with the last change where the clock is behind', () => {
    expect(funnelOverTime(days, '2026-05-01').times).toHaveLength(3);
  });

  it('is nothing before the first guest', () => {
    expect(funnelOverTime([], '2026-06-04')).toEqual({ times: [], guests: [], opened: [], enrolled: [], declined: [] });
  });
});
