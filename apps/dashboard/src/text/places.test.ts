import { describe, expect, it } from 'vitest';
import { speak } from './index.ts';
import { createZonedFormat, nameTimeZone, proposedTimes, toInstant, toLocal } from './places.ts';

describe('a time at a place', () => {
  it.each([
    ['2026-06-20T18:00', 'Europe/Berlin', '2026-06-20T16:00:00.000Z'],
    ['2026-01-20T18:00', 'Europe/Berlin', '2026-01-20T17:00:00.000Z'],
    ['2026-06-20T18:00', 'Asia/Kolkata', '2026-06-20T12:30:00.000Z'],
    ['2026-06-20T18:00', 'UTC', '2026-06-20T18:00:00.000Z'],
    ['2026-12-31T23:30', 'America/Los_Angeles', '2027-01-01T07:30:00.000Z'],
  ])('%s in %s is %s', (local, timeZone, at) => {
    expect(toInstant(local, timeZone)).toBe(at);
    expect(toLocal(at, timeZone)).toBe(local);
  });

  it('that is skipped when clocks go forward is an hour later', () => {
    expect(toInstant('2026-03-29T02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
    expect(toLocal('2026-03-29T01:30:00.000Z', 'Europe/Berlin')).toBe('2026-03-29T03:30');
  });

  it('that comes twice when clocks go back is the first', () => {
    expect(toInstant('2026-10-25T02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z');
  });

  it.each(['', '2026-06-20', '2026-13-01T10:00', '2026-06-31T10:00', 'soon'])('%j is none', (local) => {
    expect(toInstant(local, 'Europe/Berlin')).toBeNull();
  });

  it('is none at a place that is unknown', () => {
    expect(toInstant('2026-06-20T18:00', 'Europe/Atlantis')).toBeNull();
  });

  it('is said with its zone, in the language of the page', async () => {
    await speak('en', ['en-GB']);
    const format = createZonedFormat('Europe/Berlin');
    expect(format.exact('2026-06-20T21:00:00.000Z')).toBe('20 June 2026 at 23:00 CEST');
    expect(format.range('2026-06-20T16:00:00.000Z', '2026-06-20T21:00:00.000Z')).toMatch(/20 Jun 2026.*18:00.*23:00/);
    const may = Date.parse('2026-05-01T00:00:00Z');
    const short = createZonedFormat('Europe/Berlin', may).shortRange;
    expect(short('2026-06-20T16:00:00.000Z', '2026-06-20T21:00:00.000Z')).toMatch(/^Sat,? 20 Jun, 18:00.*23:00$/);
    expect(short('2026-12-31T16:00:00.000Z', '2027-01-01T02:00:00.000Z')).toMatch(/2026.*2027/);
    expect(nameTimeZone('America/Los_Angeles', '2026-06-20T21:00:00.000Z')).toBe('America/Los Angeles (GMT-7)');
  });
});

it('a new event is proposed for an evening in four weeks', () => {
  expect(proposedTimes(Date.parse('2026-05-01T22:30:00Z'), 'Europe/Berlin')).toEqual({
    startsAt: '2026-05-30T18:00',
    endsAt: '2026-05-30T23:00',
  });
});
