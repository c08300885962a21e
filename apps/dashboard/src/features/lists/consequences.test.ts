import type { ListImpact } from '@svc/protocol';
import { expect, it } from 'vitest';
import { closeLines, deadlineOf, deleteLines, endLines, isTooSoon, moveLines } from './consequences.tsx';

const END = '2026-06-20T21:00:00.000Z';
const NOW = Date.parse('2026-06-01T00:00:00Z');
const impact: ListImpact = {
  ...{ people: 412, firstDeleteAfter: deadlineOf(END, 2), lastDeleteAfter: deadlineOf(END, 2) },
  ...{ devices: 3, devicesWithCopy: 2, lastSyncAt: '2026-06-01T10:00:00.000Z', validTokens: 88, guestLinks: 88 },
};
const nothing: ListImpact = {
  ...{ people: 0, firstDeleteAfter: null, lastDeleteAfter: null },
  ...{ devices: 0, devicesWithCopy: 0, lastSyncAt: null, validTokens: 0, guestLinks: 0 },
};
const each = { ...impact, firstDeleteAfter: '2026-06-24T09:00:00.000Z' };
const day = (at: string) => at.slice(5, 10);
const move = (after: string, of = impact) => moveLines({ before: END, after, retainDays: 2, nowMs: NOW }, of, day);

it.each([
  ['a list is deleted', deleteLines(impact), 'faces-gone doors-wipe links-stop ledger-stays for-good'],
  ['a list without people is deleted', deleteLines(nothing), 'faces-gone ledger-stays for-good'],
  ['enrolment without people is closed', closeLines(nothing, day), 'nobody-enrols for-good'],
  ['enrolment is closed', closeLines(impact, day), 'nobody-enrols links-stop people-stay doors-go-on for-good'],
  [
    'an ongoing list is ended, in which each person has their own date',
    endLines(each, day),
    'nobody-enrols links-stop people-stay-each doors-go-on end-is-told ten-minutes',
  ],
  ['an event ends later: nobody is kept for longer', move('2026-06-21T21:00:00.000Z'), 'longer people-keep-date'],
  ['an event without people ends later', move('2026-06-21T21:00:00.000Z', nothing), 'longer'],
  ['an event ends sooner', move('2026-06-19T21:00:00.000Z'), 'sooner people-sooner links-sooner'],
  ['an event ends as before', move(END), ''],
  ['everybody would be deleted at once', move('2026-05-20T21:00:00.000Z'), 'too-soon'],
])('what is said before %s', (_what, lines, expected) => {
  expect(lines.map(({ key }) => key.slice('lists.effect.'.length)).join(' ')).toBe(expected);
});

it('the dates are those that people agreed to', () => {
  expect(move('2026-06-21T21:00:00.000Z').map(({ values }) => values)).toEqual([
    { deadline: '06-23' },
    { count: 412, until: '06-22' },
  ]);
  expect(move('2026-06-19T21:00:00.000Z').map(({ values }) => values)).toEqual([
    { deadline: '06-21' },
    { count: 412, deadline: '06-21' },
    { count: 88, end: '06-19' },
  ]);
});

it('an end that would delete everybody at once is refused, and so is any once they are gone', () => {
  const moved = { before: END, retainDays: 2, nowMs: Date.parse('2026-06-18T00:00:00Z') };
  expect(isTooSoon({ ...moved, after: '2026-06-15T21:00:00.000Z' })).toBe(true);
  expect(isTooSoon({ ...moved, after: '2026-06-17T21:00:00.000Z' })).toBe(false);
  const later = { ...moved, after: '2026-07-01T21:00:00.000Z', nowMs: Date.parse('2026-06-23T00:00:00Z') };
  expect(isTooSoon(later)).toBe(true);
});
