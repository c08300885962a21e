import type { EnrolmentTokenSummary } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { funnelOf, funnelOverTime } from './funnel.ts';

const summary: EnrolmentTokenSummary = {
  tokens: { valid: 210, used: 262, declined: 20, expired: 8, revoked: 2, exhausted: 3, opened: 330 },
  tickets: { invited: 496, opened: 308, enrolled: 260, declined: 20 },
  days: [
    { day: '2026-06-01', invited: 400, opened: 100, enrolled: 60, declined: 5 },
    { day: '2026-06-03', invited: 100, opened: 208, enrolled: 200, declined: 15 },
  ],
};

describe('the funnel', () => {
  it('counts each ticket once, and what ended a link by links', () => {
    expect(funnelOf(summary)).toEqual({
      ...{ sent: 496, opened: 308, enrolled: 260, declined: 20, failed: 3, expired: 8, undecided: 216 },
    });
  });

  it('narrows from step to step, also where the service forgot when a link was opened', () => {
    const { sent, opened, enrolled } = funnelOf({
      ...summary,
      tickets: { invited: 10, opened: 0, enrolled: 8, declined: 3 },
    });
    expect([sent, opened, enrolled]).toEqual([10, 10, 8]);
  });

  it('is nothing before the first link', () => {
    const zero = { invited: 0, opened: 0, enrolled: 0, declined: 0 };
    expect(funnelOf({ ...summary, tickets: zero })).toMatchObject({ sent: 0, opened: 0, undecided: 0 });
    expect(funnelOverTime([], '2026-06-04')).toEqual({ times: [], sent: [], opened: [], enrolled: [], declined: [] });
  });
});

describe('the chart', () => {
  it('adds up day by day, without gaps, until now', () => {
    const over = funnelOverTime(summary.days, '2026-06-04T12:00:00Z');
    expect(over.times.map((time) => time.slice(8, 10))).toEqual(['01', '02', '03', '04']);
    expect(over.sent).toEqual([400, 400, 500, 500]);
    expect(over.enrolled).toEqual([60, 60, 260, 260]);
    expect(over.declined).toEqual([5, 5, 20, 20]);
  });

  it('ends with the last change where the clock is behind', () => {
    expect(funnelOverTime(summary.days, '2026-05-01').times).toHaveLength(3);
  });
});
