import { verdictReasons } from '@svc/device-sdk';
import { messageFaults } from '@svc/page-kit/message-faults';
import { expect, it } from 'vitest';
import { newStatus, readyStatus } from '../testing/sample-states.ts';
import en from './generated/en.json';
import { texts, timeOf } from './index.ts';
import { connectionText, reasonText } from './reasons.ts';

it.each(texts.languages)('the texts in %s are whole and clean', async (language) => {
  expect(messageFaults(language, (await texts.load(language)).messages, en)).toEqual([]);
});

const unjudged = ['never-scorable', 'camera-unproven', 'too-little-room'] as const;

it('findings of the liveness checks all read the same', () => {
  const judged = verdictReasons.LivenessFailed.filter((reason) => !unjudged.some((each) => each === reason));
  expect(new Set(judged.map(reasonText)).size).toBe(1);
});

it.each(unjudged)('a visit that could not be judged has its own text: %s', (reason) => {
  const others = Object.values(verdictReasons)
    .flat()
    .filter((other) => other !== reason);
  expect(others.map(reasonText)).not.toContain(reasonText(reason));
});

it('a face made for another model is told of one person, not of the whole list', () => {
  expect(reasonText('engine-mismatch')).toBe('reason.unopenable');
});

it('a time has its day if that is not today, and its date if the day is not clear', () => {
  const at = (day: number, hour: number) => new Date(2026, 2, day, hour, 2).getTime();
  const told = [at(2, 18), at(1, 23), at(3, 0), at(-6, 18)].map((atMs) => timeOf('en-GB', atMs, at(2, 19)));
  expect(told).toEqual(['18:02', 'Sunday 23:02', 'Tuesday 00:02', 'Sunday 22 February at 18:02']);
});

it('only texts for which the list still serves mention it', () => {
  expect(connectionText(null, null)).toBeNull();
  expect(connectionText(readyStatus, null)).toBeNull();
  expect(connectionText(readyStatus, true)).toBeNull();
  expect(connectionText(readyStatus, false)).toBe('app.offline');
  expect(connectionText({ ...readyStatus, connection: 'offline' }, true)).toBe('app.offline');
  expect(connectionText({ ...newStatus, connection: 'offline' }, null)).toBe('app.no-connection');
});
