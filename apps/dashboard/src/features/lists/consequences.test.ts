import type { ListImpact } from '@svc/protocol';
import { describe, expect, it } from 'vitest';
import { say, speak } from '../../text/index.ts';
import { createZonedFormat } from '../../text/places.ts';
import { closeLines, deadlineOf, deleteLines, endLines, isTooSoon, type Line, moveLines } from './consequences.tsx';

const END = '2026-06-20T21:00:00.000Z';
const NOW = Date.parse('2026-06-01T00:00:00Z');
await speak('en', ['en-GB']);
const { exact } = createZonedFormat('Europe/Berlin');
const spoken = (lines: readonly Line[]) => lines.map(({ key, values }) => say(key, values));

const impact = (over: Partial<ListImpact> = {}): ListImpact => ({
  ...{ people: 412, firstDeleteAfter: deadlineOf(END, 2), lastDeleteAfter: deadlineOf(END, 2) },
  ...{ devices: 3, devicesWithCopy: 2, lastSyncAt: '2026-06-01T10:00:00.000Z', validTokens: 88, guestLinks: 88 },
  ...over,
});
const nothing = impact({
  ...{ people: 0, firstDeleteAfter: null, lastDeleteAfter: null },
  ...{ devices: 0, devicesWithCopy: 0, lastSyncAt: null, validTokens: 0, guestLinks: 0 },
});

describe('what is said before', () => {
  it('a list is deleted', () => {
    expect(spoken(deleteLines(impact()))).toEqual([
      'The faces of 412 people are deleted at once.',
      '3 doors stop recognising people. 2 of them hold a copy and wipe it at their next sync.',
      '88 links that guests have not used yet stop working.',
      'The record of who consented, and when, stays for as long as your account keeps it.',
      'This cannot be undone.',
    ]);
    expect(spoken(deleteLines(nothing))).toEqual([
      'Nobody is enrolled, so no faces are deleted.',
      'The record of who consented, and when, stays for as long as your account keeps it.',
      'This cannot be undone.',
    ]);
  });

  it('enrolment is closed', () => {
    expect(spoken(closeLines(impact(), exact))).toEqual([
      'Nobody can enrol any more: not by a link, not through your server, not here.',
      '88 links that guests have not used yet stop working.',
      '412 people stay enrolled until 22 June 2026 at 23:00 CEST.',
      'Your 3 doors go on letting them in.',
      'This cannot be undone.',
    ]);
  });

  it('an ongoing list is ended: each person has their own date', () => {
    const each = impact({ firstDeleteAfter: '2026-06-24T09:00:00.000Z', lastDeleteAfter: '2027-05-31T17:00:00.000Z' });
    expect(spoken(endLines(each, exact))).toContain(
      '412 people stay enrolled, each until their own date: the first until 24 June 2026 at 11:00 CEST, the last until 31 May 2027 at 19:00 CEST.',
    );
  });
});

describe('another end of the event', () => {
  const move = (after: string, over: Partial<ListImpact> = {}) =>
    spoken(moveLines({ before: END, after, retainDays: 2, nowMs: NOW }, impact(over), exact));

  it('later: nobody is kept for longer than they agreed to', () => {
    expect(move('2026-06-21T21:00:00.000Z')).toEqual([
      'List and doors last until 23 June 2026 at 23:00 CEST. New guests are told this date.',
      'The 412 people who are enrolled agreed to 22 June 2026 at 23:00 CEST: their faces are deleted then. To be let in later, they enrol again.',
    ]);
    expect(move('2026-06-21T21:00:00.000Z', nothing)).toHaveLength(1);
  });

  it('sooner: everybody goes sooner, and links end', () => {
    expect(move('2026-06-19T21:00:00.000Z')).toEqual([
      'The list is deleted, and the doors stop, on 21 June 2026 at 23:00 CEST.',
      'The faces of 412 people are deleted then, sooner than they were told.',
      '88 links end with the event, on 19 June 2026 at 23:00 CEST.',
    ]);
  });

  it('that is the same says nothing', () => {
    expect(move(END)).toEqual([]);
  });

  it('that would delete everybody at once is refused, and so is any once they are gone', () => {
    const moved = { before: END, retainDays: 2, nowMs: Date.parse('2026-06-18T00:00:00Z') };
    expect(isTooSoon({ ...moved, after: '2026-06-15T21:00:00.000Z' })).toBe(true);
    expect(isTooSoon({ ...moved, after: '2026-06-17T21:00:00.000Z' })).toBe(false);
    const later = { ...moved, after: '2026-07-01T21:00:00.000Z', nowMs: Date.parse('2026-06-23T00:00:00Z') };
    expect(isTooSoon(later)).toBe(true);
    expect(spoken(moveLines(later, impact(), exact))).toEqual([
      'That is not possible: everybody’s faces would be deleted at once, or are deleted already. To delete them now, delete the list.',
    ]);
  });
});
